package frontmatter

import "strings"

// SetBody puts text in place of the body, everything after the line that closes the front matter. Its lines take on the
// file's ending. A YAML file has no body.
func SetBody(text string) Edit { return bodyEdit{text} }

type bodyEdit struct{ text string }

func (e bodyEdit) path() Path { return nil }

func (e bodyEdit) plan(d *Doc, _ []string) (*plan, *Error) {
	if d.kind != Markdown {
		return nil, &Error{Msg: "a YAML file has no body"}
	}
	if toLF(e.text) == toLF(string(d.Body())) {
		return nil, nil
	}
	eol := firstEnding(d.src)
	text := strings.ReplaceAll(toLF(e.text), "\n", eol)
	if lastBreak(d.src[:d.body]) == 0 {
		text = eol + text // the file ended with the closing line
	}
	return &plan{splice: splice{d.body, len(d.src), text}}, nil
}

var lf = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func toLF(s string) string { return lf.Replace(s) }
