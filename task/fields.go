package task

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxLine    = 500    // bytes of a title, a label, a description
	maxCommand = 16_384 // bytes of a command
	maxTimeout = 86_400 // seconds; a day
)

// The most that a write may give a task of each. Files with more are still read.
const (
	MaxChecks = 500
	MaxLabels = 1000
	MaxDeps   = 1000
)

const maxBody = 3 << 20 // bytes; a file may have 4 MiB

// ValidFields returns INVALID_INPUT for a title, a priority, a due, labels, links, a body, a scope, checks or optional fields that a task may not have. It looks at the
// fields of these names alone, and at all of them without names.
func ValidFields(t Task, names ...string) error {
	for _, field := range []struct {
		name  string
		valid func() error
	}{
		{"title", func() error { return validLines("title", t.Title) }},
		{"priority", t.Priority.valid},
		{"due", t.Due.Valid},
		{"mode", t.Mode.valid},
		{"repo", func() error { return ValidRepo(t.Repo) }},
		{"labels", func() error { return validLines("label", t.Labels...) }},
		{"body", func() error { return validBody(t.Body) }},
		{"links", func() error { return ValidLinks(t.ID, t.Links) }},
		{"scope", func() error { return ValidScope(t.Scope) }},
		{"checks", func() error { return ValidChecks(t.Checks) }},
	} {
		if len(names) > 0 && !slices.Contains(names, field.name) {
			continue
		}
		if err := field.valid(); err != nil {
			return err
		}
	}
	for _, field := range OptionalFields() {
		if len(names) > 0 && !slices.Contains(names, field.Name) {
			continue
		}
		if _, err := field.Parse(t.Own[field.Name]); err != nil {
			return err
		}
	}
	return nil
}

func (p Priority) valid() error {
	if p < 0 || p > 4 {
		return Errorf(InvalidInput, "priority %d is not 0 to 4", p)
	}
	return nil
}

func validLines(field string, lines ...string) error {
	for _, line := range lines {
		if err := validLine(field, line); err != nil {
			return err
		}
	}
	return nil
}

// ValidCounts returns INVALID_INPUT if a write gives a task more checks, labels, deps or globs than it may have. A file that has more already
// may keep them, and be given fewer.
func ValidCounts(before, after Task) error {
	for _, kind := range []struct {
		name          string
		was, is, most int
		instead       string
	}{
		{"checks", len(before.Checks), len(after.Checks), MaxChecks, "let one command run many of them, or divide the task"},
		{"labels", len(before.Labels), len(after.Labels), MaxLabels, "put long lists into the body"},
		{"deps", len(before.Deps), len(after.Deps), MaxDeps, "let a task in between wait for some of them"},
		{"globs in scope", len(before.Scope), len(after.Scope), MaxScope, "name the folder that they lie in"},
	} {
		if kind.is > kind.most && kind.is > kind.was {
			return Errorf(InvalidInput, "%d %s are more than %d", kind.is, kind.name, kind.most).WithHint("%s", kind.instead)
		}
	}
	return nil
}

// ValidChecks returns INVALID_INPUT for a list that may not be declared.
func ValidChecks(checks []Check) error {
	seen := map[string]bool{}
	for i, c := range checks {
		if err := validCheck(c); err != nil {
			return Errorf(InvalidInput, "checks[%d]: %s", i, err.Msg).WithHint("%s", err.Hint)
		}
		if seen[c.Desc] {
			return Errorf(InvalidInput, "checks[%d]: another check is called %q", i, c.Desc).WithHint("give each check a desc of its own")
		}
		seen[c.Desc] = true
	}
	return nil
}

