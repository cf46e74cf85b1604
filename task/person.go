package task

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Ask is something that counts because a person does it, so the person must confirm it at a terminal. Equal asks ask
// for the same.
type Ask struct {
	Who   record.Actor
	ID    record.ID // the task it is done to; "" for the clone, and for a record that is new
	Kind  string    // of the record, if it is no task
	Title string    // of the task
	Does  string    // what confirming does, as in "attesting check 0 (read by a person) as passed"
	Text  string    // what the entry will say in that person's name
	Word  string    // what the person types
}

// Asks lists what a person must confirm before an entry may be appended in their name: an attestation, and whatever
// takes away checks or open dependencies. before and after are the task without and with the entry. Actors that are no
// persons have nothing to confirm; what they may not do is refused elsewhere.
func (f Flow) Asks(before, after Task, e record.Entry, find Find) []Ask {
	if !e.Who.Human() {
		return nil
	}
	var out []Ask
	ask := func(word, format string, args ...any) {
		out = append(out, Ask{Who: e.Who, ID: before.ID, Title: before.Title, Does: fmt.Sprintf(format, args...), Text: e.Text, Word: word})
	}
	if e.Did == record.Attested && e.Sig == "" {
		for _, r := range e.Results {
			if i := slices.IndexFunc(after.Checks, func(c Check) bool { return c.Key(before.ID) == r.Check }); i >= 0 {
				ask(string(r.Result), "attesting check %d (%s) as %sed", i, after.Checks[i].Desc, r.Result)
			}
		}
	}
	if e.Did == record.GuardsSeen {
		ask("guards", "%s", guardsAsk(e))
	}
	if e.Did == record.Approved {
		ask("approve", "approving it as it is now")
	}
	left := f.HasLeft(before)
	dropped, gone := Dropped(before.Checks, after.Checks), f.answered(before, after, e)
	switch {
	case len(gone) > 0 || len(dropped) > 0 && (left || len(Dropped(dropped, f.DefaultsOf(before))) < len(dropped)):
		descs := record.Each(dropped, func(c Check) string { return c.Desc })
		if len(gone) > 0 {
			descs = append(descs, unnamed(gone)+", which the file has lost already")
		}
		ask("change", "taking away or changing checks that were asked for (%s)", strings.Join(descs, "; "))
	case left && before.RequiresEvidence && !after.RequiresEvidence:
		ask("change", "asking for evidence no more")
	case left && e.Excuses():
		ask("change", "answering for the list of checks with a reason")
	}
	if open := f.openDeps(before, without(before.Deps, after.Deps), find); left && len(open) > 0 {
		ask("remove", "taking away dependencies that are open (%s)", record.JoinIDs(open, ", "))
	}
	return out
}

// answered returns the checks that the file of a task lacks already and that an entry takes away or answers for, by
// their hash and sorted.
func (f Flow) answered(before, after Task, e record.Entry) []string {
	if e.Checks == nil {
		return nil
	}
	gone, owed, listed := unrecorded(before, after), f.owed(after), record.SetOf(after.CheckHashes())
	for h := range f.owed(before) {
		if _, still := owed[h]; !still && !listed[h] {
			gone = append(gone, h)
		}
	}
	return slices.Sorted(slices.Values(record.Unique(gone)))
}

// TrustAsk returns what a person confirms to let the commands of a clone run that are there.
func TrustAsk(who record.Actor, workspace string) Ask {
	does := "letting the commands that the files of " + workspace + " hold now, and those that you and your agents write " +
		"there, run on this machine"
	return Ask{Who: who, Does: does, Word: "yes"}
}

// TrustFromAsk returns what a person confirms to let whatever commands run that a branch has.
func TrustFromAsk(who record.Actor, branch string) Ask {
	does := "letting whatever commands the files of " + branch + " hold, now and after each fetch, run on this machine"
	return Ask{Who: who, Does: does, Word: "yes"}
}

// CommandsAsk returns what a person confirms to let commands run that are new in a clone.
func CommandsAsk(who record.Actor, commands int) Ask {
	does := "letting this command run on this machine, now and later"
	if commands > 1 {
		does = fmt.Sprintf("letting these %d commands run on this machine, now and later", commands)
	}
	return Ask{Who: who, Does: does, Word: "yes"}
}

// Unconfirmed returns the refusal of a write that a person has not confirmed. There must be at least one ask.
func Unconfirmed(asks []Ask) *record.Error {
	does := record.Each(asks, func(a Ask) string { return record.Clip(a.Does, 200) })
	e := record.Errorf(record.Forbidden, "%s has to confirm it at a terminal: %s", asks[0].Who, strings.Join(does, "; ")).
		WithHint("a person runs the command in a terminal and types what it asks for")
	if asks[0].settles() {
		e.Hint = record.Hintf("%s; a script acts as service: or ci:, on a check that names it", e.Hint)
	}
	e.ID = string(asks[0].ID)
	return e
}

// settles reports whether the ask is an attestation.
func (a Ask) settles() bool { return a.Word == string(record.Pass) || a.Word == string(record.Fail) }
