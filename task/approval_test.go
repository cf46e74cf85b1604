package task

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// stamps are signers that sign with a hash: good enough for rules, which know nothing of keys.
type stamps map[record.Actor]string // actors and their keys

func (s stamps) sign(a Approval, key string) string {
	message, err := a.Message()
	if err != nil {
		panic(err)
	}
	sum := sha256.Sum256(append([]byte(key+"\x00"), message...))
	return key + " " + hex.EncodeToString(sum[:])
}

func (s stamps) Verify(message []byte, sig string, who record.Actor, _ time.Time) error {
	key, _, _ := strings.Cut(sig, " ")
	if s[who] != key {
		return errors.New("allowed_signers has no such key of " + string(who))
	}
	sum := sha256.Sum256(append([]byte(key+"\x00"), message...))
	if sig != key+" "+hex.EncodeToString(sum[:]) {
		return ErrOtherMessage
	}
	return nil
}

var (
	keys      = stamps{"human:ada": "k1", "human:bob": "k2", "agent:a": "k3"}
	signing   = Flow{Lifecycle: Lifecycle{States: []record.Status{"todo", "done"}, Initial: "todo", Closed: []record.Status{"done"}}, Attesters: Attesters{Settles: BySigned, Prefix: "T", Signers: keys}}
	signedAt  = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	unsettled = Task{ID: "T-1", Title: "t", Status: "todo", Checks: []Check{
		{Desc: "read", Result: record.Pending}, {Desc: "tried", Result: record.Pending}, {Desc: "tested", Cmd: "true", Result: record.Pending},
	}}
)

// approveAs attests check 0 with a signature.
func approveAs(t *testing.T, f Flow, task Task, who record.Actor, pass bool, tree string) Task {
	t.Helper()
	s := record.Stamp{Who: who, At: signedAt, Text: "looked\nat it"}
	a, ok, err := f.Approve(task, 0, pass, s, "c1", tree)
	if err != nil || !ok {
		t.Fatalf("Approve: %v, %v", ok, err)
	}
	next, e, err := f.AttestSigned(task, 0, a, keys.sign(a, keys[who]), s)
	if err != nil || e == nil {
		t.Fatalf("AttestSigned: %v", err)
	}
	return next
}

func TestMessageOfAnApproval(t *testing.T) {
	a := Approval{Workspace: "SHOP", Approves: ApprovesCheck, Record: "SHOP-1", Check: "a person has read it", Declaration: "0123456789abcdef",
		Result: record.Pass, Who: "human:ada", At: signedAt, Commit: "c1", Tree: "f1", Text: "read it\ntwice"}
	got, err := a.Message()
	want := `cairn approval 1
workspace: SHOP
approves: check
record: SHOP-1
check: a person has read it
declaration: 0123456789abcdef
result: pass
who: human:ada
at: 2026-11-21T12:00:00Z
commit: c1
tree: f1
text: read it
twice
`
	if err != nil || string(got) != want {
		t.Errorf("%v\n%s", err, got)
	}
	a.Commit, a.Tree, a.Text = "", "", ""
	if got, _ := a.Message(); strings.Contains(string(got), "commit") || strings.Contains(string(got), "tree") || strings.Contains(string(got), "text") {
		t.Errorf("what is empty is there:\n%s", got)
	}
	for _, broken := range []string{"read\nresult: pass", "a\rb", "a\u2028b", "a\u0085b"} {
		a.Check = broken
		if _, err := a.Message(); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("a check called %q can be signed", broken)
		}
	}
}