func validCheck(c Check) *Error {
	if err := validLine("desc", c.Desc); err != nil {
		return err
	}
	if c.Cmd != "" && blank(c.Cmd) {
		return Errorf(InvalidInput, "cmd is blank").WithHint("leave it out for a manual check")
	}
	if len(c.Cmd) > maxCommand || strings.ContainsRune(c.Cmd, 0) || !utf8.ValidString(c.Cmd) {
		return Errorf(InvalidInput, "cmd is not text of at most %d bytes", maxCommand)
	}
	if c.Timeout < 0 || c.Timeout > maxTimeout {
		return Errorf(InvalidInput, "timeout %d is not between 1 and %d seconds", c.Timeout, maxTimeout)
	}
	if c.Cwd != "" && (path.IsAbs(c.Cwd) || strings.Contains(c.Cwd, `\`) || !pathStays(c.Cwd)) {
		return Errorf(InvalidInput, "cwd %q leaves the workspace", Clip(c.Cwd, 100)).
			WithHint("cwd is relative to the folder that holds .cairn, with forward slashes")
	}
	return validBy(c)
}

func validBy(c Check) *Error {
	if c.By == "" || c.By == ByHuman || c.By == ByAnyone || c.By == BySigned {
		return nil
	}
	if _, err := ParseActor(strings.TrimPrefix(c.By, BySigned+" ")); err != nil {
		return Errorf(InvalidInput, "by %q is not signed, human, anyone, an actor, or signed and an actor", Clip(c.By, 100))
	}
	return nil
}

func pathStays(p string) bool {
	clean := path.Clean(p)
	return clean != ".." && !strings.HasPrefix(clean, "../")
}

// ValidLine returns INVALID_INPUT, naming the field, for what is not a text of one line: empty, of several lines, or too long.
func ValidLine(field, s string) error {
	if err := validLine(field, s); err != nil {
		return err
	}
	return nil
}

// validLine accepts non-empty text on one line.
func validLine(field, s string) *Error {
	switch {
	case blank(s):
		return Errorf(InvalidInput, "%s is empty", field)
	case len(s) > maxLine:
		return Errorf(InvalidInput, "%s is longer than %d bytes", field, maxLine)
	case !utf8.ValidString(s) || strings.ContainsFunc(s, breaksLine):
		return Errorf(InvalidInput, "%s is not one line of text", field)
	}
	return nil
}

func breaksLine(r rune) bool {
	return r < ' ' && r != '\t' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029
}

var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// CleanBody returns a body as callers see it: lines end in \n, and there are no empty lines before and after.
func CleanBody(body string) string {
	if strings.Contains(body, "\r") {
		body = lineEnds.Replace(body)
	}
	return strings.Trim(body, "\n")
}

func validBody(body string) error {
	if len(body) > maxBody {
		return Errorf(InvalidInput, "body is %d bytes long, more than %d", len(body), maxBody).WithHint("put long text into a file of its own")
	}
	if !utf8.ValidString(body) || strings.ContainsRune(body, 0) {
		return Errorf(InvalidInput, "body is not text")
	}
	return nil
}

// MaxText is the longest text of an entry, in bytes.
const MaxText = 4096

// ValidText returns INVALID_INPUT, naming the field, for text that an entry cannot have: too long, not UTF-8, or blank. An empty text is
// allowed.
func ValidText(field, s string) error {
	if s != "" && blank(s) {
		return Errorf(InvalidInput, "%s is blank", field).WithHint("leave it out, or write something that can be read")
	}
	if len(s) > MaxText {
		return Errorf(InvalidInput, "%s is %d bytes long, more than %d", field, len(s), MaxText).WithHint("put long text into the body or a file of its own")
	}
	if !utf8.ValidString(s) {
		return Errorf(InvalidInput, "%s is not valid UTF-8", field)
	}
	return nil
}

// RequiredText is ValidText for a field that may not be empty. The hint says what to write.
func RequiredText(field, s, hint string) error {
	if blank(s) {
		return Errorf(InvalidInput, "%s is empty", field).WithHint("%s", hint)
	}
	return ValidText(field, s)
}

// OneOf returns INVALID_INPUT, naming the field, for a value that is not one of those there are.
func OneOf[T ~string](field string, value T, values []T) error {
	if slices.Contains(values, value) {
		return nil
	}
	words, last := texts(values), len(values)-1
	return Errorf(InvalidInput, "%s is %q", field, Clip(string(value), 100)).WithHint("%s or %s", strings.Join(words[:last], ", "), words[last])
}

// blank reports whether a text has nothing that can be seen: only white space and invisible characters.
func blank(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return unicode.IsGraphic(r) && !unicode.IsSpace(r) })
}
