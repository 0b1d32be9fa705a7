package offline

import (
	"regexp"
	"strings"
)

// An ask says what a sentence wants of its reader.
type ask uint8

const (
	askNothing ask = iota
	askReply       // an answer
	askDeed        // something to be done
)

// A pattern is an expression that needs one of a few texts, which are looked
// for first: most sentences have none of them.
type pattern struct {
	hints []string
	re    *regexp.Regexp
}

// in reports whether a text in lower case matches.
func (p *pattern) in(low string) bool {
	for _, h := range p.hints {
		if strings.Contains(low, h) {
			return p.re.MatchString(low)
		}
	}
	return false
}

// The expressions look at sentences in lower case.
var (
	pleaseAt = regexp.MustCompile(`\b(?:please|kindly|pls|plz)\b[, ]*`)
	// notAsked are words after "please" with which nothing is asked for.
	notAsked = regexp.MustCompile(`^(find\b|see (the |our |my )?(attach|enclos|below|above)|note\b|be (?:advised|aware|assured|informed|at|there)\b|ignore|disregard|` +
		`(do not|don't) (reply|respond|answer|hesitate|print|share|click)|feel free|accept (my|our)|enjoy|excuse|forgive|pardon|` +
		`consider the environment|delete\b|notify the sender|visit\b|click\b|refer to|contact \S+( \S+)? (if|at|for|with|on)\b|bear with|` +
		`keep in mind|allow \S+ to introduce|join us in congratulating|let (me|us) know\b|rsvp\b|get back to (me|us)\b)`)
	yesPlease = regexp.MustCompile(`\b(yes|oh),? please\b`)

	// letKnow asks for an answer, unless it is the formula of politeness.
	letKnow = pattern{[]string{"let me know", "let us know", "lmk", "rsvp", "r.s.v.p", "get back to", "posted", "drop me"}, regexp.MustCompile(`\b(let (me|us) know|lmk|rsvp|r\.s\.v\.p|get back to (me|us)|keep me posted|drop me a (line|note))\b`)}
	formula = regexp.MustCompile(`\b(let (me|us) know|lmk|get back to (me|us)|drop me a (line|note)),? (if|should|in case|whether|when) ` +
		`(you('re| are)? ?(need|have any|have (further |more |other )?questions|have a question|want|require|would like|'d like|wish|run into|encounter|interested|ever)|` +
		`you('d| would) (like|prefer)|there('s| is| are) (anything|any|something)|any\b|anything|something|i can|we can|questions)`)
	howHelp = regexp.MustCompile(`\blet (me|us) know (how|what|where) (i|we) can\b`)
	offered = regexp.MustCompile(`^(and |but |so |also,? |again,? )?(if|should|in case) (you )?(need|have any|have (further |more )?questions|have a question|want|` +
		`would like|'d like|did not|didn't|do not|don't|are not|aren't|have received|received|no longer|prefer|wish|there (is|'s|are) an|any)`)
	remark = regexp.MustCompile(`\b(i'll|i will|we'll|we will|will) let you know\b`)

	deed = pattern{[]string{"you", "forget", "remember to", "make sure", "be sure", "action ", "need", "await", "waiting", "looking for", "appreciate", "grateful", "mind ", "someone", "anyone", "somebody", "anybody", "requires", "due from", "wanted from", "one of"}, regexp.MustCompile(`\b(could|can|would|will) (you|u|someone|anyone|one of you|either of you|somebody|anybody)\b|` +
		`\b(need|want|like|ask|asking|require|requesting|expect|expecting) you (all |both |guys )?to\b|` +
		`\byou (need|have|are required|are asked|are requested|are expected) to\b|\byou must\b|` +
		`\b(don't|do not) forget\b|\bremember to\b|\b(make|be) sure (to|that|you)\b|\bmake sure\b|` +
		`\baction (is )?(required|needed)\b|\b(i|we) (still |also |really |urgently )?need (your|the|a|an|some|more|from you)\b|\bneeded from you\b|` +
		`\b(requires?|await|awaiting|waiting for|waiting on|looking for) your\b|\bwaiting to hear\b|\bwould appreciate (it if|your|a)\b|` +
		`\b(i|we) would be grateful\b|\bit would be (great|helpful|good|nice) if you\b|\bwould you mind\b|\bmind (if you|sending|taking|checking)\b|` +
		`\b(due|needed|wanted) from you\b|\bit's your turn\b|\byour turn to\b|\bif you (could|would|might)\b`)}
	idle = regexp.MustCompile(`\b(as|how|what|why|that|where) (can|could|would|will) you\b|\bas you can\b|\bcan you (believe|imagine)\b|` +
		`\b(no need to|don't have to|do not have to|not need to)\b|\b(i|we) (don't|do not) need\b|\bwill you be (automatically|charged)\b|` +
		`\byou (need|have) to be kidding\b|\b(if|whenever) you need to\b|\bif you (would|could) (like|prefer|be interested)\b`)
	// imperative is a bare order at the beginning of a sentence, and forMe is
	// what makes it one to the reader.
	imperative = regexp.MustCompile(`^(?:[-*\x{2022}]|\d{1,2}[.)])?\s*(?:and |also,? |then,? |so,? |just )?(send|submit|review|confirm|reply|respond|answer|complete|sign|return|pay|` +
		`provide|approve|prepare|tell|give|call|bring|upload|fill|update|fix|check|finish|email|mail|text|ring|write|show|help|remind|book|take)\b`)
	forMe = regexp.MustCompile(`\b(me|us|my|our)\b|\bby\b`)

	nothingAsked = pattern{[]string{"no action", "no response", "no reply", "no answer", "no further", "no need", "nothing ", "need to do", "have to do", "no rush", "just for", "just fyi"}, regexp.MustCompile(`\bno (action|response|reply|answer|further action) (is |from you is |on your part is )?(required|needed|necessary)\b|` +
		`\bno need (to|for you to) (reply|respond|answer|do anything|act)\b|\bnothing (for you )?to do\b|\byou (don't|do not) (need|have) to do anything\b|` +
		`\bno rush to (reply|answer)\b|\bjust (for your information|fyi)\b`)}

	question = regexp.MustCompile(`\b(you|your|yours|u|we|us|our|i|me|my|anyone|someone|everyone|any (news|update|progress|chance|thoughts)|` +
		`what time|which|who|when|where|how about|what about|is there|are there|is it|would it|possible|does|did|ok|okay|thoughts|opinions)\b`)
	noQuestion = regexp.MustCompile(`^(and |so |but )?(how are you|how're you|how's (it|everything|life|your)|how (have|has) (you|everything|your)|how is everything|how do you do|` +
		`how was your|what's up|guess what|did you know|want to (save|learn|know)|ready (to|for)|looking (to|for)|tired of|need help|` +
		`(do you )?(have|got)? ?(any )?(more |further |other )?questions|any questions|interested|hope (you|all|this)|who knew|isn't (it|that)|right|really|remember\b|sound(s)? familiar)`)
	attend = regexp.MustCompile(`\b(make it|coming|join|attend|be there|free|available|up for|be able to)\b|\bcome( [^b]|[^a-z ]|$)`)
)

