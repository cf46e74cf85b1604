package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Guarded is how the files on which the commands of a task stand differ from how they were where its work began. Package
// guard says which files these are.
type Guarded struct {
	Base    string                 // the commit with which they are compared; "" for none, and then nothing is known
	Changed map[string][]GuardFile // by Check.Key
	Red     map[string]bool        // by Check.Key: it was seen to fail without the work, beside what the record says
	Wants   string                 // the config's red where the work began
	Mover   record.Actor           // who makes the move, and so is one of those who worked
}

// GuardFile is a file on which a check stands, and which the work has changed.
type GuardFile struct {
	Path string // from the top of the repository
	Now  string // 16 hex digits that stand for its mode and content; "" where it was taken away
}

// String is the form in which entries name a file and what it holds.
func (f GuardFile) String() string { return f.Path + "=" + f.Now }

// GuardFileOf names a file by its path, and what it holds by its mode and id, as git has them.
func GuardFileOf(path, now string) GuardFile {
	if now != "" {
		now = record.Digest(now)
	}
	return GuardFile{path, now}
}

// Owed lists the changed files on which check i stands and for which nothing accounts; see Accounts.
func (g Guarded) Owed(t Task, i int) []GuardFile {
	changed := g.Changed[t.Checks[i].Key(t.ID)]
	return slices.DeleteFunc(slices.Clone(changed), func(f GuardFile) bool { return t.Accounts(f, g.Mover) })
}

// Accounts reports whether the record of a task accounts for a change of a file on which its checks stand: a person
// looked at it as it is now, or whoever planned the task said that it changes. mover is one of those who did the work.
func (t Task) Accounts(f GuardFile, mover record.Actor) bool {
	return covers(t.mayChange(mover), f.Path) || slices.ContainsFunc(t.Provenance, func(e record.Entry) bool {
		return e.Did == record.GuardsSeen && e.Who.Human() && slices.Contains(e.Said().Guards, f.String())
	})
}

// Guarding returns check c of the task with the guards that count: those that it had where the work began, unless a person
// has changed the checks since.
func (t Task) Guarding(c Check, began Task) Check {
	for _, e := range slices.Backward(t.Provenance) {
		if e.Checks != nil {
			if e.Who.Human() && slices.Contains(e.Checks, c.Hash(t.ID)) {
				return c
			}
			break
		}
	}
	for _, was := range began.Checks {
		if was.Key(t.ID) == c.Key(t.ID) {
			c.Guards = was.Guards
		}
	}
	return c
}

// covers reports whether one of some globs means a path.
func covers(globs []Glob, path string) bool {
	p, err := ParseGlob(path)
	return err == nil && !strings.ContainsAny(path, "*?") && slices.ContainsFunc(globs, func(g Glob) bool { return g.Meets(p) })
}

// MayChangeSaid is the index of the entry that said which files may change; -1 for none.
func (t Task) MayChangeSaid() int {
	if len(t.MayChange) == 0 || len(t.Provenance) == 0 {
		return -1
	}
	return max(0, t.Provenance.LastIndex(func(e record.Entry) bool { return slices.Contains(e.Fields, mayChangeField) })) // else it was created so
}

// mayChange are the globs of MayChange, if they count: they were said before work began, by an actor who did none of it.
func (t Task) mayChange(mover record.Actor) []Glob {
	if len(t.MayChange) == 0 || len(t.Provenance) == 0 {
		return nil
	}
	said := t.MayChangeSaid()
	workers, began := t.workers(mover)
	if said > began || workers[t.Provenance[said].Who] {
		return nil
	}
	return ScopeOf(t.MayChange)
}

// workers are those who did the work on a task, mover among them, and the index of the entry with which it began: behind
// all if it has not.
func (t Task) workers(mover record.Actor) (all map[record.Actor]bool, began int) {
	all, began = map[record.Actor]bool{mover: true}, len(t.Provenance)
	for i, e := range t.Provenance {
		if works(e) {
			began = min(began, i)
			all[e.Who] = true
		}
	}
	return all, began
}

// WithSaid is the task without its MayChange where that differs from an earlier version and no entry says who set it.
func (t Task) WithSaid(earlier Task) Task {
	said := slices.ContainsFunc(t.Provenance, func(e record.Entry) bool { return slices.Contains(e.Fields, mayChangeField) })
	if !said && !slices.Equal(earlier.MayChange, t.MayChange) {
		t.MayChange = nil
	}
	return t
}

