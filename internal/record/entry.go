package record

import (
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"
)

// Did is the kind of write that appended an entry.
type Did string

// The kinds of write.
const (
	Created      Did = "created"
	Claimed      Did = "claimed"
	Released     Did = "released"
	Assigned     Did = "assigned"
	Began        Did = "began"
	Finished     Did = "finished"
	Failed       Did = "failed"
	Canceled     Did = "canceled"
	Asked        Did = "asked"     // its agent asked something, and waits for the answer without holding it
	Abandoned    Did = "abandoned" // only of a session: somebody else's write ended it
	TakenOver    Did = "taken_over"
	Transitioned Did = "transitioned"
	Checked      Did = "checked"
	Attested     Did = "attested"
	GuardsSeen   Did = "guards_seen" // a person looked at changed files on which the checks stand
	Approved     Did = "approved"    // an approval that no check of the task asks for
	Rejected     Did = "rejected"    // sent back to work, by who is not the reviewer
	Noted        Did = "noted"
	Updated      Did = "updated"
	Responded    Did = "responded" // of a handoff: an answer
	Resolved     Did = "resolved"  // of a handoff: it is over
	Restored     Did = "restored"  // taken out of the trash of a clone
	Deleted      Did = "deleted"   // only in the trash of a clone
)

// Entry is one line of provenance: who changed the record, when, and how. A file leaves out the fields that are empty.
type Entry struct {
	Who      Actor         `json:"who,omitempty"`
	At       time.Time     `json:"at"` // UTC, whole seconds
	Did      Did           `json:"did,omitempty"`
	From     Status        `json:"from,omitempty"` // set, with To, when the status moved
	To       Status        `json:"to,omitempty"`
	Assignee *Actor        `json:"assignee,omitempty"` // set when the holder changed; points to "" when the task was let go
	Results  []CheckResult `json:"results,omitempty"`  // set when checks were run or attested
	Commit   string        `json:"commit,omitempty"`   // HEAD when the checks ran
	Tree     string        `json:"tree,omitempty"`     // fingerprint of the working tree, if it held still while the checks ran
	Checks   []string      `json:"checks,omitzero"`    // task.Check.Hash of each declared check, when the list was set or changed; nil when it was not
	Deps     string        `json:"deps,omitempty"`     // task.DepsHash of the dependencies, when they were set or changed

	AddDeps    []ID     `json:"add_deps,omitempty"`    // dependencies that were added
	RemoveDeps []ID     `json:"remove_deps,omitempty"` // dependencies that were taken away
	Fields     []string `json:"fields,omitempty"`      // keys of the file that were changed and that nothing else in the entry describes

	Text    string `json:"text,omitempty"`    // a note, a reason, a summary; 4 KiB at most
	Session string `json:"session,omitempty"` // the session that it tells of, or under which it was written
	Key     string `json:"key,omitempty"`     // hash of the idempotency key it was written under

	Sig string `json:"sig,omitempty"` // signature of what it approves, see task.Approval; on one line

	Detail *Detail `json:"detail,omitempty"` // what few kinds of write say; in a file its keys stand among the others. Nil for nothing

	Old bool `json:"-"` // its did was read from a wording of the original cairn
}

// EntryValues returns the keys that an entry has in a file, those of times apart from all others. With them entries can
// be compared by what they say, not by how it is written. Keys that are not listed belong to other programs.
var EntryValues = sync.OnceValue(func() (values struct{ Texts, Times []string }) {
	for f := range reflect.TypeFor[Entry]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch f.Type {
		case reflect.TypeFor[time.Time]():
			values.Times = append(values.Times, name)
		case reflect.TypeFor[*Detail]():
			values.Texts = append(values.Texts, membersOf(f.Type.Elem())...)
		default:
			values.Texts = append(values.Texts, name)
		}
	}
	return values
})

// Hash identifies what an entry says, however its line is written: 16 hex digits.
func (e Entry) Hash() string { return Digest(e.parts()...) }

// Digest is the whole hash of the entry, of its JSON form: what is signed, or known beside the record, names the entry by
// it. Entries that are not Equal have not the same form.
func (e Entry) Digest() string {
	e.At = e.At.UTC().Truncate(time.Second)
	src, _ := json.Marshal(e) // every entry can be encoded
	return FullHash(string(src))
}

// parts are what the hash of an entry is made of.
func (e Entry) parts() []string {
	parts := []string{string(e.Who), e.At.UTC().Format(time.RFC3339), string(e.Did), string(e.From), string(e.To),
		e.Commit, e.Tree, e.Text, e.Session, e.Key, e.Deps}
	if e.Assignee != nil {
		parts = append(parts, "assignee", string(*e.Assignee))
	}
	for _, r := range e.Results {
		parts = append(parts, r.Check, string(r.Result))
		if r.Held != "" {
			parts = append(parts, "held", r.Held)
		}
	}
	if e.Sig != "" {
		parts = append(parts, "sig", e.Sig)
	}
	if e.Checks != nil {
		parts = append(append(parts, "checks"), e.Checks...)
	}
	parts = append(append(parts, "add_deps"), Texts(e.AddDeps)...)
	parts = append(append(parts, "remove_deps"), Texts(e.RemoveDeps)...)
	parts = append(append(parts, "fields"), e.Fields...)
	return append(parts, e.Detail.parts()...)
}

