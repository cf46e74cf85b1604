package terms

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestOf(t *testing.T) {
	for word, want := range map[string]string{
		"Retries":           "retri",
		"retried":           "retri",
		"readLoyaltyCard":   "readloyaltycard read loyalti card",
		"read_loyalty_card": "readloyaltycard read loyalti card",
		"HTTPServer2":       "httpserver2 http server2",
		"MAX_RETRIES":       "maxretries max retri",
		"__init__":          "init",
		"café":              "café",
		"sha256":            "sha256",
		"検索する":              "検索 索す する",
		"字":                 "字",
		"ｶﾞﾗｽ":              "ガラ ラス",
		"ＨＴＴＰServer":        "httpserver http server",
		"cafe\u0301":        "café",
		"_":                 "",
	} {
		if got := strings.Join(Of(word), " "); got != want {
			t.Errorf("%s has %q, want %q", word, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"How do we rotate the Keys, keys?": "rotate keys",
		"to be or":                         "to be or",
		"  ...  ":                          "",
		strings.Repeat("x", 65) + " short": "short",
	} {
		var words []string
		for _, w := range Parse(text) {
			words = append(words, w.Text)
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%q has the words %q, want %q", text, got, want)
		}
	}
	if n := len(Parse(strings.Join(strings.Split(strings.Repeat("ab", 200), ""), "x ") + manyWords())); n > mostWords {
		t.Errorf("a long query has %d words", n)
	}
}

func manyWords() string {
	var b strings.Builder
	for i := range 100 {
		b.WriteString(" w" + strings.Repeat("z", i%50))
	}
	return b.String()
}

func TestNear(t *testing.T) {
	to := func(word, term string) float64 { return NearTo(Parse(word)[0]).To(term) }
	for _, c := range []struct {
		word, term string
		near       bool
	}{
		{"zebar", "zebra", true}, {"conf", "configur", true}, {"enclosured", "enclosur", true}, {"garden", "guard", false},
		{"x", "xylophon", false}, {"zebra", "completelydifferent", false}, {"café", "cafés", true}, {"naïev", "naïve", true},
	} {
		if got := to(c.word, c.term); (got > 0) != c.near || got > 1 {
			t.Errorf("%s is near %s by %v", c.word, c.term, got)
		}
	}
	if to("config", "configur") <= to("config", "confus") {
		t.Error("a beginning is not nearer than what is alike")
	}
}

func TestPassage(t *testing.T) {
	filler := strings.Repeat("Nothing to see here. ", 40)
	hits := Hits{"rotat": 0, "key": 1, "readloyaltycard": 2, "loyalti": 2}
	for _, c := range []struct{ text, has string }{
		{filler + "We rotate the signing\n\nkeys on Monday. " + filler + "Keys, keys, keys.", "We rotate the signing keys on Monday."},
		{filler + "func readLoyaltyCard() " + filler, "func readLoyaltyCard()"},
		{"Keys.", "Keys."},
		{filler, "Nothing to see here."},
		{"a\x1b[31mred\u202ekey", "a [31mred key"},
		{strings.Repeat("ü", 500), "üüü"},
	} {
		got := Passage(c.text, hits, 120)
		if !strings.Contains(got, c.has) || len(got) > 126 || !utf8.ValidString(got) {
			t.Errorf("%.40q gives %q (%d bytes), without %q", c.text, got, len(got), c.has)
		}
	}
	if got := Passage(filler+"the key "+filler, hits, 60); !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("what was left out does not show: %q", got)
	}
}

// Whatever a text is, its words are in it, and a passage of it is short, valid and one line.
func FuzzTexts(f *testing.F) {
	f.Add("We rotate HTTPServer keys, 検索", "rotating keys")
	f.Fuzz(func(t *testing.T, text, q string) {
		hits := Hits{}
		for n, w := range Parse(q) {
			for _, term := range w.Terms {
				hits[term] = n
			}
			NearTo(w).To(text)
		}
		Each(text, func(word string, from, to int) {
			if text[from:to] != word || slices.Contains(Of(word), "") {
				t.Errorf("%q at %d has %q", word, from, Of(word))
			}
		})
		got := Passage(strings.ToValidUTF8(text, ""), hits, 80)
		if len(got) > 86 || strings.ContainsAny(got, "\n\r\t\x1b") || !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
	})
}
