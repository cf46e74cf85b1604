package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/proposals"
	"github.com/cairn-tasks/cairn/internal/verb/status"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
)

// needs is what waits for the person who looks.
type needs struct {
	Waiting   []need          // the oldest first
	News      []handoffs.Item // mentions, answers and what was assigned
	Proposals []proposal
	Stalled   []status.Task
	Overdue   []status.Task
	Total     int
}

// proposal is a plan that nobody made real, with the titles of its tasks.
type proposal struct {
	proposals.Row
	Titles []string
}

// proposals are the plans that wait for somebody to make them real.
func (rd *reader) proposals(ctx context.Context) (out []proposal, err error) {
	all, err := ask[proposals.ListOut](ctx, rd, "list_proposals", args{"state": proposals.Open, "limit": needsShown})
	for _, row := range all.Proposals {
		one := proposal{Row: row}
		whole, err := ask[proposals.Whole](ctx, rd, "get_proposal", args{"proposal": row.Proposal})
		if err != nil {
			return nil, err
		}
		for _, src := range whole.Tasks {
			item := struct{ Title string }{}
			_ = json.Unmarshal(src, &item) // to make it real says what is wrong
			one.Titles = append(one.Titles, item.Title)
		}
		out = append(out, one)
	}
	return out, err
}

// need is one thing that waits, with its whole context.
type need struct {
	handoffs.Waiting
	Task *tasks.Context // that it is about; nil for none
	Ask  *recordPage    // the question; nil for none
}

// Href is the page of what waits.
func (n need) Href() string {
	if n.Task != nil {
		return "/task/" + n.Record
	}
	return "/record/" + n.Record
}

// IsApproved reports whether it is work that was approved, and is to be brought home.
func (n need) IsApproved() bool { return n.What == handoffs.Approved }

// IsReview reports whether it is work that was handed over.
func (n need) IsReview() bool { return n.IsApproved() || n.What == string(handoffs.IsReview) }

// Merges reports whether the work may lie on a branch of its own.
func (n need) Merges() bool { return n.Task != nil && (n.Task.Elsewhere != nil || n.Task.Repo != "") }

// Fresh reports whether its job is tried again at the base alone.
func (n need) Fresh() bool { return strings.HasSuffix(n.Next, "--fresh") }

// Manual are the checks of the task that somebody has to attest, by their indices.
func (n need) Manual() map[int]verb.Check {
	out := map[int]verb.Check{}
	if n.Task != nil {
		for i, c := range n.Task.Checks {
			if c.Type == "manual" && c.Result != record.Pass {
				out[i] = c
			}
		}
	}
	return out
}

const needsShown = 50

func (rd *reader) needs(r *http.Request) (any, error) {
	ctx, out := r.Context(), &needs{}
	waiting, err := ask[verb.Items[handoffs.Waiting]](ctx, rd, "review_list", args{})
	if err != nil {
		return nil, err
	}
	out.Total = waiting.Total
	slices.SortStableFunc(waiting.Items, func(a, b handoffs.Waiting) int { return a.At.Compare(b.At) })
	for _, one := range waiting.Items[:min(len(waiting.Items), needsShown)] {
		n := need{Waiting: one}
		got, err := ask[any](ctx, rd, "get", args{"id": one.Record, "include": []string{"comments"}})
		if err != nil {
			out.Waiting = append(out.Waiting, n) // it is on another branch, say
			continue
		}
		switch got := got.(type) {
		case tasks.Context:
			n.Task = &got
		case verb.Record:
			page := recordOf(got)
			n.Ask = &page
		}
		out.Waiting = append(out.Waiting, n)
	}
	news, err := ask[verb.Items[handoffs.Item]](ctx, rd, "inbox", args{"types": []string{"mention", "answer", "assigned", "lost"}, "limit": needsShown})
	if err != nil {
		return nil, err
	}
	out.News = news.Items
	if out.Proposals, err = rd.proposals(ctx); err != nil {
		return nil, err
	}
	st, err := ask[status.Out](ctx, rd, "status", args{"limit": 20})
	if err != nil {
		return nil, err
	}
	out.Stalled, out.Overdue = st.Stalled, st.Overdue
	return out, nil
}

func recordOf(r verb.Record) recordPage {
	out := recordPage{Record: r, Said: map[string][]string{}}
	out.Provenance = slices.Clone(r.Provenance)
	slices.Reverse(out.Provenance) // the newest first, as of a task
	for key, value := range r.Fields {
		switch list := value.(type) {
		case []string:
			out.Said[key] = list
		case []any:
			out.Said[key] = record.Each(list, textOf)
		default:
			if text := textOf(value); text != "" {
				out.Said[key] = []string{text}
			}
		}
	}
	if r.Kind == "handoff" {
		out.Options = out.Said["options"]
		delete(out.Said, "options")
		delete(out.Said, "fingerprint") // for programs
		out.Question = r.Status == "open" || r.Status == "claimed"
		if n := slices.IndexFunc(out.Provenance, func(e verb.Entry) bool { return e.Did == record.Responded }); n >= 0 {
			e := out.Provenance[n]
			out.Response = &handoffs.Response{By: e.Who, At: e.At, Text: e.Text}
			if e.Detail != nil {
				out.Response.Option = e.Option
			}
		}
	}
	return out
}

// textOf is a value of a file's key in words.
func textOf(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case []any:
		return strings.Join(record.Each(v, func(one any) string { return textOf(one) }), ", ")
	default:
		return strings.Trim(fmt.Sprint(v), "[]")
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// hunkStart is the first line, in the new file, of a hunk of a diff; 1 for one that does not say.
func hunkStart(head string) int {
	_, rest, _ := strings.Cut(head, "+")
	digits := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789"))]
	n, err := strconv.Atoi(digits)
	if err != nil {
		return 1
	}
	return max(n, 1)
}
