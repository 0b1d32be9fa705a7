package offline

import (
	"regexp"
	"slices"
	"strings"

	"helve.dev/helve/examples/dayflow/internal/plain"
)

// How many bytes are looked at: of a body, and of an address or a subject.
const (
	maxText   = 16 << 10
	maxHeader = 1000
)

// The places where a mail stops being the words of its sender.
var (
	wroteLine   = regexp.MustCompile(`(?i)^on .{4,120} wrote:$`)
	replyLine   = regexp.MustCompile(`(?i)^[-_ ]*original message\b`)
	fromLine    = regexp.MustCompile(`(?i)^\*?from:\*? \S`)
	sentLine    = regexp.MustCompile(`(?i)^\*?(sent|date|to|subject|cc):\*? \S`)
	forwardLine = regexp.MustCompile(`(?i)^[-_ ]*(begin )?forwarded message\b`)
	disclaimer  = regexp.MustCompile(`(?i)^(this (e-?mail|message)( \w+){0,6} (is|are|may be|contains?) (\w+ ){0,3}(confidential|intended|privileged)|confidentiality notice|disclaimer:)`)
	salutation  = regexp.MustCompile(`(?i)^(hi|hello|hey|dear|good (morning|afternoon|evening))\b[^.!?]{0,48}$`)
	bullet      = regexp.MustCompile(`^([-*\x{2022}]|\d{1,2}[.)]|\(?[a-z]\))(\s|$)`)
	greetingEnd = regexp.MustCompile(`(?i)^(hi|hello|hey|dear)( [\p{L}.'-]+){0,3},\s+`)
)

// ownText returns what the sender wrote: without quoted mail, what was
// forwarded, signature and disclaimer. Where nothing is left of a forwarded
// mail, it is what was forwarded.
func ownText(body string) string {
	body = plain.Text(body)
	body = strings.NewReplacer("\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`, "\u00a0", " ", "\u202f", " ").Replace(body)
	var own, forwarded []string
	ended, forward := false, false
	lines := strings.Split(body, "\n")
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, ">"):
			continue
		case !ended && fromLine.MatchString(trimmed) && i+1 < len(lines) && sentLine.MatchString(strings.TrimSpace(lines[i+1])):
			ended, forward = true, true // the head of a mail, as Outlook quotes it
		case trimmed == "--", strings.HasSuffix(trimmed, " wrote:") && wroteLine.MatchString(trimmed), disclaimer.MatchString(trimmed), replyLine.MatchString(trimmed):
			ended, forward = true, false
		case forwardLine.MatchString(trimmed):
			ended, forward = true, true
		case !ended:
			own = append(own, line)
		case forward:
			forwarded = append(forwarded, line)
		}
	}
	if strings.TrimSpace(strings.Join(own, "")) == "" {
		own = forwarded
	}
	return strings.Join(own, "\n")
}

// cutBytes returns at most n bytes of a text, in whole characters.
func cutBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && text[n]&0xC0 == 0x80 {
		n--
	}
	return text[:n]
}

// maxSentence is how many bytes a sentence has at most; a longer one is cut into
// several, so that the work on a text grows with its length only.
const maxSentence = 1000

// sentences splits a text. A line that is wrapped goes on; an empty line and an
// item of a list begin anew.
func sentences(text string) []string {
	var out []string
	var part strings.Builder
	flush := func() {
		out = append(out, split(part.String())...)
		part.Reset()
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || bullet.MatchString(line) || salutation.MatchString(line) {
			flush()
		}
		if part.Len() > 0 {
			part.WriteByte(' ')
		}
		part.WriteString(line)
		if salutation.MatchString(line) {
			flush()
		}
	}
	flush()
	return out
}

// split cuts a paragraph after its full stops, question and exclamation marks,
// unless the next word is in lower case, as after "5 p.m.".
func split(paragraph string) []string {
	var out []string
	begin := 0
	for i := 0; i < len(paragraph); i++ {
		if c := paragraph[i]; c != '.' && c != '!' && c != '?' {
			continue
		}
		end := i + 1
		for end < len(paragraph) && strings.IndexByte(`.!?)"'`, paragraph[end]) >= 0 {
			end++
		}
		i = end - 1
		if end == len(paragraph) || paragraph[end] != ' ' || end+1 < len(paragraph) && paragraph[end+1] >= 'a' && paragraph[end+1] <= 'z' && paragraph[end-1] == '.' {
			continue
		}
		if strings.HasSuffix(paragraph[begin:end], "p.m.") || !abbreviated(paragraph[begin:end]) {
			out = appendSentence(out, paragraph[begin:end])
			begin = end
		}
	}
	return appendSentence(out, paragraph[begin:])
}

// abbreviations end with a full stop and no sentence.
var abbreviations = []string{
	"mr.", "mrs.", "ms.", "dr.", "no.", "st.", "vs.", "approx.",
	"jan.", "feb.", "mar.", "apr.", "jun.", "jul.", "aug.", "sep.", "sept.", "oct.", "nov.", "dec.",
	"mon.", "tue.", "tues.", "wed.", "thu.", "thur.", "thurs.", "fri.",
}

// abbreviated reports whether a text ends with an abbreviation.
func abbreviated(text string) bool {
	last := strings.ToLower(text[strings.LastIndexByte(text, ' ')+1:])
	return slices.Contains(abbreviations, last)
}

// appendSentence adds a sentence without its greeting, unless it is empty.
func appendSentence(out []string, s string) []string {
	s = strings.TrimSpace(s)
	s = strings.TrimSpace(s[len(greetingEnd.FindString(s)):])
	if s == "" || salutation.MatchString(s) && !strings.HasSuffix(s, "?") {
		return out
	}
	for len(s) > maxSentence {
		head := cutBytes(s, maxSentence)
		if space := strings.LastIndexByte(head, ' '); space > maxSentence/2 {
			head = head[:space]
		}
		out = append(out, head)
		s = s[len(head):]
	}
	return append(out, s)
}
