package task

import (
	"cmp"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Life is how the records of a kind live: a record is the fold of its entries. A verb applies an entry, cairn check and
// a merge fold them, and what an entry makes of a record is said in Step and nowhere else.
type Life struct {
	// Step returns the state and the holder in which an entry leaves a record, or why nobody may write it. Of the record v
	// it reads what no entry moves; h is its header as the entries before left it. Of the entry it reads who, what, the
	// texts, and To where whoever writes it chooses. An entry of a kind that it does not know leaves the record as it is.
	// It is nil for a plain life.
	Step func(v any, h record.Header, e record.Entry, in Rules) (record.Status, record.Actor, error)

	States []record.Status // of a plain life
	First  record.Status   // of a record without entries; "" where entry created says in which state it is made
	Kinds  []record.Did    // of the entries that verbs write; the first one makes the record
	Order  []record.Status // from the first to the furthest, where the further of two states stands when branches merge; nil where a person chooses
	Free   bool            // people write the state into the file too, so that it need not be what an entry left
	Named  bool            // two branches can make the same record, since its id is given
}

// Rules are what decides about an entry beside the record.
type Rules struct {
	Flow    Flow                        // of the config
	Groups  func(record.Actor) []string // that an actor belongs to; nil for a team without groups
	Vouched func(record.Actor) []string // those of Groups that count where something is approved; nil for all
	Granted bool                        // that the actor is one of those who may was asked when the entry was written
}

var plainKinds = []record.Did{record.Created, record.Updated, record.Transitioned, record.Noted}

// Plain is the life of a record that any actor brings from any of its states to any other, and may update in every key.
func Plain(states ...record.Status) Life {
	l := Life{States: states, Free: true, Kinds: plainKinds}
	if len(states) > 0 {
		l.First = states[0]
	}
	return l
}

// plain is the Step of a plain life.
func (l Life) plain(_ any, h record.Header, e record.Entry, _ Rules) (record.Status, record.Actor, error) {
	switch {
	case e.Did != record.Transitioned && (e.Did != record.Updated || e.To == ""):
		return h.Status, h.Assignee, nil
	case !slices.Contains(l.States, e.To):
		return h.Status, h.Assignee, record.Errorf(record.InvalidInput, "%q is not a state of a %s", record.Clip(string(e.To), 100), h.Ref.Kind)
	}
	return e.To, h.Assignee, nil
}

// rule is the Step of the life.
func (l Life) rule() func(any, record.Header, record.Entry, Rules) (record.Status, record.Actor, error) {
	if l.Step == nil {
		return l.plain
	}
	return l.Step
}

// With returns the life with one more rule, which refuses entries. No state of such a record is written by hand.
func (l Life) With(refuse func(now record.Header, e record.Entry) error) Life {
	step := l.rule()
	l.Free, l.Step = false, func(v any, h record.Header, e record.Entry, in Rules) (record.Status, record.Actor, error) {
		status, holder, err := step(v, h, e, in)
		return status, holder, cmp.Or(err, refuse(h, e))
	}
	return l
}

// Move brings a record to another state. In the state that it is in already, without text, it stays as it is.
func (l Life) Move(v any, h record.Header, to record.Status, s record.Stamp, in Rules) (record.Header, error) {
	e := s.Entry(record.Transitioned)
	if e.To = to; h.Status == to && s.Text == "" {
		return h, nil
	}
	now, err := l.Apply(v, h, e, in)
	return now, cmp.Or(err, record.ValidText("reason", s.Text))
}

// Apply appends an entry to a record. The entry gets the states and the holder between which it moves the record. If
// the rules refuse it, the header stays as it is.
func (l Life) Apply(v any, h record.Header, e record.Entry, in Rules) (record.Header, error) {
	e, now, err := l.step(v, h, e, in)
	if err == nil {
		now.Log = h.Log.Add(e)
	}
	return now, err
}

// Judge returns why nobody wrote an entry to a record which was as h says: the refusal of the rules, or CONFLICT if the
// entry does not move the record as they do.
func (l Life) Judge(v any, h record.Header, e record.Entry, in Rules) error {
	written, _, err := l.step(v, h, e, in)
	switch {
	case err != nil || movesAs(written, e):
		return err
	case movesAs(written, record.Entry{}):
		return record.Errorf(record.Conflict, "it changes what an entry of its kind does not change")
	}
	return record.Errorf(record.Conflict, "it does not move the %s, which was %s, as an entry of its kind does", h.Ref.Kind, h.Status)
}

// Allows returns why whoever wrote an entry may not bring a record, as it was before, where the entry brings it,
// whatever state that moved the record from.
func (l Life) Allows(v any, h record.Header, e record.Entry, in Rules) error {
	_, now, err := l.step(v, h, e, in)
	if err == nil && now.Status != e.To {
		return record.Errorf(record.Conflict, "it does not bring the %s to %s", h.Ref.Kind, e.To)
	}
	return err
}

// step returns an entry as Apply writes it, and the header as it leaves it, but for the log.
func (l Life) step(v any, h record.Header, e record.Entry, in Rules) (record.Entry, record.Header, error) {
	status, holder, err := l.rule()(v, h, e, in)
	if err != nil {
		return e, h, err
	}
	e.From, e.To, e.Assignee = "", "", nil
	if status != h.Status || e.Did == record.Transitioned {
		e.From, e.To = h.Status, status
	}
	if holder != h.Assignee {
		e.Assignee = &holder
	}
	h.Status, h.Assignee = status, holder
	return e, h, nil
}

// movesAs reports whether two entries move a record between the same states and holders.
func movesAs(e record.Entry, other record.Entry) bool {
	return record.Entry{From: e.From, To: e.To, Assignee: e.Assignee}.Equal(record.Entry{From: other.From, To: other.To, Assignee: other.Assignee})
}

// Fold returns the header of a record after entries. It reports whether each follows from those above it. That is not
// so where branches that both moved the record were merged, and then what each did counts as far as it still can: what
// brings the record further does, whoever takes it over has it, and of two who claimed it the first has it, until the
// other brings it further or the first lets go.
func (l Life) Fold(v any, h record.Header, entries []record.Entry, in Rules) (after record.Header, follow bool) {
	follow, h.Log = true, slices.Clip(h.Log)
	var beside record.Log // claims by which their actors did not get the record
	for _, e := range entries {
		written, next, err := l.step(v, h, e, in)
		exact := err == nil && movesAs(written, e)
		own := slices.IndexFunc(beside, func(claim record.Entry) bool { return claim.Who == e.Who })
		further := slices.Index(l.Order, e.To) > slices.Index(l.Order, h.Status)
		follow = follow && exact && own < 0
		switch lets := e.Assignee != nil && *e.Assignee == ""; {
		case own >= 0 && lets:
			beside = slices.Delete(beside, own, own+1)
			next = h
		case exact:
		case e.To != "" && further:
			next.Status = e.To
			next.Assignee = holderAfter(e, h.Assignee)
		case err != nil && e.To == "":
			next.Assignee = holderAfter(e, h.Assignee)
		case err != nil && e.Assignee != nil && !lets:
			beside = append(beside, e)
		}
		if own >= 0 && further && next.Status == e.To {
			next.Assignee = e.Who
			beside = slices.Delete(beside, own, own+1)
		}
		if h = next; h.Assignee == "" && len(beside) > 0 {
			if _, next, err = l.step(v, h, beside[0], in); err != nil {
				next.Assignee = beside[0].Who
			}
			h, beside = next, beside[1:]
		}
		h.Log = append(h.Log, e)
	}
	return h, follow
}

// holderAfter is the holder of a record that another one held before the entry.
func holderAfter(e record.Entry, before record.Actor) record.Actor {
	if e.Assignee == nil {
		return before
	}
	return *e.Assignee
}

// Asked is the entry by which the last attempt at the task ended with a question, if nobody took the task up since.
func (t Task) Asked() (record.Entry, bool) {
	e, _ := t.Provenance.Newest(func(e record.Entry) bool {
		_, holds := e.Holder()
		return e.OfAttempt() || holds || e.Did == record.Asked || e.To != ""
	})
	return e, e.Did == record.Asked
}
