package harmless

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
)

// JSON makes JSON safe to show, as Text does with text, without changing its value: hidden characters and commands to a
// CI are written as JSON escapes.
func JSON(s string) string {
	s = splitBrackets(s, `#\u0023$1`)
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f }) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	each(s, func(r rune, as string, hidden bool) {
		if !hidden {
			b.WriteString(as)
			return
		}
		for _, unit := range utf16.Encode([]rune{r}) {
			fmt.Fprintf(&b, `\u%04x`, unit)
		}
	})
	return b.String()
}

// HiddenKey is the field that Marshal adds.
const HiddenKey = "hidden_characters"

// fieldsNamed is how many strings Marshal names.
const fieldsNamed = 20

// Marshal returns a value as JSON on one line, made safe to show as JSON does. If strings in an object have hidden
// characters, it gets one more field, hidden_characters, which names the first 20 of those strings: a program that
// decodes the JSON has the strings unescaped, and could not see it otherwise.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(b.Bytes())
	if fields := hiddenIn(text); len(fields) > 0 && text[0] == '{' {
		list, err := json.Marshal(fields)
		if err != nil {
			return nil, err
		}
		text = fmt.Appendf(text[:len(text)-1], `,%q:%s}`, HiddenKey, list)
	}
	return []byte(JSON(string(text))), nil
}

// hiddenIn names the first strings of a JSON value that have hidden characters, as in checks[2].desc.
func hiddenIn(text []byte) []string {
	if !mayHide(text) {
		return nil
	}
	w := walker{dec: json.NewDecoder(bytes.NewReader(text))}
	w.dec.UseNumber()
	w.value("")
	return w.found
}

// mayHide reports whether JSON may have hidden characters. It is fast, and false for most texts.
func mayHide(text []byte) bool {
	for i, c := range text {
		switch {
		case c >= 0x7f:
			return true
		case c == '\\' && i+1 < len(text) && strings.IndexByte("urbf", text[i+1]) >= 0:
			return true
		}
	}
	return false
}

// walker goes through JSON in the order in which it is written.
type walker struct {
	dec   *json.Decoder
	found []string
}

func (w *walker) value(path string) {
	token, err := w.dec.Token()
	if err != nil {
		return // cannot happen: this JSON was just encoded
	}
	switch token := token.(type) {
	case string:
		w.text(path, token)
	case json.Delim:
		for i := 0; w.dec.More(); i++ {
			below := fmt.Sprintf("%s[%d]", path, i)
			if token == '{' {
				key, _ := w.dec.Token()
				name, _ := key.(string)
				below = strings.TrimPrefix(path+"."+Line(name), ".")
				w.text(below, name)
			}
			w.value(below)
		}
		_, _ = w.dec.Token() // the bracket that closes it
	}
}

func (w *walker) text(path, text string) {
	if len(w.found) < fieldsNamed && Hidden(text) && (len(w.found) == 0 || w.found[len(w.found)-1] != path) {
		w.found = append(w.found, path)
	}
}
