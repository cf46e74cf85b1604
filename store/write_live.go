package store

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/task"
)

// liveSteps is the steps of the live state: the call's key, states, journals, heartbeats and what was acknowledged.
// With files the key stands first, and its After holds it back until the file came. Without files it stands last, since
// it says that the call was made.
func (w *writing) liveSteps() []redoLive {
	var keys, out []redoLive
	if k := w.tx.key; k != nil {
		step := w.put(w.s.Live.Key(k.Call), k, "")
		if len(w.files) > 0 {
			step.After = w.s.Rel(w.decisive().path)
		}
		keys = append(keys, step)
	}
	for _, of := range w.tx.order {
		if st := w.tx.records[of]; st.changed() {
			out = append(out, w.recordSteps(st)...)
		}
	}
	for _, st := range w.tx.records {
		if st.claims && !st.changed() {
			put, _ := w.putState(st, "")
			out = append(out, put)
		}
	}
	for _, ses := range w.tx.silent {
		out = append(out, w.put(w.s.Live.Heartbeat(ses), nil, ""))
	}
	for _, b := range w.tx.beats {
		out = append(out, w.put(w.s.Live.Heartbeat(b.Session), b, ""))
	}
	if in := w.tx.inbox; in != nil {
		out = append(out, w.put(w.s.Live.Inbox(in.Actor), *in, ""))
	}
	if lines := w.s.sawLines(w.tx.saw); lines != "" {
		step := redoLive{Path: w.s.Live.Rel(w.s.Live.Seen()), Text: lines, Append: true}
		if len(w.files) > 0 {
			step.After = w.s.Rel(w.decisive().path)
		}
		out = append(out, step)
	}
	if len(w.files) == 0 {
		return append(out, keys...)
	}
	return append(keys, out...)
}

// decisive is the file that shows whether the write came: the first existing record that it changes, or else its first
// file.
func (w *writing) decisive() *change {
	for _, c := range w.files {
		if c.of != nil && c.was != nil {
			return c
		}
	}
	return w.files[0]
}

// recordSteps is the steps of the live state about a record that was put.
func (w *writing) recordSteps(st *staged) []redoLive {
	header, after := st.header(), w.s.Rel(st.file.path)
	switch {
	case st.gone:
		return []redoLive{
			w.put(w.s.Live.Claim(header.Ref), nil, after), w.put(w.s.Live.Journal(header.Ref), nil, after), w.put(w.s.KeptFile(header.Ref), nil, after),
		}
	case len(header.Log) == 0:
		return nil
	}
	last := header.Log.Last()
	line := session.Written{On: w.sighting(st), Entry: last, Before: before(st, last)}
	if line.Before != "" {
		line.Had = session.HadOf(header.Log[:len(header.Log)-1])
		line.Left = left(st.now, last)
	}
	out := []redoLive{{Path: w.s.Live.Rel(w.s.Live.Journal(header.Ref)), Text: journalLine(line), Append: true, line: &line}}
	var state session.State
	if st.kind.Held() {
		var put redoLive
		put, state = w.putState(st, after)
		out = append([]redoLive{put}, out...)
	}
	return append(out, w.keepSteps(st, state, after)...)
}

// left marks what a task says in the fields that an entry names, so that undo sees what was changed since; nil for
// another record.
func left(now any, last record.Entry) session.Marks {
	t, ok := now.(task.Task)
	if !ok {
		return nil
	}
	out := session.Marks{}
	for _, name := range last.Fields {
		out[name] = task.Mark(t, name)
	}
	if last.Checks != nil {
		out[task.ChecksField] = task.Mark(t, task.ChecksField)
	}
	return out
}

// beforeMax is the longest text that a journal keeps of what was replaced.
const beforeMax = 32 << 10

// before is the file of a record as it was, without the provenance, if the entry says only that fields, checks or
// references were changed and not what they said. It is "" for a file that is too long to keep.
func before(st *staged, last record.Entry) string {
	named := len(last.Fields)+len(last.Said().Refs) > 0 || last.Checks != nil
	if last.Did != record.Updated || !named || st.file.doc == nil {
		return ""
	}
	doc := st.file.doc
	if doc.Get("provenance") != nil {
		var err error
		if doc, err = doc.Edit(st.kind.Keys(), format.Remove(format.Path{"provenance"})); err != nil {
			return ""
		}
	}
	if len(doc.Bytes()) > beforeMax {
		return ""
	}
	return string(doc.Bytes())
}

// sighting is the file of a record before this write, as the journal has it.
func (w *writing) sighting(st *staged) session.Sighting {
	on := session.Sighting{Worktree: w.s.Worktree, Branch: w.head.Branch, Head: w.head.Commit, Rev: st.was().Rev}
	for _, c := range w.files {
		if c.of == st {
			on.Modified = c.at
		}
	}
	return on
}

// journal completes the lines for the journals: when the write was made, and whether git was at work beside it.
func (w *writing) journal(at time.Time, beside bool) {
	for i, step := range w.decided.Live {
		if step.line == nil {
			continue
		}
		line := *step.line
		line.At, line.Beside = at, beside
		w.decided.Live[i].Text = journalLine(line)
	}
}

func journalLine(w session.Written) string { return strings.TrimSpace(string(live.Encode(w))) }

// putState is the step that writes the state of a record after this write, and that state.
func (w *writing) putState(st *staged, after string) (redoLive, session.State) {
	at := session.Progress{Branch: w.head.Branch, Worktree: w.s.Worktree, Head: w.head.Commit}
	state := st.state(w.s.Clone, at)
	step := w.put(w.s.Live.Claim(state.Ref), state, after)
	step.Remove = state.Empty()
	return step, state
}

// put is the step that writes a value to a file of the live state; nil removes the file.
func (w *writing) put(path string, v any, after string) redoLive {
	step := redoLive{Path: w.s.Live.Rel(path), After: after, Remove: v == nil}
	if v != nil {
		step.Text = string(live.Encode(v))
	}
	return step
}

// tidy keeps journals and keys from growing for ever. Its errors are ignored; the next write tries again.
func (w *writing) tidy() {
	for _, of := range w.tx.order {
		if st := w.tx.records[of]; !st.gone {
			_ = w.s.CutJournal(of, st.header().Log)
		}
	}
	if len(w.tx.saw) > 0 {
		_ = w.s.CutSeen()
	}
	if w.tx.key != nil {
		_ = w.s.ForgetKeys()
	}
}
