package store

import (
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// newTaskFile writes a task that has no file yet.
func newTaskFile(t task.Task) ([]byte, error) {
	m := frontmatter.Map{
		{Key: "id", Value: frontmatter.String(t.ID)},
		{Key: "title", Value: frontmatter.String(t.Title)},
		{Key: "status", Value: frontmatter.String(t.Status)},
	}
	if t.Priority != task.DefaultPriority {
		m = append(m, frontmatter.Field{Key: "priority", Value: frontmatter.Int(t.Priority)})
	}
	if len(t.Labels) > 0 {
		m = append(m, frontmatter.Field{Key: "labels", Value: list(t.Labels)})
	}
	if t.Parent != "" {
		m = append(m, frontmatter.Field{Key: "parent", Value: frontmatter.String(t.Parent)})
	}
	if len(t.Deps) > 0 {
		m = append(m, frontmatter.Field{Key: "deps", Value: list(t.Deps)})
	}
	if len(t.Checks) > 0 {
		m = append(m, frontmatter.Field{Key: "checks", Value: seqOf(t.Checks, checkValue)})
	}
	m = append(m, frontmatter.Field{Key: "provenance", Value: seqOf(t.Provenance, entryValue)})
	doc, err := frontmatter.New(frontmatter.Markdown, m, spaced(t.Body))
	if err != nil {
		return nil, err
	}
	return doc.Bytes(), nil
}

// spaced sets a body off from the front matter by one empty line, and ends it with a line break.
func spaced(body string) string {
	if body == "" {
		return ""
	}
	if body[0] != '\n' {
		body = "\n" + body
	}
	if body[len(body)-1] != '\n' {
		body += "\n"
	}
	return body
}

// mapping builds a Map, leaving out what says nothing.
type mapping frontmatter.Map

func (m *mapping) text(key, text string) {
	if text != "" {
		*m = append(*m, frontmatter.Field{Key: key, Value: frontmatter.String(text)})
	}
}

func addList[T ~string](m *mapping, key string, texts []T) {
	if len(texts) > 0 {
		*m = append(*m, frontmatter.Field{Key: key, Value: list(texts)})
	}
}

func (m *mapping) time(key string, t time.Time) {
	if !t.IsZero() {
		*m = append(*m, frontmatter.Field{Key: key, Value: frontmatter.Plain(t.UTC().Format(time.RFC3339))})
	}
}

func checkValue(c task.Check) frontmatter.Value {
	var m mapping
	m.text("desc", c.Desc)
	m.text("cmd", c.Cmd)
	m.text("cwd", c.Cwd)
	if c.Manual() {
		m.text("type", "manual")
	}
	m.text("by", c.By)
	if c.Timeout > 0 {
		m = append(m, frontmatter.Field{Key: "timeout", Value: frontmatter.Int(c.Timeout)})
	}
	m.text("result", string(c.Result))
	return frontmatter.Map(m)
}

// entryValue writes an entry on one line.
func entryValue(e task.Entry) frontmatter.Value {
	var m mapping
	m.text("who", string(e.Who))
	m.time("at", e.At)
	m.text("did", string(e.Did))
	m.text("from", string(e.From))
	m.text("to", string(e.To))
	if e.Assignee != nil {
		m = append(m, frontmatter.Field{Key: "assignee", Value: frontmatter.String(*e.Assignee)})
	}
	if len(e.Results) > 0 {
		m = append(m, frontmatter.Field{Key: "results", Value: seqOf(e.Results, resultValue)})
	}
	m.text("commit", e.Commit)
	m.text("tree", e.Tree)
	addList(&m, "fields", e.Fields)
	addList(&m, "add_deps", e.AddDeps)
	addList(&m, "remove_deps", e.RemoveDeps)
	m.text("deps", e.Deps)
	if e.Checks != nil {
		m = append(m, frontmatter.Field{Key: "checks", Value: list(e.Checks)})
	}
	m.text("session", e.Session)
	m.text("key", e.Key)
	m.text("text", e.Text)
	m.text("sig", e.Sig)
	return frontmatter.Flow{Value: frontmatter.Map(m)}
}

func resultValue(r task.CheckResult) frontmatter.Value {
	return frontmatter.Map{
		{Key: "check", Value: frontmatter.String(r.Check)},
		{Key: "result", Value: frontmatter.String(r.Result)},
	}
}

func list[T ~string](texts []T) frontmatter.Value {
	return frontmatter.Flow{Value: seqOf(texts, func(s T) frontmatter.Value { return frontmatter.String(s) })}
}

func seqOf[T any](in []T, value func(T) frontmatter.Value) frontmatter.Seq {
	out := make(frontmatter.Seq, len(in))
	for i, v := range in {
		out[i] = value(v)
	}
	return out
}