// Whatever is changed about a signed attestation, it counts no more.
func TestSignatureHoldsForWhatWasSigned(t *testing.T) {
	signed := approveAs(t, signing, unsettled, "human:ada", true, "f1")
	if flaw := signing.Signature(signed, 0); flaw != nil {
		t.Fatalf("the signature does not hold: %v", flaw)
	}
	if got := signed.EvidenceIndex().Recorded(signing, 0); got != record.Pass {
		t.Fatalf("recorded %s", got)
	}
	for name, row := range map[string]struct {
		change    func(*Task, *record.Entry, *Flow)
		elsewhere bool
	}{
		"another task":      {change: func(t *Task, _ *record.Entry, _ *Flow) { t.ID = "T-2" }},
		"another workspace": {change: func(_ *Task, _ *record.Entry, f *Flow) { f.Prefix = "SHOP" }},
		"another check": {change: func(_ *Task, e *record.Entry, _ *Flow) {
			e.Results = []record.CheckResult{{Check: "tried", Result: record.Pass}}
		}, elsewhere: true},
		"a check that is a command": {change: func(_ *Task, e *record.Entry, _ *Flow) {
			e.Results = []record.CheckResult{{Check: unsettled.Checks[2].Key(unsettled.ID), Result: record.Pass}}
		}, elsewhere: true},
		"a check that asks others": {change: func(t *Task, _ *record.Entry, _ *Flow) { t.Checks[0].By = "signed human:ada" }, elsewhere: true},
		"another result": {change: func(_ *Task, e *record.Entry, _ *Flow) {
			e.Results = []record.CheckResult{{Check: "read", Result: record.Fail}}
		}},
		"a second result": {change: func(_ *Task, e *record.Entry, _ *Flow) {
			e.Results = append(e.Results, record.CheckResult{Check: "tried", Result: record.Pass})
		}},
		"the same result twice":        {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Results = append(e.Results, e.Results[0]) }},
		"no result":                    {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Results = nil }},
		"a result from old wordings":   {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Results[0].Unhashed = true }},
		"another person":               {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Who = "human:bob" }},
		"a person without a key":       {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Who = "human:eve" }},
		"another time":                 {change: func(_ *Task, e *record.Entry, _ *Flow) { e.At = e.At.Add(time.Second) }},
		"another commit":               {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Commit = "c2" }},
		"another state of the files":   {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Tree = "f2" }},
		"another text":                 {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Text = "looked at it" }},
		"another kind of entry":        {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Did = record.Transitioned }},
		"an entry that moves":          {change: func(_ *Task, e *record.Entry, _ *Flow) { e.From, e.To = "todo", "done" }},
		"an entry that assigns":        {change: func(_ *Task, e *record.Entry, _ *Flow) { who := record.Actor("agent:a"); e.Assignee = &who }},
		"an entry that changes checks": {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Checks = []string{"x"} }},
		"a signature that is cut":      {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Sig = e.Sig[:20] }},
		"no signature":                 {change: func(_ *Task, e *record.Entry, _ *Flow) { e.Sig = "" }},
		"no keys":                      {change: func(_ *Task, _ *record.Entry, f *Flow) { f.Signers = nil }},
		"a key that is taken away":     {change: func(_ *Task, _ *record.Entry, f *Flow) { f.Signers = stamps{} }},
		"a place below later entries": {change: func(t *Task, e *record.Entry, _ *Flow) {
			t.Provenance = append([]record.Entry{{Who: "human:ada", At: e.At.Add(time.Hour), Did: record.Noted}}, t.Provenance...)
		}, elsewhere: true},
		"a tree that another entry tells of": {change: func(t *Task, e *record.Entry, _ *Flow) {
			t.Provenance = append([]record.Entry{{Who: "agent:a", At: e.At, Did: record.Checked, Tree: e.Tree, Commit: e.Commit}}, t.Provenance...)
			t.Provenance[1].Tree = "f2"
		}, elsewhere: true},
	} {
		t.Run(name, func(t *testing.T) {
			task, f := signed, signing
			task.Checks = append([]Check(nil), signed.Checks...)
			e := signed.Provenance[0]
			e.Results = append([]record.CheckResult(nil), e.Results...)
			task.Provenance = []record.Entry{e}
			row.change(&task, &task.Provenance[0], &f)
			flaw := f.Signature(task, len(task.Provenance)-1)
			if flaw == nil {
				t.Fatal("it holds")
			}
			elsewhere := flaw.Elsewhere || flaw.Other && f.SignedInstead(task, len(task.Provenance)-1) != ""
			if elsewhere != row.elsewhere {
				t.Errorf("the flaw is %+v, and it was made for %q", flaw, f.SignedInstead(task, len(task.Provenance)-1))
			}
			if got := task.EvidenceIndex().Recorded(f, 0); got == record.Pass {
				t.Error("and the pass counts all the same")
			}
		})
	}
}

