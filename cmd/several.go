package cmd

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/kind"
)

// severalDone is the JSON of a command that was given several ids: what became of each. A task is a row under tasks, as
// lists have it; what is none, such as a handoff or what was deleted, is under records as the verb returns it. Errors
// are those of the ones that were refused.
type severalDone struct {
	verb.Several
	Records []any                   `json:"records,omitempty"`
	Errors  []catalogue.FailureBody `json:"errors,omitempty"`
}

// callEach does the verb for each id of the line in turn, tells of each what became of it, and exits with the number of
// the first failure. The ids are looked up before anything is done: where a word of the line names no record, nothing
// is done.
func (p verbCommand) callEach(ctx context.Context, w *verb.Workspace, in *input) error {
	each, err := p.looked(ctx, w, in)
	if err != nil {
		return err
	}
	done := severalDone{Several: verb.Several{Tasks: []verb.Row{}}}
	first := 0
	for _, one := range each {
		out, err := p.callOnce(ctx, w, one)
		exit := p.tell(ctx, &done, out, err)
		first = cmp.Or(first, exit)
		if ctx.Err() != nil {
			break
		}
	}
	p.exit = first
	if p.collects() {
		return p.result(ctx, p.verb, w, done)
	}
	return nil
}

// collects reports whether what becomes of several is printed as one result: as JSON, or as what a program of jq makes
// of that.
func (p verbCommand) collects() bool { return p.json || p.form != nil && p.form.Whole() }

// looked makes an input for each of the ids of the line, once all of them were found.
func (p verbCommand) looked(ctx context.Context, w *verb.Workspace, in *input) ([]*input, error) {
	s, err := w.Open()
	if err != nil {
		return nil, err
	}
	each := make([]*input, len(in.each))
	for i, id := range in.each {
		one := newInput(p.program, in.line, in.verb)
		maps.Copy(one.values, in.values)
		one.values[in.several] = id
		if key, ok := one.values["idempotency_key"].(string); ok && key != "" {
			one.values["idempotency_key"] = key + " " + id
		}
		err := one.completeIDs(ctx, w)
		if whole, _ := one.values[in.several].(string); err == nil && p.verb.Name != "restore" { // that is about what is not there
			_, _, err = kind.Find(s, whole)
		}
		if err != nil {
			return nil, withQuoteHint(err)
		}
		each[i] = one
	}
	return each, nil
}

// tell prints what became of one of several, or keeps it for the JSON of all, and returns the exit number.
func (p verbCommand) tell(ctx context.Context, done *severalDone, out any, err error) int {
	switch {
	case err != nil && !p.json:
		return p.report(ctx, err)
	case err != nil:
		e := asError(err)
		done.Errors = append(done.Errors, catalogue.FailureOf(e, verb.Rights{Profile: verb.Maintainer}, catalogue.CommandLine).Error)
		return p.exitOf(e)
	case !p.collects():
		if err := p.result(ctx, p.verb, nil, out); err != nil {
			return p.report(ctx, err)
		}
	}
	if t, ok := out.(verb.Task); ok {
		done.Tasks = append(done.Tasks, t.Row)
	} else {
		done.Records = append(done.Records, out)
	}
	if p.verb.Exit != nil {
		return p.soften(p.verb.Exit(out))
	}
	return 0
}

// asError is any error as one with a code.
func asError(err error) *record.Error {
	var e *record.Error
	if !errors.As(err, &e) {
		e = record.Errorf(record.IO, "%w", err)
	}
	return e
}

// withQuoteHint adds to an error about a word that names nothing that nothing was done, and that a text is quoted.
func withQuoteHint(err error) error {
	var e *record.Error
	if !errors.As(err, &e) || e.Code != record.NotFound {
		return err
	}
	said := *e
	return said.WithHint("nothing was done; a text that has spaces is quoted, and cairn list shows the ids")
}
