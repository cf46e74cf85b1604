package cmd

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/feedback"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
)

func renderSkills(r *renderer, l verb.Items[skills.Skill]) {
	r.list(l)
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
	r.list(l)
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
	tabulate(r, i.Topics)
	r.printf("cairn guide TOPIC shows one\n")
}

func renderGuidePage(r *renderer, p guide.Page) {
	r.printf("%s\n", lines(wrapMarkdown(strings.TrimRight(p.Text, "\n"), r.width())))
}
