package complete

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/where"
	"github.com/cairn-tasks/cairn/task"
)

// filters are what can stand at the end of a filter: a key with an operator, a value of the key before it, or a word
// between two tests.
func (c *completer) filters() []Candidate {
	s := c.openStore()
	if s == nil {
		return nil
	}
	head, last := lastTest(c.word)
	table := tasks.Keys(&verb.Workspace{Now: c.Now}, s, nil)
	if at := strings.IndexAny(last, "=<>!~"); at >= 0 {
		begun := strings.LastIndexAny(last, "=<>!~,") + 1
		key := last[:at]
		head, c.word = head+last[:begun], last[begun:]
		values := c.ofKey(s.Config.Flow, key)
		for i := range values {
			values[i].Value = asWord(values[i].Value)
		}
		return prefixed(head, values)
	}
	c.word = last
	if needsJoint(head) {
		return prefixed(head, []Candidate{{"and", "both"}, {"or", "one of both"}})
	}
	var out []Candidate
	for _, k := range table.Keys {
		out = append(out, Candidate{k.Name + operatorOf(k.Type), k.About})
	}
	return prefixed(head, append(out, Candidate{"not", "what does not fit the next test"}))
}

// operatorOf is the operator that is meant most with keys of a type; "" for one that needs none.
func operatorOf(t where.Type) string {
	switch t { // of all others it is whether they are equal
	case where.Flag:
		return ""
	case where.Text:
		return "~"
	case where.Time, where.Span:
		return "<"
	default:
		return "="
	}
}

// lastTest splits a filter before the test that is being typed.
func lastTest(filter string) (head, last string) {
	at, quote, escaped := 0, rune(0), false
	for i, r := range filter {
		switch {
		case escaped:
			escaped = false
		case quote != 0:
			escaped = r == '\\'
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == ' ' || r == '(':
			at = i + 1
		}
	}
	return filter[:at], filter[at:]
}

// asWord is a value as a filter has it: in quotes if it is more than a word.
func asWord(value string) string {
	if value != "" && !strings.ContainsAny(value, " (),\"'=<>!~\\") {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value) + `"`
}

// needsJoint reports whether a test stands at the end of the beginning of a filter, so that only and or or can follow.
func needsJoint(head string) bool {
	said := strings.Fields(strings.ReplaceAll(head, "(", " ( "))
	if len(said) == 0 {
		return false
	}
	switch strings.ToLower(said[len(said)-1]) {
	case "and", "or", "not", "(":
		return false
	}
	return true
}

// ofKey is what a key of a filter can be.
func (c *completer) ofKey(flow task.Flow, key string) []Candidate {
	from := map[string]verb.Source{
		"status": "open-states", "label": "labels", "assignee": "actors", "holder": "actors", "repo": "repos",
		"id": "tasks", "parent": "tasks", "dep": "tasks", "waits_for": "tasks",
	}[key]
	if from != "" {
		return c.field(verb.Field{From: from})
	}
	if f, ok := flow.Fields.Find(key); ok {
		return c.ofOwnField(f)
	}
	fixed := map[string]string{"priority": "0 1 2 3 4", "mode": "auto pair", "execution": "active stalled awaiting_review"}
	return words(strings.Fields(fixed[key])...)
}
