package harmless

import "testing"

// A text that the pattern changes is one that may begin a command.
func TestMayStart(t *testing.T) {
	for _, s := range []string{
		"::error::x", " ::x", "a\n\t::x", "%%x", "section_start:1", "SECTION_END:1", "\u017fection_start:1", "travis_fold:x", "Traviſ_Time:x", "a\n\u2003travis_time:x",
	} {
		if !atStart().MatchString(s) || !mayStart(s) {
			t.Errorf("%q is passed over", s)
		}
	}
	for _, s := range []string{"", "in_progress: 2026-11-22T12:16:19Z  human:shah", "50%", "a_b", "section: a"} {
		if mayStart(s) {
			t.Errorf("%q needs no pattern", s)
		}
	}
}
