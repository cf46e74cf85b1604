package proof

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// lifeRules judge a record by the life of its kind: that verbs write the entries which the change brings, and, of a
// kind with States, that its values are such as they write, and that the entries made its state and its holder what
// they are.
type lifeRules struct {
	*Case
	Kind
}

func (r lifeRules) apply() {
	r.entries(r.badEntry)
	if r.States == nil {
		return // the kind has rules of its own for the rest
	}
	if v, ok := r.Now.Value.(interface{ Valid() error }); ok {
		if err := v.Valid(); err != nil {
			key, _, _ := strings.Cut(record.MessageOf(err), " ")
			r.badField(Path{key}, err)
		}
	}
	if r.judge.change != nil {
		r.explained()
	}
}

// badEntry returns why no verb writes the i-th entry of the record, or "". An entry is judged by the provenance as it
// was when it was written: on another branch somebody else may have moved the record at the same time.
func (r lifeRules) badEntry(e record.Entry, i int) string {
	form := e
	if form.Assignee = nil; e.Did == record.Updated {
		form.Fields = nil
	}
	if reason := badForm(form, r.Life.Kinds...); reason != "" {
		return reason
	}
	if e.Did == r.Life.Kinds[0] && (i > 0 || r.Base != nil) && !r.Life.Named {
		return "creates a " + r.Now.Ref.Kind + " that exists"
	}
	log := r.WrittenWith(i)
	if at := slices.IndexFunc(log, e.Equal); at >= 0 {
		log = log[:at]
	}
	before, follow := r.Life.Fold(r.Now.Value, r.unwritten(), log, r.rules())
	byHand := r.Life.Free || !follow && r.Life.Order == nil && r.wasIn(log, e.From) // a person settled a merge
	if e.From != "" && byHand {
		before.Status = e.From
	}
	if err := r.Life.Judge(r.Now.Value, before, e, r.rules()); err != nil {
		msg := record.MessageOf(err)
		if strings.HasPrefix(msg, "is ") {
			msg = "it " + msg
		}
		return "is refused: " + msg
	}
	return ""
}

// unwritten is the header of the record as it was before its first entry.
func (r lifeRules) unwritten() record.Header {
	h := r.Now.Head
	h.Status, h.Assignee, h.Log = r.Life.First, "", nil
	return h
}

// wasIn reports whether entries, of which some may be of another branch, brought the record into a state.
func (r lifeRules) wasIn(log record.Log, s record.Status) bool {
	return s == r.Life.First || slices.ContainsFunc(log, func(e record.Entry) bool { return e.To == s })
}

// rules are the config's, and the groups of the directory, as it is now and as it was in the base. Where something is
// approved those of the base count.
func (r lifeRules) rules() task.Rules {
	in := task.Rules{Flow: r.judge.flow}
	in.Groups = func(who record.Actor) []string {
		groups := groupIn(r.judge.Records, who)
		if r.judge.change != nil {
			groups = append(groups, groupIn(r.judge.change.Base.Records, who)...)
		}
		return groups
	}
	if r.judge.change != nil {
		in.Vouched = func(who record.Actor) []string {
			if a, ok := actorIn(r.judge.change.Base.Records, who); ok && a.Status != ledger.ActorGone && a.Vouched() {
				return []string{a.Group}
			}
			return nil
		}
	}
	return in
}

// groupIn finds the group that an actor belongs to by its record.
func groupIn(records []*RecordFile, who record.Actor) []string {
	if a, ok := actorIn(records, who); ok {
		return []string{a.Group}
	}
	return nil
}

// actorIn finds an actor in the directory.
func actorIn(records []*RecordFile, who record.Actor) (ledger.Actor, bool) {
	for _, f := range records {
		if f.Ref.Kind == ledger.ActorKind && f.Head.Ref.ID == string(who) && f.Sound() {
			a, ok := f.Value.(ledger.Actor)
			return a, ok
		}
	}
	return ledger.Actor{}, false
}

