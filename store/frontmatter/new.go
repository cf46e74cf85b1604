package frontmatter

// New makes a document. Its lines end in LF; body is kept as it is, so it usually begins with an empty line. A YAML file
// has no body.
func New(kind Kind, front Map, body string) (*Doc, error) {
	d, err := build(kind, front, body)
	if err != nil {
		return nil, err
	}
	return d, nil
}

func build(kind Kind, front Map, body string) (*Doc, *Error) {
	text := ""
	if len(front) > 0 {
		text = joinLines(blockLines(front), 0, "\n")
	}
	switch {
	case kind == Markdown:
		text = "---\n" + text + "---\n" + body
	case body != "":
		return nil, &Error{Msg: "a YAML file has no body"}
	case text == "":
		text = "{}\n"
	}
	d, err := parse([]byte(text), kind)
	if err != nil {
		return nil, err
	}
	if !same(front.node(), d.root) || string(d.Body()) != body {
		return nil, &Error{Msg: "the new document " + errMeaning.Error()}
	}
	return d, nil
}