// Equal reports whether two entries say the same. It compares member by member, since in the parts of a hash a list runs
// into the next key.
func (e Entry) Equal(other Entry) bool {
	sameHolder := e.Assignee == other.Assignee || e.Assignee != nil && other.Assignee != nil && *e.Assignee == *other.Assignee
	return sameHolder && slices.Equal(e.Results, other.Results) &&
		e.Who == other.Who && e.At.Equal(other.At) && e.Did == other.Did && e.From == other.From && e.To == other.To &&
		e.Commit == other.Commit && e.Tree == other.Tree &&
		(e.Checks == nil) == (other.Checks == nil) && slices.Equal(e.Checks, other.Checks) &&
		e.Deps == other.Deps && slices.Equal(e.AddDeps, other.AddDeps) && slices.Equal(e.RemoveDeps, other.RemoveDeps) &&
		slices.Equal(e.Fields, other.Fields) && e.Text == other.Text && e.Session == other.Session && e.Key == other.Key &&
		e.Sig == other.Sig && e.Detail.equal(other.Detail)
}

// Holder returns whom an entry made the holder of the task, and whether it changed the holder. For entries of earlier
// programs, which do not record that, it follows from the kind of the entry.
func (e Entry) Holder() (Actor, bool) {
	switch {
	case e.Assignee != nil:
		return *e.Assignee, true
	case e.Did == Claimed, e.Did == Began, e.Did == TakenOver:
		return e.Who, true
	case e.Did == Released:
		return "", true
	}
	return "", false
}

// OfAttempt reports whether the entry tells that a session about the record began, took over or ended. The session of
// any other entry is the one under which its writer was at work, and may be about something else.
func (e Entry) OfAttempt() bool {
	return e.Session != "" && (e.Did == Began || e.Did == TakenOver || e.Did == Finished || e.Did == Failed || e.Did == Canceled || e.Did == Asked)
}

// UnhashedAll stands for every check of its kind, in entries of the original cairn, whose results name no check.
const UnhashedAll = "*"

// ReadDid sets e.Did, and what else the text of that key implies. It reads the wordings of the original cairn ("ran
// checks", "transitioned to X", "note", "began session S", "finished session S", "canceled session S", "attested",
// "check N pass") as today's kinds, with results that name no check. The original says in an attestation's text which
// check it is about, so e.Text must be set before. An unknown wording is kept as it is.
func (e *Entry) ReadDid(text string) {
	if strings.IndexFunc(text, unicode.IsSpace) < 0 && text != "note" && (text != string(Attested) || len(e.Results) > 0) {
		e.Did, e.Old = Did(text), false // all of today's kinds
		return
	}
	words := strings.Fields(text)
	e.Old = true
	switch {
	case text == "note":
		e.Did = Noted
	case text == "ran checks":
		e.Did, e.Results = Checked, defaultResults(e.Results, UnhashedAll, Pass)
	case text == string(Attested) && len(e.Results) == 0:
		check, result, ok := checkWords(strings.Fields(e.Text))
		if !ok {
			check, result = UnhashedAll, Pass
		}
		e.Did, e.Results = Attested, defaultResults(e.Results, check, result)
	case len(words) == 3 && text == "transitioned to "+words[2]:
		e.Did, e.To = Transitioned, Status(words[2])
	case len(words) == 3 && sessionWords[words[0]] != "" && text == words[0]+" session "+words[2]:
		e.Did, e.Session = sessionWords[words[0]], words[2]
	default:
		check, result, ok := checkWords(words)
		if !ok {
			e.Did, e.Old = Did(text), false
			return
		}
		e.Did, e.Results = Checked, defaultResults(e.Results, check, result)
	}
}

// sessionWords is what stands before "session S" in the original's entries.
var sessionWords = map[string]Did{"began": Began, "finished": Finished, "canceled": Canceled, "cancelled": Canceled}

// checkWords reads "check N pass" and "check N fail".
func checkWords(words []string) (check string, r Result, ok bool) {
	if len(words) != 3 || words[0] != "check" {
		return "", "", false
	}
	n, err := strconv.Atoi(words[1])
	return words[1], Result(words[2]), err == nil && n >= 0
}

func defaultResults(have []CheckResult, check string, r Result) []CheckResult {
	if len(have) > 0 {
		return have
	}
	return []CheckResult{{Check: check, Result: r, Unhashed: true}}
}

// shortHash is how many digits of the hash of an entry name it within its record.
const shortHash = 8

// ShortHash names an entry within its record: the first 8 digits of its Hash.
func (e Entry) ShortHash() string { return e.Hash()[:shortHash] }

// IsShortHash reports whether a text can be a ShortHash.
func IsShortHash(s string) bool { return isHex(s, shortHash, shortHash) }

// WithDeps applies to a list of dependencies what an entry added and removed.
func (e Entry) WithDeps(deps []ID) []ID {
	if len(e.AddDeps)+len(e.RemoveDeps) == 0 {
		return deps
	}
	gone := SetOf(e.RemoveDeps)
	out := slices.DeleteFunc(slices.Clone(deps), func(id ID) bool { return gone[id] })
	have := SetOf(out)
	for _, id := range e.AddDeps {
		if !have[id] {
			have[id] = true
			out = append(out, id)
		}
	}
	return out
}

// Rejection reports whether an entry sends the task back to work: a rejection by its reviewer, or by anybody who may.
func (e Entry) Rejection() bool { return e.Did == Rejected || e.Did == Attested && e.To != "" }

// Moves reports whether an entry is for who has the record: it moves the record, sends the work back, ends it or gives
// it to another.
func (e Entry) Moves() bool {
	_, gives := e.Holder()
	return e.To != "" || gives || e.Did == Rejected || e.Did == Finished || e.Did == Failed || e.Did == Canceled || e.Did == Asked
}

// Excuses reports whether the entry is by a person who recorded the list of checks and gave a reason.
func (e Entry) Excuses() bool { return e.Checks != nil && e.Who.Human() && e.Text != "" }
