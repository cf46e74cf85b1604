package verb

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// WithID names the task in an error that names none yet.
func WithID(err error, id record.ID) error {
	var e *record.Error
	if id == "" || !errors.As(err, &e) || e.ID != "" || e.Code == record.NotFound {
		return err
	}
	named := *e
	named.ID = string(id)
	return &named
}

// WithSession is WithID for an error about a session.
func WithSession(err error, id string) error { return WithID(err, record.ID(id)) }

// BadInput returns INVALID_INPUT about the field at a path, such as checks[0].cmd, or about the whole input for "".
func BadInput(path, format string, args ...any) *record.Error {
	msg := fmt.Sprintf(format, args...)
	if path != "" {
		msg = path + " " + msg
	}
	return record.Errorf(record.InvalidInput, "%s", msg)
}

// OneOf returns INVALID_INPUT, naming the field, for a filter that is not one of the values there are. "" is a filter
// that was left out.
func OneOf[T ~string](field string, value T, values []T) error {
	if value == "" {
		return nil
	}
	return record.OneOf(field, value, values)
}

// AnyHas reports whether one of some texts has a part, in any case.
func AnyHas(part string, texts ...string) bool {
	return strings.Contains(strings.ToLower(strings.Join(texts, "\n")), strings.ToLower(strings.TrimSpace(part)))
}

// guessed is what cairn calls that which callers call by another name. Of several the first that the verb has is meant.
func guessed(key string) []string {
	return map[string][]string{
		"description":  {"body"},
		"content":      {"body"},
		"name":         {"title"},
		"dependencies": {"deps", "add_deps"},
		"depends_on":   {"deps", "add_deps"},
		"command":      {"cmd"},
		"query":        {"text", "q"},
		"paths":        {"scope", "path"},
		"subject":      {"title"},
		"text":         {"body", "summary", "reason", "query"},
		"search":       {"text", "q"},
		"task":         {"id"},
		"task_id":      {"id"},
		"id":           {"session"},
		"owner":        {"assignee"},
		"state":        {"status", "to"},
		"status":       {"to"},
		"tags":         {"labels", "label"},
		"tag":          {"labels", "label"},
		"kind":         {"type"},
		"type":         {"kind"},
		"decision":     {"choice"},
		"comment":      {"text"},
		"message":      {"text"},
		"recipients":   {"to"},
		"recipient":    {"to"},
		"due_at":       {"due"},
		"deadline":     {"due"},
		"project":      {"parent"},
		"project_id":   {"parent"},
		"run_id":       {"session"},
		"run":          {"session"},
		"actor_id":     {"actor"},
		"slug":         {"id"},
	}[key]
}

// meant returns the name that a caller who wrote another one was probably looking for, or "".
func meant(key string, names []string) string {
	for _, ours := range guessed(strings.ToLower(key)) {
		if slices.Contains(names, ours) {
			return ours
		}
	}
	return Nearest(key, names)
}

// Nearest returns the name that was probably meant: one that begins like the word or differs from it by a typing
// mistake or two; "" if none does.
func Nearest(word string, names []string) string {
	word = fold(word)
	best, bestDistance := "", (len(word)+1)/3
	for _, name := range names {
		n := fold(name)
		d := distance(word, n)
		if min(len(word), len(n)) > 2 && (strings.HasPrefix(n, word) || strings.HasPrefix(word, n)) {
			d = min(d, 1)
		}
		if d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = name, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
}

// distance counts the insertions, deletions, replacements and swaps of neighbours that turn a into b.
func distance(a, b string) int {
	above, before := make([]int, len(b)+1), make([]int, len(b)+1) // the rows of the letter before, and of that before it
	for j := range above {
		above[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above[j+1]+1, row[j]+1, above[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above = above, row
	}
	return above[len(b)]
}
