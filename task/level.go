package task

import (
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Seen is what is known of a close, or of a run of a check, beside what the record says. A record can be forged by an
// edit of its file; this is kept elsewhere, or signed.
type Seen struct {
	Held      bool // its commands passed with their guarded files as they were where the work began
	Red       bool // they were seen to fail without the work
	Witnessed bool // a machine that the worker does not control ran them again, and signed that
	Signed    bool // a person whose key the base names signed the result
}

// And is what two sources know together.
func (s Seen) And(o Seen) Seen {
	return Seen{s.Held || o.Held, s.Red || o.Red, s.Witnessed || o.Witnessed, s.Signed || o.Signed}
}

// Level is how much is known of the close of a task: the highest that holds. It is derived, never stored.
type Level int

// The levels.
const (
	Unproven       Level = iota // not closed as done, or the record has no pass of a check
	LevelRecorded               // the record says that its checks passed
	LevelHeld                   // Seen.Held
	LevelRed                    // Seen.Held and Seen.Red
	LevelWitnessed              // Seen.Witnessed
	LevelSigned                 // Seen.Signed
)

// LevelNames are the names of the levels, by Level.
var LevelNames = []string{"none", "recorded", "held", "red", "witnessed", "signed"}

func (l Level) String() string { return LevelNames[l] }

// Need is what the config requires of a close: that it has a level.
type Need struct {
	Evidence string // the name of the level
	For      string // a filter of the tasks for which it counts; "" for all
}

// Level is the least that is enough; it is Unproven for a name that is none.
func (n Need) Level() Level { return Level(max(0, slices.Index(LevelNames, n.Evidence))) }

// LevelOf is the level of a close. closed says that the task is closed as done and its record has a pass.
func LevelOf(closed bool, s Seen) Level {
	switch {
	case !closed:
		return Unproven
	case s.Signed:
		return LevelSigned
	case s.Witnessed:
		return LevelWitnessed
	case s.Held && s.Red:
		return LevelRed
	case s.Held:
		return LevelHeld
	}
	return LevelRecorded
}

// Closing stands for the newest move of a task, its checks and the passes on which it rests: 32 hex digits. A further
// move, or an edit of these entries or of any command, makes it another. It is "" if none of the checks stands at pass.
func (t Task) Closing() string {
	n := t.Moved()
	if n < 0 || !slices.ContainsFunc(t.Checks, func(c Check) bool { return c.Result == record.Pass }) {
		return ""
	}
	parts := []string{"close", string(t.ID), string(t.Status), t.Provenance[n].Digest()}
	index, passed := t.until(n).EvidenceIndex(), false
	for i, c := range t.Checks {
		parts = append(parts, c.Hash(t.ID), string(c.Result))
		if ev, ok := index.Evidence(i); ok && ev.Result == record.Pass && c.Result == record.Pass {
			parts, passed = append(parts, t.Provenance[ev.Entry].Digest()), true
		}
	}
	if !passed {
		return ""
	}
	return record.ContentHash(parts...)
}

// Moved is the index of the entry that moved the task last; -1 for none.
func (t Task) Moved() int {
	return t.Provenance.LastIndex(func(e record.Entry) bool { return e.To != "" })
}

// until is a task with its entries up to one of them.
func (t Task) until(n int) Task {
	t.Provenance = t.Provenance[:n+1]
	return t
}

// Fact is what a clone saw of a close, or of a run of a check, which About stands for.
type Fact struct {
	About string // 32 hex digits
	Seen  Seen
}

// passOn stands for a pass of a check on files.
func passOn(key, tree string) string { return record.ContentHash("pass", key, tree) }

// FailedSince stands for a failure of check i of a task, since the task was last opened.
func (l Lifecycle) FailedSince(t Task, i int) string {
	opened := ""
	if n := l.opened(t); n >= 0 {
		opened = t.Provenance[n].Digest()
	}
	return record.ContentHash("fail", t.Checks[i].Key(t.ID), opened)
}

// Saw returns what a clone saw that made a write: how the commands ended that were run for it, and of a close what it
// rests on. known is what the clone saw before.
func (f Flow) Saw(was, now Task, p Proof, known func(about string) Seen) []Fact {
	facts := map[string]Seen{}
	seen := func(about string) Seen { return facts[about].And(known(about)) }
	result := p.Run.results(now.ID)
	for i, c := range now.Checks {
		key := c.Key(now.ID)
		switch r, ran := result(c); {
		case !ran:
		case r == record.Fail:
			facts[f.FailedSince(now, i)] = Seen{Red: true}
		case p.Run.Tree != "" && p.Guards.Base != "" && (len(p.Guards.Changed[key]) == 0 || p.Run.heldIn(key)):
			facts[passOn(key, p.Run.Tree)] = Seen{Held: true}
		}
	}
	about := now.Closing()
	if about != "" && f.ClaimsDone(now.Status) && !f.ClaimsDone(was.Status) {
		index := now.EvidenceIndex()
		facts[about] = f.Together(now, func(i int) Seen {
			ev, _ := index.Evidence(i)
			return Seen{Held: seen(passOn(now.Checks[i].Key(now.ID), ev.Tree)).Held, Red: seen(f.FailedSince(now, i)).Red && f.Red(now, i)}
		})
	}
	var out []Fact
	for about, is := range facts {
		if is != (Seen{}) && known(about).And(is) != known(about) {
			out = append(out, Fact{about, is})
		}
	}
	return out
}

// Together is what is known of a close by what is known of each of its commands. One that may pass without the work
// need not be red, if another one is.
func (f Flow) Together(t Task, of func(i int) Seen) Seen {
	all, red := Seen{Held: true, Red: true}, false
	for i, c := range t.Checks {
		if c.Manual() {
			continue
		}
		one := of(i)
		all.Held = all.Held && one.Held
		all.Red = all.Red && (one.Red || t.MayPass(i, t.Provenance[t.Moved()].Who))
		red = red || one.Red
	}
	commands := slices.ContainsFunc(t.Checks, func(c Check) bool { return !c.Manual() })
	return Seen{Held: all.Held && commands, Red: all.Red && red}
}

// ApprovedBySignature reports whether one of the passes on which the task stands is a person's, signed by a key that counts.
func (f Flow) ApprovedBySignature(t Task) bool {
	index := t.EvidenceIndex()
	for i, c := range t.Checks {
		ev, ok := index.Evidence(i)
		if ok && c.Manual() && c.Result == record.Pass && ev.Result == record.Pass && ev.Who.Human() && f.Signature(t, ev.Entry) == nil {
			return true
		}
	}
	return false
}