// asks says what a sentence wants of its reader.
func asks(sentence string) ask {
	low := strings.ToLower(sentence)
	if offered.MatchString(low) || len(low) < 3 {
		return askNothing
	}
	if wantsDeed(low) {
		if attend.MatchString(low) && strings.HasSuffix(low, "?") {
			return askReply
		}
		return askDeed
	}
	if letKnow.in(low) && !formula.MatchString(low) && !howHelp.MatchString(low) && !remark.MatchString(low) {
		return askReply
	}
	if strings.Contains(low, "?") && question.MatchString(low) && !noQuestion.MatchString(low) && !formula.MatchString(low) && pleas(low) == nil {
		return askReply
	}
	return askNothing
}

// wantsDeed reports whether a sentence wants something to be done.
func wantsDeed(low string) bool {
	for _, at := range pleas(low) {
		rest := low[at[1]:]
		if !notAsked.MatchString(rest) && !yesPlease.MatchString(low[:at[1]]) {
			return true
		}
	}
	if imperative.MatchString(low) && forMe.MatchString(low) && !formula.MatchString(low) {
		return true
	}
	return deed.in(low) && !idle.MatchString(low)
}

// pleas returns where a sentence says "please".
func pleas(low string) [][]int {
	for _, w := range []string{"please", "kindly", "pls", "plz"} {
		if strings.Contains(low, w) {
			return pleaseAt.FindAllStringIndex(low, -1)
		}
	}
	return nil
}

