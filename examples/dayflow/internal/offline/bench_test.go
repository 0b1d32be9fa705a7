package offline

import (
	"strings"
	"testing"
	"time"
)

// BenchmarkLook reads one mail of 4,000 characters, which is what read_inbox
// gives at most.
func BenchmarkLook(b *testing.B) {
	text := "Hi Sam,\n\nthe museum needs the corrected proofs of the catalogue by Thursday, 16 May 2024, at noon. Could you send them to me before then? Pages 14 and 31 still have the old captions.\n\nThanks\n"
	msg := at("2024-05-13 10:00", "ines@example.com", "Proofs", strings.Repeat(text, 4000/len(text)))
	r := &rules{today: written, zone: time.UTC}
	b.ReportAllocs()
	b.SetBytes(int64(len(msg.Body)))
	for b.Loop() {
		r.look(msg)
	}
}
