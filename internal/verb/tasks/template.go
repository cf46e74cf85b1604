package tasks

import (
	"cmp"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/templates"
)

// withTemplate adds what a template says. One value stands for another: that of the caller before that of the template.
// Lists have first what the template says. A check of the caller replaces that of the same description.
func (in CreateIn) withTemplate(s *store.Store) (CreateIn, error) {
	if in.Template == "" {
		return in, nil
	}
	from, err := readTemplate(s, in.Template, in.Title)
	if err != nil {
		return in, err
	}
	in.Body = cmp.Or(in.Body, from.Body)
	in.Priority = cmp.Or(in.Priority, from.Priority)
	in.Mode = cmp.Or(in.Mode, from.Mode)
	in.Repo = cmp.Or(in.Repo, from.Repo)
	in.Due = cmp.Or(in.Due, from.Due)
	in.Optional = in.Or(from.Optional)
	in.Assignee = cmp.Or(in.Assignee, from.Assignee)
	in.Reviewer = cmp.Or(in.Reviewer, from.Reviewer)
	in.Evidence = in.Evidence || from.Evidence
	in.Labels = union(from.Labels, in.Labels)
	in.Scope = union(from.Scope, in.Scope)
	in.Acceptance = union(from.Acceptance, in.Acceptance)
	in.DiscoveredFrom = union(from.DiscoveredFrom, in.DiscoveredFrom)
	in.Duplicates = union(from.Duplicates, in.Duplicates)
	in.Related = union(from.Related, in.Related)
	theirs := slices.DeleteFunc(slices.Clone(from.Checks), func(c CheckIn) bool {
		return slices.ContainsFunc(in.Checks, func(own CheckIn) bool { return own.Desc == c.Desc })
	})
	in.Checks = slices.Concat(theirs, in.Checks)
	if len(from.Fields) > 0 {
		own := maps.Clone(from.Fields)
		maps.Copy(own, in.Fields)
		in.Fields = own
	}
	return in, nil
}

// readTemplate reads a template as strictly as the input of create. Keys of the user's own may stand among the others.
// The title is the caller's, and one of the template is an error.
func readTemplate(s *store.Store, name, title string) (TaskIn, error) {
	src, err := templates.Read(s.Layout, name)
	if err != nil {
		return TaskIn{}, err
	}
	said, err := verb.ReadObject(src)
	if err != nil {
		return TaskIn{}, inTemplate(name, err)
	}
	if _, ok := said["title"]; ok {
		return TaskIn{}, inTemplate(name, verb.BadInput("title", "stands in a template").WithHint("take it out: each task has a title of its own"))
	}
	own := map[string]any{}
	for _, field := range s.Config.Flow.Fields {
		if value, ok := said[field.Name]; ok {
			own[field.Name] = value
			delete(said, field.Name)
		}
	}
	said["title"] = title
	if _, ok := said["fields"]; !ok && len(own) > 0 {
		said["fields"] = own
	}
	src, err = json.Marshal(said)
	if err != nil {
		return TaskIn{}, err
	}
	in, err := verb.DecodeInput[TaskIn](src)
	return in, inTemplate(name, err)
}

// inTemplate says in which template a mistake is.
func inTemplate(name string, err error) error {
	var e *record.Error
	if !errors.As(err, &e) {
		return err
	}
	return record.Errorf(e.Code, "the template %s: %s", name, record.MessageOf(err)).WithHint("%s", e.Hint.String())
}

// union has the texts of both lists, each once.
func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, one := range b {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}
