package render

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/feedback"
	"github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/verb/skills"
)

func renderSkills(r *Renderer, l verb.Items[skills.Skill]) {
	r.list(l)
	for _, k := range l.Items {
		if k.Body != "" {
			r.Printf("\n%s\n%s\n", r.Style.Bold(k.ID), screen.Lines(k.Body))
		}
	}
}

func renderSkill(r *Renderer, k skills.Skill) {
	r.Printf("%s  version %d  %s  %s\n", r.Style.Bold(k.ID), k.Version, k.Status, k.Name)
	if r.Kind != verb.Read {
		return
	}
	r.namedTexts([]namedText{{"when", k.Description}, {"labels", strings.Join(k.Labels, ", ")}, {"from", string(k.Source)}})
	r.Printf("\n%s\n", screen.Lines(k.Body))
}

func renderFeedback(r *Renderer, l verb.Items[feedback.Item]) {
	r.list(l)
	for _, f := range l.Items {
		if f.Body == "" {
			continue
		}
		r.Printf("\n%s\n", screen.Lines(f.Body))
		r.namedTexts([]namedText{{"context", f.Context}})
		for _, n := range f.Notes {
			r.Printf("  %s  %s  %s\n", n.At.Format(time.RFC3339), n.Who, strings.TrimSpace(string(n.To)+" "+n.Text))
		}
	}
}

func renderCreatedFeedback(r *Renderer, f feedback.Created) {
	renderRecord(r, f.Record)
	if f.Reused {
		r.Printf("it was there already\n")
	}
}

func renderGuide(r *Renderer, i guide.Index) {
	tabulate(r, i.Topics)
	r.Printf("cairn guide TOPIC shows one\n")
}

func renderGuidePage(r *Renderer, p guide.Page) {
	r.Printf("%s\n", screen.Lines(screen.WrapMarkdown(strings.TrimRight(p.Text, "\n"), r.Width)))
}