// explained reports a state and a holder that the change gave the record and its entries did not. Where entries do not
// follow from one another, as after a merge, a person may have chosen what one of them says; see mayStandAs.
func (r lifeRules) explained() {
	was, now := r.unwritten(), r.Now.Head
	if r.Base != nil {
		was = r.Base.Head
	}
	var fresh []record.Entry
	moved := false
	for i, e := range now.Log {
		if r.fresh[i] && !r.overtaken(i) {
			fresh = append(fresh, e)
		}
		moved = moved || r.fresh[i] && e.To != "" && !r.Life.Free
	}
	if was.Status == now.Status && was.Assignee == now.Assignee && !moved {
		return
	}
	fold, follow := r.Life.Fold(r.Now.Value, was, fresh, r.rules())
	held := func(e record.Entry) bool { return e.Assignee != nil && *e.Assignee == now.Assignee }
	refused := func(i int) bool { return r.fresh[i] && now.Log[i].To == now.Status && r.badEntry(now.Log[i], i) != "" }
	if fold.Status != now.Status && (follow || !r.mayStandAs(now.Status, was, fresh) && !anyIndex(now.Log, refused)) {
		got := r.Report(StatusUnexplained, Path{"status"}, "went from %s to %s, and no entry says so", was.Status, now.Status)
		if was.Status == now.Status || was.Status == "" {
			got.Message = "is " + string(now.Status) + ", and its entries do not say so"
		}
		got.Fix = "write " + cmp.Or(string(fold.Status), "what its entries say") + " back into the file, and move it with " +
			strings.NewReplacer("ID", r.Now.Ref.ID, "STATE", string(now.Status)).Replace(cmp.Or(r.Mover, "cairn update ID --to STATE"))
		if r.Life.Free {
			got.Severity = Warning
		}
	}
	if fold.Assignee != now.Assignee && (follow || now.Assignee != "" && !slices.ContainsFunc(now.Log, held)) {
		r.Report(AssigneeUnexplained, Path{"assignee"}, "%s has the %s, and no entry says so", now.Assignee.OrNobody(), r.Now.Ref.Kind).
			Fix = "change it back in the file, then claim the " + r.Now.Ref.Kind + " with cairn " + r.Now.Ref.Kind + " claim"
	}
}

// anyIndex reports whether one of the indexes of a log fits.
func anyIndex(log record.Log, fits func(i int) bool) bool {
	for i := range log {
		if fits(i) {
			return true
		}
	}
	return false
}

// mayStandAs reports whether a record may have been left in a state where the entries of a merge did not follow from
// one another: it was in it before the change, or an entry gives it to one who may bring the record there from where
// all others leave it.
func (r lifeRules) mayStandAs(s record.Status, was record.Header, fresh []record.Entry) bool {
	if r.Life.Free || r.Base != nil && was.Status == s {
		return true
	}
	for i, e := range fresh {
		if e.To != s {
			continue
		}
		others := slices.Delete(slices.Clone(fresh), i, i+1)
		before, _ := r.Life.Fold(r.Now.Value, was, others, r.rules())
		if before.Status == s || r.Life.Allows(r.Now.Value, before, e, r.rules()) == nil {
			return true
		}
	}
	return false
}

// overtaken reports whether the i-th entry, which the change brings, was put above moves that its writer had, and could
// not have been written after those: then it moves nothing. Whose states have an order are folded by that.
func (r lifeRules) overtaken(i int) bool {
	e := r.Now.Head.Log[i]
	if e.To == "" || r.Life.Free || r.Life.Order != nil {
		return false
	}
	log := r.WrittenWith(i)
	at := slices.IndexFunc(log, e.Equal)
	had, later := log[:max(at, 0)], false
	for _, below := range log[at+1:] {
		if below.To != "" && r.precedes(below, e) {
			had, later = append(slices.Clip(had), below), true
		}
	}
	if !later {
		return false
	}
	before, _ := r.Life.Fold(r.Now.Value, r.unwritten(), had, r.rules())
	return r.Life.Allows(r.Now.Value, before, e, r.rules()) != nil
}

// precedes reports whether the base, or a commit of the change, has one entry of the record without another.
func (r lifeRules) precedes(first, e record.Entry) bool {
	i := slices.IndexFunc(r.Now.Head.Log, first.Equal)
	if i < 0 || !r.fresh[i] {
		return i >= 0
	}
	w, committed := r.judge.change.RecordBroughtBy(r.Now.Ref, first)
	return committed && !slices.ContainsFunc(w.Log, e.Equal)
}
