package record_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// What people are called becomes a name that is one, and stays what it is when it is read as one again.
func TestNameOf(t *testing.T) {
	for called, want := range map[string]string{
		"shah":                        "shah",
		"Anna  van der Berg (she)":    "Anna-van-der-Berg-she",
		"a.b_c@d+e-f":                 "a.b_c@d+e-f",
		"Łukasz Żółć":                 "Łukasz-Żółć",
		"Zo\u0065\u0308":              "Zoë", // two characters, in NFC one
		"山田太郎":                        "山田太郎",
		"たなか Yuki":                    "たなか-Yuki",
		"김철수":                         "김철수",
		"Нора Вера":                   "Нора-Вера",
		"مریم\u200cنوری":              "مریمنوری", // what is not shown is left out
		"श्रीनिवास":                   "श्रीनिवास",
		"คำปัน":                       "คำปัน",
		"Ａｄａ":                         "Ada", // of full width
		"𝓔𝓿𝓮":                         "Eve",
		"Иван Petrov":                 "Иван-Petrov",
		"аdmin":                       "", // the first letter is Cyrillic
		"Αlice":                       "", // and here Greek
		"\u0301":                      "",
		"***":                         "",
		"":                            "",
		"\xff\xfe":                    "",
		"O'Hara 🙂":                    "O-Hara",
		strings.Repeat("x", 80):       strings.Repeat("x", 64),
		strings.Repeat("e\u0301", 80): strings.Repeat("é", 64),
		strings.Repeat("क्", 80):      strings.Repeat("क्", 32),
		strings.Repeat("𝒳 ", 3) + "ß": "X-X-X-ß",
	} {
		got := record.NameOf(called)
		if got != want {
			t.Errorf("NameOf(%q) = %q, want %q", called, got, want)
		}
		if again := record.NameOf(got); got != "" && (!record.IsName(got) || again != got) {
			t.Errorf("%q of %q is no name, or %q the next time", got, called, again)
		}
	}
}

// Of two names that look alike one is none.
func TestNamesThatLookAlike(t *testing.T) {
	for _, name := range []string{
		"аdmin", "adm\u0456n", "Αda", "ada\u200d", "ada\u200b", "a\u034fda", "ada\ufe0f", "a\u0301da", // in NFC the last is áda
		"ａｄａ", "𝐚da", "ﬁona", "ada\u3164", "ada\u115f", "\u0308ada", "ada-\u0308", "ada\u202eb", "ada\u00ad", "ªda", "ada lovelace", "ada:b", "ada/b", "ada\x00", "ada\xff", "",
		strings.Repeat("山", 67), strings.Repeat("a", 65),
	} {
		if record.IsName(name) {
			t.Errorf("%q is a name", name)
		}
	}
}
