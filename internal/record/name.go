package record

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The limits of a name. It becomes a part of the name of a file.
const (
	maxName      = 64  // characters
	maxNameBytes = 200 // in UTF-8
)

// nameMarks are the characters of ASCII that a name can have beside letters and digits.
const nameMarks = "._@+-"

// alphabets have letters that look like those of one another. A word of a name is written in one of them.
var alphabets = []*unicode.RangeTable{
	unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu, unicode.Deseret, unicode.Osage,
}

// IsName reports whether s can name an actor or a group: 1 to 64 letters and digits of every script, with the marks
// that belong to them, and ._@+-. Two names that look alike are one: it is in NFC, has nothing that is not shown and no
// other form of a character of ASCII, and no word of it mixes alphabets. Words end at any of ._@+-.
func IsName(s string) bool {
	if s == "" || utf8.RuneCountInString(s) > maxName || len(s) > maxNameBytes || !utf8.ValidString(s) || !norm.NFC.IsNormalString(s) {
		return false
	}
	in, letter := -1, false // the alphabet of the word, and whether a mark can follow
	for _, r := range s {
		if strings.ContainsRune(nameMarks, r) {
			in, letter = -1, false
			continue
		}
		if !inName(r) || unicode.IsMark(r) && !letter {
			return false
		}
		letter = true
		at := slices.IndexFunc(alphabets, func(a *unicode.RangeTable) bool { return unicode.Is(a, r) })
		if at >= 0 && in >= 0 && at != in {
			return false
		}
		in = max(in, at)
	}
	return true
}

// inName reports whether a name can have a character.
func inName(r rune) bool {
	if r < utf8.RuneSelf {
		return IsWord(string(r), nameMarks)
	}
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !Hidden(r) && ASCIIForm(r) == ""
}

// Count says how many there are of something: 1 entry, 2 entries.
func Count(n int, one string) string {
	if stem, ok := strings.CutSuffix(one, "y"); ok && n != 1 {
		one = stem + "ies"
	} else if n != 1 {
		one += "s"
	}
	return strconv.Itoa(n) + " " + one
}

// Unspaced reports whether a character is of a script that sets no spaces between words.
func Unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// Hidden reports whether a character is not shown where it stands.
func Hidden(r rune) bool {
	return unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Cf)
}

// ASCIIForm is the text in ASCII of which a character is another form, such as one of full width; "" for none.
func ASCIIForm(r rune) string {
	if r < utf8.RuneSelf {
		return ""
	}
	text := norm.NFKC.String(string(r))
	if strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return ""
	}
	return text
}

// lookalikes are letters of other scripts that look like Latin ones, each followed by the one that it looks like.
const lookalikes = "аaвbсcеeһhіiјjкkмmнhоoрpԛqѕsтtуyхxԝwԁdɡgցgοoαaνvρpυuιiκkτtχxηnγyօoսuոnհhꞵbıiȷjɩiӏlⅼl"

// Looks is a text that is equal for texts whose letters look alike: in lower case, with letters of other scripts and
// widths as the Latin ones that they look like.
func Looks(text string) string {
	var plain strings.Builder
	for _, r := range text {
		plain.WriteString(cmp.Or(ASCIIForm(r), string(r)))
	}
	twins := []rune(lookalikes)
	return strings.Map(func(r rune) rune {
		r = unicode.ToLower(r)
		for i := 0; i+1 < len(twins); i += 2 {
			if twins[i] == r {
				return twins[i+1]
			}
		}
		return r
	}, plain.String())
}

// Folded is a text in lower case and with its letters composed, by which texts are compared where case does not count.
func Folded(text string) string { return strings.ToLower(norm.NFC.String(text)) }

// NameOf makes a name of what somebody is called: each run of characters that a name cannot have becomes one dash. It
// is "" where nothing is left, and for a word in two alphabets.
func NameOf(text string) string {
	text = strings.Map(func(r rune) rune {
		if Hidden(r) {
			return -1
		}
		return r
	}, norm.NFC.String(strings.ToValidUTF8(text, "")))
	var plainer strings.Builder
	for _, r := range text {
		if as := ASCIIForm(r); as != "" {
			plainer.WriteString(as)
		} else {
			plainer.WriteRune(r)
		}
	}
	unfit := func(r rune) bool { return !inName(r) }
	name := strings.Trim(strings.Join(strings.FieldsFunc(plainer.String(), unfit), "-"), "-")
	for utf8.RuneCountInString(name) > maxName || len(name) > maxNameBytes {
		_, last := utf8.DecodeLastRuneInString(name)
		name = name[:len(name)-last]
	}
	if !IsName(name) {
		return ""
	}
	return name
}
