package record

import (
	"cmp"
	"slices"

	"golang.org/x/text/unicode/norm"
)

// Ref names a record: its kind, and its id among the records of that kind.
type Ref struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
}

// TaskKind is the kind of a task, in a Ref.
const TaskKind = "task"

// CompareRefs sorts by kind, then by id.
func CompareRefs(a, b Ref) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.ID, b.ID)) }

// String returns the kind and the id, as in "task PROJ-7".
func (r Ref) String() string { return r.Kind + " " + r.ID }

// Header is what all kinds of record have in common. A field that a kind does not have is zero.
type Header struct {
	Ref      Ref
	Title    string
	Status   Status
	Assignee Actor
	Labels   []string
	Refs     []Reference
	Log      Log
	Rev      Rev // revision of the file that this was read from
}

// Taken reports whether the assignee took the record up, and was not only named. They did if they claimed it, began a
// session on it or moved it, in the newest entry that makes them the assignee or after it.
func (h Header) Taken() bool {
	for _, e := range slices.Backward(h.Log) {
		if e.Who == h.Assignee && (e.Did == Claimed || e.Did == Began || e.Did == TakenOver || e.To != "") {
			return true
		}
		if e.Assignee != nil {
			return false
		}
	}
	return false
}

// Valid returns INVALID_INPUT for a title, labels or a body that no record may have.
func (h Header) Valid(body string) error {
	return cmp.Or(ValidLines("title", h.Title), ValidLines("label", h.Labels...), ValidBody(body))
}

// Labeled returns the header of the record with other labels, with an entry that says so. With the labels that it has
// it stays as it is. It returns INVALID_INPUT for labels that no record may have.
func (h Header) Labeled(labels []string, s Stamp) (Header, error) {
	now := Unique(labels)
	if slices.Equal(h.Labels, now) {
		return h, nil
	}
	if err := cmp.Or(ValidLines("label", now...), ValidLabelCount(h.Labels, now)); err != nil {
		return h, err
	}
	e := s.Entry(Updated)
	e.Fields = []string{"labels"}
	h.Labels, h.Log = now, h.Log.Add(e)
	return h, nil
}

// Status is the name of a state. Which names exist is configured, so a Status means something only beside the flow that
// has it.
type Status string

// Rev is a content revision: equal revisions mean equal bytes.
type Rev string

// Relabeled are labels without some and with others, each once. A label that is to go and is not there is no mistake.
func Relabeled(labels, add, remove []string) []string {
	kept := slices.DeleteFunc(slices.Clone(labels), func(l string) bool { return HasLabel(remove, l) })
	for _, l := range add {
		if !HasLabel(kept, l) {
			kept = append(kept, l)
		}
	}
	return Unique(kept)
}

// HasLabel reports whether a label is one of these, whether its letters are composed or not.
func HasLabel(labels []string, label string) bool {
	label = norm.NFC.String(label)
	return slices.ContainsFunc(labels, func(l string) bool { return norm.NFC.String(l) == label })
}
