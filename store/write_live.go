package store

import (
	"encoding/json"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/live"
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
	for of, st := range w.tx.records {
		if st.claims && !st.changed() {
			out = append(out, w.putState(w.state(of).WithLease(st.lease), ""))
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
		return []redoLive{w.put(w.s.Live.Claim(header.Ref), nil, after), w.put(w.s.Live.Journal(header.Ref), nil, after)}
	case !st.kind.Held():
		return nil
	}
	state := w.state(header.Ref)
	last := header.Log.Last()
	lease := st.lease
	if !st.claims {
		lease = w.s.NextLease(state.Lease, last, w.head.Branch)
	}
	progress := session.Progress{
		Status: header.Status, Branch: w.head.Branch, Worktree: w.s.Worktree, Head: w.head.Commit, Entry: last.Hash(),
	}
	return []redoLive{
		w.putState(state.After(st.was(), progress, lease, st.supersedes), after),
		w.appendLine(header.Ref, session.Written{On: w.sighting(st), Entry: last, Before: before(st, last)}),
	}
}

// beforeMax is the longest text that a journal keeps of what was replaced.
const beforeMax = 32 << 10

// before is the file of a record as it was, without the provenance, if the entry says only that fields or checks were
// changed and not what they said. It is "" for a file that is too long to keep.
func before(st *staged, last record.Entry) string {
	if last.Did != record.Updated || len(last.Fields) == 0 && last.Checks == nil || st.file.doc == nil {
		return ""
	}
	doc := st.file.doc
	if doc.Get("provenance") != nil {
		var err error
		if doc, err = doc.Edit(st.kind.Keys, format.Remove(format.Path{"provenance"})); err != nil {
			return ""
		}
	}
	if len(doc.Bytes()) > beforeMax {
		return ""
	}
	return string(doc.Bytes())
}

// appendLine is the step that appends a line to the journal of a record.
func (w *writing) appendLine(of record.Ref, line session.Written) redoLive {
	src, _ := json.Marshal(line) // every value of the live state can be encoded
	return redoLive{Path: w.s.Live.Rel(w.s.Live.Journal(of)), Text: string(src), Append: true, line: &line}
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
		if text, err := json.Marshal(line); err == nil {
			w.decided.Live[i].Text = string(text)
		}
	}
}

// state is the state of a record before this write.
func (w *writing) state(of record.Ref) session.State {
	if known := w.s.State(of); known != nil {
		return *known
	}
	return session.State{Ref: of}
}

func (w *writing) putState(state session.State, after string) redoLive {
	step := w.put(w.s.Live.Claim(state.Ref), state, after)
	step.Remove = state.Empty()
	return step
}

// put is the step that writes a value to a file of the live state; nil removes the file.
func (w *writing) put(path string, v any, after string) redoLive {
	step := redoLive{Path: w.s.Live.Rel(path), After: after, Remove: v == nil}
	if v != nil {
		src, _ := live.Encode(v) // every value of the live state can be encoded
		step.Text = string(src)
	}
	return step
}

// tidy keeps journals and keys from growing for ever. Its errors are ignored; the next write tries again.
func (w *writing) tidy() {
	for _, of := range w.tx.order {
		if st := w.tx.records[of]; st.kind.Held() && !st.gone {
			_ = w.s.CutJournal(of, st.header().Log)
		}
	}
	if w.tx.key != nil {
		_ = w.s.ForgetKeys()
	}
}
