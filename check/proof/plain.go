package proof

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// plainKind is what is asked of a kind whose records may change in every key, by verbs and in an editor: that each value is one that verbs
// write, that entries are such as verbs write, and that an entry says how the status came to be what it is. The Value of a record has a
// method that returns why it is not valid, in a message that begins with the key.
func plainKind(name string, initial task.Status) Kind {
	return Kind{
		Name:  name,
		Entry: badPlainEntry,
		Judge: func(c *Case) {
			if v, ok := c.Now.Value.(interface{ Valid() error }); ok {
				if err := v.Valid(); err != nil {
					msg := task.MessageOf(err)
					key, _, _ := strings.Cut(msg, " ")
					c.Report(BadField, Path{key}, "%s", msg)
				}
			}
			unexplainedStatus(c, initial)
		},
	}
}

// namedKind is a plain kind whose ids are given by those who make the records, such as an actor. Two branches can make the same one, and when
// they are merged the record has an entry about each.
func namedKind(name string, initial task.Status) Kind {
	kind := plainKind(name, initial)
	kind.Entry = func(c *Case, i int) string {
		if e := c.Now.Head.Log[i]; e.Did == task.Created && e.From+e.To == "" {
			return badForm(e, task.Created)
		}
		return badPlainEntry(c, i)
	}
	return kind
}

// badPlainEntry returns why no verb writes the i-th entry of such a record, or "".
func badPlainEntry(c *Case, i int) string {
	e := c.Now.Head.Log[i]
	form := e
	if e.Did == task.Updated {
		form.Fields = nil
	}
	if reason := badForm(form, task.Created, task.Updated, task.Transitioned, task.Noted); reason != "" {
		return reason
	}
	moves := e.From != "" && e.To != ""
	switch {
	case e.Did == task.Created && (i > 0 || c.Base != nil):
		return "creates a " + c.Now.Kind + " that exists"
	case e.Did == task.Transitioned && !moves:
		return "does not say from which state to which"
	case (e.Did == task.Created || e.Did == task.Noted || !moves) && e.From+e.To != "":
		return "changes what an entry of its kind does not change"
	case moves && !c.hasStates(e.From, e.To):
		return "names what is no state of a " + c.Now.Kind
	}
	return ""
}

// hasStates reports whether the kind of the record has states.
func (c *Case) hasStates(states ...task.Status) bool {
	known := c.judge.kind(c.Now.Kind).States
	return !slices.ContainsFunc(states, func(s task.Status) bool { return !slices.Contains(known, s) })
}

// unexplainedStatus reports a status that the change gave a record without an entry that says so. That is a warning: nothing but the record
// itself depends on it.
func unexplainedStatus(c *Case, initial task.Status) {
	if c.judge.change == nil {
		return
	}
	was, now := initial, c.Now.Head.Status
	if c.Base != nil {
		was = c.Base.Head.Status
	}
	for i, e := range c.Now.Head.Log {
		if e.To == now && (c.Fresh(i) || c.Base == nil) {
			return
		}
	}
	if was == now {
		return
	}
	got := c.Report(StatusUnexplained, Path{"status"}, "went from %s to %s, and no entry says so", was, now)
	got.Severity, got.Fix = Warning, "write "+string(was)+" back into the file, and move it with cairn update "+c.Now.Name+" --to "+string(now)
}
