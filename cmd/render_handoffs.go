package cmd

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
)

// renderHandoff prints a handoff that was written: a line, and the answer if there is one.
func renderHandoff(r *renderer, h handoffs.Handoff) {
	renderRecord(r, h.Record)
	held := ""
	if h.Claim != nil {
		held = string(h.Claim.Actor)
	}
	reused := ""
	if h.Reused {
		reused = "it was there already, with this fingerprint"
	}
	r.namedTexts([]namedText{{"from", string(h.From)}, {"to", fieldText(h.Fields["to"])}, {"held by", held}, {"answer", answerText(h.Response)}, {"reused", reused}})
}

// answerText is an answer in words: who gave it, the option, and the text.
func answerText(a *handoffs.Response) string {
	if a == nil {
		return ""
	}
	said := strings.Join(nonEmpty(a.Option, a.Text), ": ")
	return string(a.By) + ": " + said
}

func nonEmpty(texts ...string) []string {
	var out []string
	for _, text := range texts {
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}

func renderHandoffs(r *renderer, l verb.Items[handoffs.Row]) {
	t := table{head: []string{"HANDOFF", "STATUS", "TYPE", "FROM", "TO", "WHAT"}, grow: 5}
	for _, h := range l.Items {
		to := strings.Join(h.To, ", ")
		if h.ClaimedBy != "" {
			to = string(h.ClaimedBy) + " (claimed)"
		}
		what := h.Title
		if answer := answerText(h.Response); answer != "" {
			what += "  — " + answer
		}
		t.add(h.ID, string(h.Status), string(h.Type), string(h.From), to, what)
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(l.Items), l.Total, l.NextCursor)
	if l.Total == 0 {
		r.printf("no handoffs; without --direction only those to you are listed\n")
	}
	r.problems(l.Problems)
}

func renderInbox(r *renderer, l verb.Items[handoffs.Item]) {
	t := table{head: []string{"ITEM", "WHAT", "FROM", "AT", "TITLE"}, grow: 4}
	for _, item := range l.Items {
		what := strings.Join(nonEmpty(string(item.What), item.Result), " ")
		if item.What == handoffs.IsHandoff {
			what = item.Type
		}
		if !item.Unread {
			what += " (done)"
		}
		title := item.Title
		if at := strings.Join(nonEmpty(item.Branch, item.Head), " "); at != "" {
			title += "  (" + at + ")"
		}
		t.add(item.ID, what, string(item.From), item.At.Format(time.RFC3339), title)
	}
	t.print(r.out, r.width(), r.style)
	r.nextPage(len(l.Items), l.Total, l.NextCursor)
	if l.Total == 0 {
		r.printf("nothing waits for you\n")
	}
	r.problems(l.Problems)
}
