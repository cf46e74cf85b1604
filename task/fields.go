package task

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
)

const (
	maxCommand = 16_384 // bytes of a command
	maxTimeout = 86_400 // seconds; a day
)

// The most that a write may give a task of each. Files with more are still read.
const (
	MaxChecks = 500
	MaxDeps   = 1000
)

// ValidFields returns INVALID_INPUT for a title, a priority, a due, labels, links, a body, a scope, checks or optional
// fields that a task may not have. It looks at the fields of these names alone, and at all of them without names.
func ValidFields(t Task, names ...string) error {
	for _, field := range []struct {
		name  string
		valid func() error
	}{
		{"title", func() error { return record.ValidLines("title", t.Title) }},
		{"priority", t.Priority.valid},
		{"due", t.Due.Valid},
		{"mode", t.Mode.valid},
		{"repo", func() error { return ValidRepo(t.Repo) }},
		{"labels", func() error { return record.ValidLines("label", t.Labels...) }},
		{"body", func() error { return record.ValidBody(t.Body) }},
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
		return record.Errorf(record.InvalidInput, "priority %d is not 0 to 4", p)
	}
	return nil
}

// ValidCounts returns INVALID_INPUT if a write gives a task more checks, labels, deps or globs than it may have. A file
// that has more already may keep them, and be given fewer.
func ValidCounts(before, after Task) error {
	return cmp.Or(
		record.ValidCount("checks", len(before.Checks), len(after.Checks), MaxChecks, "let one command run many of them, or divide the task"),
		record.ValidLabelCount(before.Labels, after.Labels),
		record.ValidCount("deps", len(before.Deps), len(after.Deps), MaxDeps, "let a task in between wait for some of them"),
		record.ValidCount("globs in scope", len(before.Scope), len(after.Scope), MaxScope, "name the folder that they lie in"),
	)
}

// ValidChecks returns INVALID_INPUT for a list that may not be declared.
func ValidChecks(checks []Check) error {
	seen := map[string]bool{}
	for i, c := range checks {
		var e *record.Error
		if err := validCheck(c); errors.As(err, &e) {
			return record.Errorf(record.InvalidInput, "checks[%d]: %s", i, e.Msg).WithHint("%s", e.Hint)
		}
		if seen[c.Desc] {
			return record.Errorf(record.InvalidInput, "checks[%d]: another check is called %q", i, c.Desc).WithHint("give each check a desc of its own")
		}
		seen[c.Desc] = true
	}
	return nil
}

func validCheck(c Check) error {
	if err := record.ValidLine("desc", c.Desc); err != nil {
		return err
	}
	if c.Cmd != "" && record.Blank(c.Cmd) {
		return record.Errorf(record.InvalidInput, "cmd is blank").WithHint("leave it out for a manual check")
	}
	if len(c.Cmd) > maxCommand || strings.ContainsRune(c.Cmd, 0) || !utf8.ValidString(c.Cmd) {
		return record.Errorf(record.InvalidInput, "cmd is not text of at most %d bytes", maxCommand)
	}
	if c.Timeout < 0 || c.Timeout > maxTimeout {
		return record.Errorf(record.InvalidInput, "timeout %d is not between 1 and %d seconds", c.Timeout, maxTimeout)
	}
	if c.Cwd != "" && (path.IsAbs(c.Cwd) || strings.Contains(c.Cwd, `\`) || !pathStays(c.Cwd)) {
		return record.Errorf(record.InvalidInput, "cwd %q leaves the workspace", record.Clip(c.Cwd, 100)).
			WithHint("cwd is relative to the folder that holds .cairn, with forward slashes")
	}
	return validBy(c)
}

func validBy(c Check) error {
	if c.By == "" || c.By == ByHuman || c.By == ByAnyone || c.By == BySigned {
		return nil
	}
	if _, err := record.ParseActor(strings.TrimPrefix(c.By, BySigned+" ")); err != nil {
		return record.Errorf(record.InvalidInput, "by %q is not signed, human, anyone, an actor, or signed and an actor", record.Clip(c.By, 100))
	}
	return nil
}

func pathStays(p string) bool {
	clean := path.Clean(p)
	return clean != ".." && !strings.HasPrefix(clean, "../")
}
