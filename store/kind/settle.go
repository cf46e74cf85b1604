package kind

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// movingKeys are the keys that follow from the entries of a kind whose states have an order.
var movingKeys = []string{"status", "assignee"}

// settleLater is how such a key merges at first, if both sides moved the record: settleLife sets it. What cannot be
// read is a conflict.
func (k *Kind) settleLater(base, ours, theirs *format.Doc) format.Side {
	was := record.Header{Status: k.Life.First}
	if base != nil {
		if v, err := k.Decode(base); err == nil {
			was = k.Header(v)
		}
	}
	for _, doc := range []*format.Doc{ours, theirs} {
		if v, err := k.Decode(doc); err != nil || sameLife(k.Header(v), was) {
			return format.Neither
		}
	}
	return format.Ours
}

// sameLife reports whether two headers have the same state and holder.
func sameLife(a, b record.Header) bool { return a.Status == b.Status && a.Assignee == b.Assignee }

// settleLife gives a merged record the state and the holder that the entries of both sides make. If those do not
// explain a side, whose file a person may have edited, and both sides moved the record, the side that brought it
// further counts.
func (k *Kind) settleLife(m *format.Merged, flow task.Flow) {
	base, ours, theirs, ok := m.Sides()
	if !ok {
		return
	}
	var h [4]record.Header
	h[0].Status = k.Life.First
	var merged any
	for i, doc := range []*format.Doc{base, ours, theirs, m.Doc()} {
		if doc == nil {
			continue
		}
		v, err := k.Decode(doc)
		if err != nil {
			return
		}
		merged, h[i] = v, k.Header(v)
	}
	was, o, t := h[0], h[1], h[2]
	fold := func(side record.Header) (record.Header, bool) {
		known := map[string]int{}
		for _, e := range was.Log {
			known[e.Hash()]++
		}
		fresh := slices.DeleteFunc(slices.Clone(side.Log), func(e record.Entry) bool {
			known[e.Hash()]--
			return known[e.Hash()] >= 0
		})
		got, _ := k.Life.Fold(merged, was, fresh, task.Rules{Flow: flow, Granted: true})
		return got, sameLife(got, side)
	}
	now, settled := fold(h[3])
	_, ok1 := fold(o)
	if _, ok2 := fold(t); !ok1 || !ok2 {
		now, settled = k.furtherSide(o, t), sameLife(o, t) || sameLife(o, was) || sameLife(t, was)
	}
	if settled {
		return
	}
	status, assignee := format.Set(format.Path{"status"}, format.String(now.Status)), format.Remove(format.Path{"assignee"})
	if now.Assignee != "" {
		assignee = format.Set(format.Path{"assignee"}, format.String(now.Assignee))
	}
	if m.Edit(status, assignee) != nil || now.Status == "" {
		m.Dispute("status", nil, "")
		m.Dispute("assignee", nil, "")
	}
}

// furtherSide is the header of the side that brought a record further, with the holder that it has on either. Its
// status is "" if neither did.
func (k *Kind) furtherSide(ours, theirs record.Header) record.Header {
	o, t := slices.Index(k.Life.Order, ours.Status), slices.Index(k.Life.Order, theirs.Status)
	now, other := ours, theirs
	if t > o || t == o && other.Assignee < now.Assignee {
		now, other = other, now
	}
	if now.Assignee == "" {
		now.Assignee = other.Assignee
	}
	if o == t && ours.Status != theirs.Status {
		now.Status = ""
	}
	return now
}