// works reports whether an entry is by an actor who works on the task: it gives the task to its writer, or hands it over.
func works(e record.Entry) bool { return takesUp(e) || e.Did == record.Finished }

// takesUp reports whether an entry gives the task to its writer.
func takesUp(e record.Entry) bool {
	holder, _ := e.Holder()
	return e.Did == record.Began || holder != "" && holder == e.Who
}

// Began is the index of the entry with which work on a task began since it was last opened; -1 for none.
func (l Lifecycle) Began(t Task) int {
	began := -1
	for i, e := range t.Provenance {
		switch {
		case e.To != "" && l.IsClosed(e.From):
			began = -1
		case began < 0 && takesUp(e):
			began = i
		}
	}
	return began
}

// Closes reports whether an entry closes its task as done.
func (l Lifecycle) Closes(e record.Entry) bool { return e.To != "" && l.ClaimsDone(e.To) }

const mayChangeField = "may_change"

// heldIn reports whether a run says of a check that it was held against the base.
func (r *Run) heldIn(key string) bool {
	return r != nil && slices.ContainsFunc(r.Results, func(got record.CheckResult) bool { return got.Check == key && got.Held == record.HeldBase })
}

// Bent lists the files for which check i, a command that stands at pass, does not count: the work has changed them,
// nothing accounts for that, and the check has not passed with those of the base too.
func (t Task) Bent(i int, p Proof) []GuardFile {
	c := t.Checks[i]
	owed := p.Guards.Owed(t, i)
	if c.Manual() || len(owed) == 0 || p.Run.heldIn(c.Key(t.ID)) {
		return nil
	}
	_, ran := p.Run.results(t.ID)(c)
	if ev, ok := t.Evidence(i); ok && ev.Held == record.HeldBase && !ran {
		return nil
	}
	return owed
}

const bentShown = 5

// guardsGate returns GUARDS_CHANGED if checks that a move needs stand on files that the work changed.
func (f Flow) guardsGate(t Task, to record.Status, p Proof) error {
	var files, checks []string
	for i, c := range t.Checks {
		if bent := t.Bent(i, p); len(bent) > 0 && f.needs(t, to, c) {
			checks = append(checks, c.Desc)
			files = append(files, record.Each(bent, func(one GuardFile) string { return one.Path })...)
		}
	}
	if len(files) == 0 {
		return nil
	}
	files = record.Unique(files)
	slices.Sort(files)
	shown := strings.Join(files[:min(bentShown, len(files))], ", ") + record.AndMore(len(files)-min(bentShown, len(files)))
	attest := record.CallTo("attest", "id", t.ID, "guards", true).ByPerson().OnlyShown()
	e := record.Errorf(record.GuardsChanged, "%s passed on files that this work changed, and not with them as they were at %.12s: %s",
		strings.Join(checks, "; "), p.Guards.Base, shown).
		WithHint("put the files back as they were, or hand it over: a person who has looked at the change says so with %s", attest).
		WithNext(record.CallTo("get", "id", t.ID))
	if p.Guards.Mover.Human() {
		e = e.WithHint("put the files back as they were, or look at how they changed and say so with %s", attest)
	}
	e.Details = map[string]any{"files": files, "base": p.Guards.Base}
	return e
}

// SeeGuards records that a person looked at the changed files on which the checks of a task stand, as they are now. It
// returns FORBIDDEN for an actor who is no person, and changes nothing if no file is owed.
func SeeGuards(t Task, g Guarded, s record.Stamp) (Task, *record.Entry, error) {
	if !s.Who.Human() {
		return t, nil, record.Errorf(record.Forbidden, "changed files on which checks stand are looked at by a person").
			WithHint("hand the task over for review, and say what changed in them and why")
	}
	var files []string
	for i := range t.Checks {
		for _, one := range g.Owed(t, i) {
			files = append(files, one.String())
		}
	}
	if len(files) == 0 {
		return t, nil, nil
	}
	files = record.Unique(files)
	slices.Sort(files)
	e := s.Entry(record.GuardsSeen)
	d := e.Said()
	d.Guards = files
	return commit(t, e.Saying(d))
}

// guardsAsk says what a person confirms who looked at changed files.
func guardsAsk(e record.Entry) string {
	files := record.Each(e.Said().Guards, func(one string) string { path, _, _ := strings.Cut(one, "="); return path })
	return fmt.Sprintf("answering for the files on which its checks stand, as they are now (%s)", strings.Join(files, ", "))
}