// Of whom a signature is asked, and what counts at the gate.
func TestSignedChecksAtTheGate(t *testing.T) {
	attest := func(f Flow, task Task, who record.Actor) (Task, error) {
		next, _, err := f.Attest(task, 0, true, record.Stamp{Who: who, At: signedAt})
		return next, err
	}
	by := func(by string) Task {
		task := unsettled
		task.Checks = []Check{{Desc: "read", By: by, Result: record.Pending}}
		return task
	}
	human := signing
	human.Settles = ByHuman
	for name, row := range map[string]struct {
		flow     Flow
		by       string
		unsigned record.Code // that an unsigned pass by ada is refused with
		signed   map[record.Actor]record.Code
	}{
		"attest: signed":                {signing, "", record.Forbidden, map[record.Actor]record.Code{"human:ada": "", "human:bob": "", "agent:a": record.Forbidden}},
		"attest: human":                 {human, "", "", map[record.Actor]record.Code{"human:ada": "", "agent:a": record.Forbidden}},
		"by: signed":                    {human, "signed", record.Forbidden, map[record.Actor]record.Code{"human:ada": "", "human:bob": "", "agent:a": record.Forbidden}},
		"by: signed and a person":       {human, "signed human:ada", record.Forbidden, map[record.Actor]record.Code{"human:ada": "", "human:bob": record.Forbidden, "agent:a": record.Forbidden}},
		"by: signed and an agent":       {human, "signed agent:a", record.Forbidden, map[record.Actor]record.Code{"human:ada": record.Forbidden, "agent:a": ""}},
		"by: anyone goes before config": {signing, "anyone", "", map[record.Actor]record.Code{"agent:a": ""}},
	} {
		t.Run(name, func(t *testing.T) {
			task := by(row.by)
			if err := ValidChecks(task.Checks); err != nil {
				t.Fatal(err)
			}
			if _, err := attest(row.flow, task, "human:ada"); record.CodeOf(err) != row.unsigned {
				t.Errorf("an unsigned pass: %v", err)
			}
			for who, code := range row.signed {
				s := record.Stamp{Who: who, At: signedAt}
				a, _, err := row.flow.Approve(task, 0, true, s, "", "f1")
				if record.CodeOf(err) != code {
					t.Errorf("%s: %v", who, err)
				}
				if err != nil {
					continue
				}
				next, _, err := row.flow.AttestSigned(task, 0, a, keys.sign(a, keys[who]), s)
				if err != nil {
					t.Errorf("%s: %v", who, err)
				}
				if err := row.flow.ChecksGate(next, "done", Proof{Tree: "f1"}, who); err != nil {
					t.Errorf("%s cannot close: %v", who, err)
				}
				stale := row.flow.ChecksGate(next, "done", Proof{Tree: "f2"}, who)
				if want := row.flow.MustSign(task.Checks[0]); (stale != nil) != want {
					t.Errorf("%s on other files: %v", who, stale)
				}
				if row.flow.MustSign(task.Checks[0]) && row.flow.ChecksGate(next, "done", Proof{}, who) == nil {
					t.Errorf("%s closes files that nobody knows", who)
				}
			}
		})
	}
	// A pass that is written by hand, or that was attested before signatures were asked for, waits.
	task := by("signed")
	plain, err := attest(human, by(""), "human:ada")
	if err != nil {
		t.Fatal(err)
	}
	task.Checks[0].Result, task.Provenance = record.Pass, plain.Provenance
	if err := signing.ChecksGate(task, "done", Proof{Tree: "f1"}, "human:ada"); record.CodeOf(err) != record.ChecksPending || !strings.Contains(err.Error(), "not signed") {
		t.Errorf("an unsigned pass at the gate: %v", err)
	}
	// Failing a check needs no signature: it only holds the task up.
	if _, _, err := signing.Attest(by("signed"), 0, false, record.Stamp{Who: "human:ada", At: signedAt}); err != nil {
		t.Errorf("an unsigned fail: %v", err)
	}
}

func TestApprovalIsPreparedForOneMoment(t *testing.T) {
	s := record.Stamp{Who: "human:ada", At: signedAt}
	a, _, err := signing.Approve(unsettled, 0, true, s, "c1", "f1")
	if err != nil {
		t.Fatal(err)
	}
	sig := keys.sign(a, "k1")
	s.At = signedAt.Add(time.Minute) // the clock went on while it was signed
	next, e, err := signing.AttestSigned(unsettled, 0, a, sig, s)
	if err != nil || !e.At.Equal(signedAt) || next.Checks[0].Result != record.Pass || unsettled.Checks[0].Result != record.Pending {
		t.Errorf("%v, at %s", err, e.At)
	}
	later := unsettled.With(record.Entry{Who: "agent:a", At: signedAt.Add(time.Second), Did: record.Noted})
	if _, _, err := signing.AttestSigned(later, 0, a, sig, s); record.CodeOf(err) != record.Conflict {
		t.Errorf("the record moved on: %v", err)
	}
	changed := unsettled
	changed.Checks = []Check{{Desc: "read", By: "human:ada"}}
	if _, _, err := signing.AttestSigned(changed, 0, a, sig, s); record.CodeOf(err) != record.Conflict {
		t.Errorf("the check changed: %v", err)
	}
	if _, _, err := signing.AttestSigned(unsettled, 0, a, keys.sign(a, "k2"), s); record.CodeOf(err) != record.Forbidden {
		t.Errorf("the key of another: %v", err)
	}
	// Signing again what is signed for the same files changes nothing; for other files it does.
	if _, again, err := signing.Approve(next, 0, true, record.Stamp{Who: "human:ada", At: s.At}, "c1", "f1"); again || err != nil {
		t.Errorf("signed again: %v, %v", again, err)
	}
	if _, again, err := signing.Approve(next, 0, true, record.Stamp{Who: "human:ada", At: s.At}, "c2", "f2"); !again || err != nil {
		t.Errorf("signed for other files: %v, %v", again, err)
	}
}

func TestStricter(t *testing.T) {
	for _, row := range [][3]string{
		{"signed", "human", "signed"}, {"human", "signed", "signed"}, {"anyone", "signed", "signed"},
		{"human", "anyone", "human"}, {"anyone", "human", "human"}, {"anyone", "anyone", "anyone"},
	} {
		if got := Stricter(row[0], row[1]); got != row[2] {
			t.Errorf("of %s and %s: %s", row[0], row[1], got)
		}
	}
}

// A command is settled by running it, with a signature as without.
func TestCommandsAreNotSigned(t *testing.T) {
	if _, _, err := signing.Approve(unsettled, 2, true, record.Stamp{Who: "human:ada", At: signedAt}, "c1", "f1"); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("%v", err)
	}
}