// The marks of mail that no person wrote to this one.
var (
	automaticSender = regexp.MustCompile(`(?i)^(no-?_?\.?reply|do-?_?\.?not-?_?\.?reply|notifications?|notify|news|newsletters?|mailer-daemon|postmaster|` +
		`bounces?|alerts?|promo|promos|promotions?|marketing|offers?|deals?|updates?|digest|mailing|campaigns?|automat\w*|robot|bot|system|auto-?confirm\w*)([-+._].*)?@|` +
		`^[^@]*[-+._](no-?reply|donotreply|newsletter|notifications?)([-+._].*)?@|^[^@]*@(\S+\.)?(newsletter|news|mailing|email|bounce)s?\.[^@]+\.[^@]+$`)
	automaticText = pattern{[]string{"unsubscribe", "browser", "manage ", "this because", "receiving this", "getting this", "this e", "this letter", "this newsletter", "this message", "this mail", "automat", "auto", "to this", "our subscribers", "unmonitored"}, regexp.MustCompile(`\bunsubscribe\b|\bview (this|it)( (e-?mail|message|newsletter))? (in|on) (your|a|the) (web ?)?browser\b|` +
		`\bmanage (your )?((e-?mail|notification|communication) )?(preferences|subscriptions?)\b|\byou('re| are) (receiving|getting) this\b|` +
		`\byou (get|receive|received) this (e-?mail|letter|newsletter|message|mail) because\b|\b(automatically|automatic|auto-?) ?(generated|reply|response)\b|` +
		`\bautomated (e-?mail|message|notification|reply)\b|\b(do not|don't) (reply|respond) to this\b|\bour subscribers\b|\bthis mailbox is not monitored\b|\bunmonitored\b`)}
	codeText = pattern{[]string{" code", "password"}, regexp.MustCompile(`\b(security|verification|confirmation|login|one-time|access|authentication) code\b|\b(reset|change) your password\b|` +
		`\bpassword reset\b|\bone-time password\b`)}
	promoText = pattern{[]string{"click here", "shop now", "buy now", "order now", "book now", "sign up", "limited", "special offer", "% off", " %", "exclusive", "free trial", "don't miss", "act now", "learn more", "best deal", "best price"}, regexp.MustCompile(`\bclick here\b|\bshop now\b|\bbuy now\b|\border now\b|\bbook now\b|\bsign up (now|today)\b|\blimited[- ]time\b|\bspecial offers?\b|` +
		`\d+ ?% off\b|\bexclusive (\w+ )?(deals?|offers?)\b|\bfree trial\b|\bdon't miss (out|this)\b|\bact now\b|\blearn more:? https?:|\bbest (deals?|prices?)\b`)}
	automaticSubject = regexp.MustCompile(`(?i)^(automatic reply|auto(-| )?reply|out of (the )?office|undeliverable|undelivered mail|delivery status notification|mail delivery failed|returned mail)\b|\bnewsletter\b`)
)

// automatic reports whether a mail comes from a machine or goes to many.
func automatic(from, subject, body string) bool {
	low := strings.ToLower(subject + "\n" + body)
	low = strings.ReplaceAll(low, "\u2019", "'")
	return automaticSender.MatchString(from) || automaticSubject.MatchString(subject) || automaticText.in(low) ||
		codeText.in(low) || promoText.in(low)
}

// orders finds text that is meant for a program that reads the mail.
var orders = pattern{[]string{"instruction", "prompt", "rules", "guidelines", "directions", "commands", "orders", "system", "assistant", "developer", "ai", "<", "inst]", "task", "tool", "function", "send_", "read_", "create_", "delete_", "list_", "get_", "forward", "mention", "n't", "not ", "never", "summary", "brief", "llm", "model", "bot", "agent"}, regexp.MustCompile(`\b(ignore|disregard|forget|override|bypass)( (all|any|your|the|my|these|those|previous|prior|earlier|above|other|former|of|system))+ (instructions?|prompts?|rules|guidelines|directions|commands|orders)\b|` +
	`(^|\n)[\s>#*\[]*(system|assistant|developer|ai)[\])*]*\s*:|<\s*/?\s*(information|system|instructions?|important|prompt|tool)\b|\[/?inst\]|` +
	`\b(dear|hi|hello|hey|attention|to you,?|note to|note for|message to|message for) (the |any |all |my |your )?(ai|artificial intelligence|language|llm|email|virtual|digital)[- ]?(model|assistant|agent|system|bot)s?\b|` +
	`\bai (model|assistant|agent)s?\s*[,:]|\b(if )?you are (an? |the )?(ai|llm|language model|assistant|chatbot|automated)\b|\bsystem prompt\b|\bnew instructions\s*:|` +
	`\b(create|add|make)( (a|an|the|this|another|new|following))* tasks?\b|\b(call|use|run|invoke) the [a-z_]+ (tool|function)\b|` +
	`\b(send|read|create|delete|list|get|forward)_[a-z]+\b|\bforward (all|every|each|any)( (of|the|my|your|this|these|his|her|their|our|other|last|recent|new))*( \w+)? ?(e-?mails?|mails?|messages?|inbox)\b|` +
	`\b(do not|don't|never) (mention|tell|show|report|reveal|include|disclose)( \w+)? (this|that|it)\b|\bin (your|the) (summary|brief)\b.{0,20}\b(do not|don't|instead|only|must)\b`)}

// speaksToProgram reports whether a text has orders for the program that reads
// it. They are never followed; this only keeps such a mail out of the tasks.
func speaksToProgram(text string) bool {
	return orders.in(strings.ToLower(strings.ReplaceAll(text, "\u2019", "'")))
}
