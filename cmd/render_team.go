package cmd

import (
	"fmt"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/directory"
	"github.com/cairn-tasks/cairn/internal/verb/feedback"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
)

func renderActors(r *renderer, l verb.Items[directory.Actor]) {
	t := table{head: []string{"ACTOR", "NAME", "STATUS", "GROUP", "WHAT"}, grow: 4}
	for _, a := range l.Items {
		status, what := string(a.Status), strings.Join(a.Capabilities, ", ")
		if !a.Registered {
			status = "not registered"
		}
		if a.Role != "" {
			what = strings.TrimSuffix(a.Role+": "+what, ": ")
		}
		t.add(string(a.ID), a.DisplayName, status, a.Group, what)
	}
	r.page(t, len(l.Items), l.Total, l.NextCursor, "nobody", l.Problems)
}

// page prints a table that is a page of a list, and what there is to say about the rest of it.
func (r *renderer) page(t table, shown, total int, next, none string, p verb.Problems) {
	t.print(r.out, r.width(), r.style)
	r.nextPage(shown, total, next)
	if total == 0 && len(p.Problems) == 0 {
		r.printf("%s\n", none)
	}
	r.problems(p)
}

func renderSkills(r *renderer, l verb.Items[skills.Skill]) {
	t := table{head: []string{"SKILL", "VERSION", "STATUS", "FROM", "WHEN"}, grow: 4}
	for _, k := range l.Items {
		t.add(k.ID, fmt.Sprint(k.Version), string(k.Status), string(k.Source), k.Description)
	}
	r.page(t, len(l.Items), l.Total, l.NextCursor, "no skills", l.Problems)
	for _, k := range l.Items {
		if k.Body != "" {
			r.printf("\n%s\n%s\n", r.style.bold(k.ID), lines(k.Body))
		}
	}
}

func renderSkill(r *renderer, k skills.Skill) {
	r.printf("%s  version %d  %s  %s\n", r.style.bold(k.ID), k.Version, k.Status, k.Name)
	if r.kind != verb.Read {
		return
	}
	r.namedTexts([]namedText{{"when", k.Description}, {"labels", strings.Join(k.Labels, ", ")}, {"from", string(k.Source)}})
	r.printf("\n%s\n", lines(k.Body))
}

func renderFeedback(r *renderer, l verb.Items[feedback.Item]) {
	t := table{head: []string{"FEEDBACK", "STATUS", "TYPE", "SEVERITY", "ABOUT", "WHAT"}, grow: 5}
	for _, f := range l.Items {
		t.add(f.ID, string(f.Status), f.Type, f.Severity, strings.TrimSpace(f.Tool+" "+f.ErrorCode), f.Title)
	}
	r.page(t, len(l.Items), l.Total, l.NextCursor, "no feedback", l.Problems)
	for _, f := range l.Items {
		if f.Body == "" {
			continue
		}
		r.printf("\n%s\n", lines(f.Body))
		r.namedTexts([]namedText{{"context", f.Context}})
		for _, n := range f.Notes {
			r.printf("  %s  %s  %s\n", n.At.Format(time.RFC3339), n.Who, strings.TrimSpace(string(n.To)+" "+n.Text))
		}
	}
}

func renderCreatedFeedback(r *renderer, f feedback.Created) {
	renderRecord(r, f.Record)
	if f.Reused {
		r.printf("it was there already\n")
	}
}

func renderGuide(r *renderer, i guide.Index) {
	t := table{head: []string{"TOPIC", "WHAT"}, grow: 1}
	for _, h := range i.Topics {
		t.add(h.Topic, h.Title)
	}
	t.print(r.out, r.width(), r.style)
	r.printf("cairn guide TOPIC shows one\n")
}

func renderGuidePage(r *renderer, p guide.Page) {
	r.printf("%s\n", lines(wrapMarkdown(strings.TrimRight(p.Text, "\n"), r.width())))
}

func renderRepositories(r *renderer, l verb.Items[directory.Repository]) {
	t := table{head: []string{"REPOSITORY", "NAME", "STATUS", "ROLE", "WHERE"}, grow: 4}
	for _, one := range l.Items {
		where := one.Repo
		if one.Here {
			where += " (here)"
		}
		t.add(one.ID, one.Name, string(one.Status), one.Role, where)
	}
	r.page(t, len(l.Items), l.Total, l.NextCursor, "no repositories", l.Problems)
}
