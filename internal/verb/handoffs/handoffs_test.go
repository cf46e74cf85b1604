package handoffs_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/identity"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// as is the same workspace for another actor.
func as(w *verb.Workspace, who record.Actor) *verb.Workspace {
	other := *w
	other.Actor = verb.As(who)
	return &other
}

// ask makes a handoff from human:lee.
func ask(t *testing.T, w *verb.Workspace, in verbtest.Args) handoffs.Handoff {
	t.Helper()
	if in["title"] == nil {
		in["title"] = "Which color?"
	}
	out, err := verbtest.Call[handoffs.Handoff](t, w, "handoff_create", in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func inbox(t *testing.T, w *verb.Workspace, in verbtest.Args) []handoffs.Item {
	t.Helper()
	if in == nil {
		in = verbtest.Args{}
	}
	out, err := verbtest.Call[verb.Items[handoffs.Item]](t, w, "inbox", in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Items
}

// whats is what is in an inbox, in words, the newest first.
func whats(items []handoffs.Item) string {
	var out []string
	for _, item := range items {
		out = append(out, fmt.Sprintf("%s %s", item.What, item.Record))
	}
	return strings.Join(out, ", ")
}

// Of calls with one fingerprint at the same time one makes a handoff, and the others get it. When it is over, another
// is made.
func TestOneHandoffOfAFingerprint(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	var mu sync.Mutex
	ids, reused := map[string]bool{}, 0
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			out := ask(t, w, verbtest.Args{"title": fmt.Sprint("Question ", n), "to": []string{"agent:a"}, "fingerprint": "color"})
			mu.Lock()
			defer mu.Unlock()
			ids[out.ID] = true
			if out.Reused {
				reused++
			}
		})
	}
	all.Wait()
	if len(ids) != 1 || reused != 7 {
		t.Errorf("made %v, reused %d", ids, reused)
	}
	for id := range ids {
		verbtest.Must(t, w, "handoff_resolve", verbtest.Args{"id": id})
		if out := ask(t, w, verbtest.Args{"to": []string{"agent:a"}, "fingerprint": "color"}); out.Reused || out.ID == id {
			t.Errorf("once it was over: %+v", out)
		}
	}
}

// A call that found a handoff with its fingerprint finds it again under its idempotency key, when that is over too.
func TestKeyOfAReusedHandoff(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	first := ask(t, w, verbtest.Args{"to": []string{"agent:a"}, "fingerprint": "color"})
	in := verbtest.Args{"to": []string{"agent:a"}, "fingerprint": "color", "idempotency_key": "k"}
	if out := ask(t, w, in); !out.Reused || out.ID != first.ID {
		t.Errorf("got %+v", out)
	}
	verbtest.Must(t, w, "handoff_resolve", verbtest.Args{"id": first.ID})
	if out := ask(t, w, in); !out.Replayed || out.ID != first.ID {
		t.Errorf("repeated: %+v", out)
	}
}

// A group is whoever the directory says, at the time of the call.
func TestHandoffToAGroup(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	h := ask(t, w, verbtest.Args{"to": []string{"group:painters"}})
	b := as(w, "agent:b")
	if _, err := verbtest.CallAny(t, b, "handoff_claim", verbtest.Args{"id": h.ID}); record.CodeOf(err) != record.Forbidden {
		t.Errorf("of no group: %v", err)
	}
	if got := whats(inbox(t, b, nil)); got != "" {
		t.Errorf("of no group, it has %s", got)
	}
	verbtest.Must(t, w, "register", verbtest.Args{"actor": "agent:b", "group": "painters"})
	if got := whats(inbox(t, b, nil)); got != "handoff "+h.ID {
		t.Errorf("of the group, it has %s", got)
	}
	verbtest.Must(t, b, "handoff_claim", verbtest.Args{"id": h.ID})
	verbtest.Must(t, b, "handoff_respond", verbtest.Args{"id": h.ID, "text": "red"})
	out, err := verbtest.Call[verb.Items[handoffs.Row]](t, w, "handoff_query", verbtest.Args{"direction": "from_me"})
	if err != nil || len(out.Items) != 1 || out.Items[0].Response == nil || out.Items[0].Response.Text != "red" || out.Items[0].Response.By != "agent:b" {
		t.Errorf("got %+v, %v", out, err)
	}
}

// What is asked of a group is approved by no agent that no person put there.
func TestApprovalsOfAGroup(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	h := ask(t, w, verbtest.Args{"to": []string{"group:painters"}, "type": "approval"})
	b := as(w, "agent:b")
	answer := func() error {
		_, err := verbtest.Call[handoffs.Handoff](t, b, "handoff_respond", verbtest.Args{"id": h.ID, "text": "it may"})
		return err
	}
	for _, who := range []*verb.Workspace{b, as(w, "agent:c")} {
		verbtest.Must(t, who, "register", verbtest.Args{"actor": "agent:b", "group": "painters"})
		if err := answer(); record.CodeOf(err) != record.Forbidden {
			t.Errorf("put there by an agent: %v", err)
		}
		verbtest.Must(t, w, "register", verbtest.Args{"actor": "agent:b", "group": "cooks"})
	}
	verbtest.Must(t, w, "register", verbtest.Args{"actor": "agent:b", "group": "painters"})
	if err := answer(); err != nil {
		t.Errorf("put there by a person: %v", err)
	}
}

// A claim that has lapsed is no longer in the way of the other recipients.
func TestLapsedClaimOfAHandoff(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	now := time.Now()
	w.Now = func() time.Time { return now }
	h := ask(t, w, verbtest.Args{"to": []string{"agent:a", "agent:b"}})
	verbtest.Must(t, as(w, "agent:a"), "handoff_claim", verbtest.Args{"id": h.ID})
	b := as(w, "agent:b")
	if _, err := verbtest.CallAny(t, b, "handoff_claim", verbtest.Args{"id": h.ID}); record.CodeOf(err) != record.Conflict || !strings.Contains(err.Error(), "agent:a") {
		t.Errorf("while it is held: %v", err)
	}
	now = now.Add(5 * time.Hour)
	out, err := verbtest.Call[handoffs.Handoff](t, b, "handoff_claim", verbtest.Args{"id": h.ID})
	if err != nil || out.Claim == nil || out.Claim.Actor != "agent:b" || out.Provenance[len(out.Provenance)-1].Did != record.TakenOver {
		t.Errorf("once it has lapsed: %+v, %v", out, err)
	}
}

// What each item is, and that acknowledging takes it out, and nothing else does.
func TestInbox(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	now := time.Now().Truncate(time.Second)
	w.Now = func() time.Time { now = now.Add(time.Second); return now }
	a := as(w, "agent:a")
	mine := verbtest.Must(t, w, "create", verbtest.Args{"title": "Mine", "checks": []verbtest.Args{{"desc": "looks good", "type": "manual", "by": "anyone"}}}).ID
	verbtest.Must(t, w, "update", verbtest.Args{"id": mine, "assignee": "agent:a"})
	toA := ask(t, w, verbtest.Args{"to": []string{"agent:a", "agent:b"}}).ID
	fromA := ask(t, a, verbtest.Args{"to": []string{"agent:b"}}).ID
	verbtest.Must(t, as(w, "agent:b"), "handoff_respond", verbtest.Args{"id": fromA, "text": "red"})
	if got, want := whats(inbox(t, a, nil)), fmt.Sprintf("answer %s, handoff %s, assigned %s", fromA, toA, mine); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}

	verbtest.Must(t, a, "claim", verbtest.Args{"id": mine}) // it is theirs already, which is no news
	verbtest.Must(t, a, "begin", verbtest.Args{"id": mine, "expected_actor": "agent:a", "idempotency_key": "k"})
	verbtest.Must(t, w, "attest", verbtest.Args{"id": mine, "check": "looks good", "pass": false, "text": "too dark"})
	items := inbox(t, a, nil)
	if got, want := whats(items), fmt.Sprintf("review %s, answer %s, handoff %s", mine, fromA, toA); got != want || items[0].Result != "fail" {
		t.Errorf("got %s\nwant %s", got, want)
	}

	all := inbox(t, a, nil)
	var ack []string
	for _, item := range all {
		ack = append(ack, item.ID)
	}
	if got := whats(inbox(t, a, verbtest.Args{"ack": ack})); got != "" {
		t.Errorf("acknowledged, it still has %s", got)
	}
	for _, item := range inbox(t, a, verbtest.Args{"unread": false}) {
		if item.Unread || !slices.Contains(ack, item.ID) {
			t.Errorf("is not acknowledged, or has another id: %+v", item)
		}
	}
	if got := whats(inbox(t, as(w, "agent:b"), nil)); got != "handoff "+toA {
		t.Errorf("another actor has %s", got)
	}
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	storetest.WantClean(t, s)
}

// A caller who may only read acknowledges in live state alone: no record changes, also not one that it claimed before.
func TestViewerAcknowledges(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	h := ask(t, w, verbtest.Args{"to": []string{"agent:a"}})
	a := as(w, "agent:a")
	verbtest.Must(t, a, "handoff_claim", verbtest.Args{"id": h.ID})
	file := filepath.Join(w.Dir, ".cairn", "handoffs", h.ID+".md")
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, rights := range map[string]verb.Rights{"viewer": {Profile: verb.Viewer}, "read-only": {Profile: verb.Maintainer, ReadOnly: true}, "scoped": {Profile: verb.Maintainer, Scope: "PROJ-1"}} {
		viewer := *a
		viewer.Rights = rights
		if got := whats(inbox(t, &viewer, verbtest.Args{"ack": []string{h.ID}})); got != "" {
			t.Errorf("%s: has %s", name, got)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != string(was) {
			t.Errorf("%s: the file changed (%v):\n%s", name, err, now)
		}
	}
	inbox(t, a, verbtest.Args{"ack": []string{h.ID}})
	if now, _ := os.ReadFile(file); !strings.Contains(string(now), "\nstatus: resolved\n") {
		t.Errorf("acknowledged by who claimed it:\n%s", now)
	}
	for _, bad := range []string{"", "../x", "PROJ-1", h.ID + "#", h.ID + "#zzzzzzzz", h.ID + "#0123456789", strings.Repeat("x", 300)} {
		if _, err := verbtest.Call[verb.Items[handoffs.Item]](t, a, "inbox", verbtest.Args{"ack": []string{bad}}); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("ack %q: %v", bad, err)
		}
	}
}

// Acknowledgements of several processes at once are all kept.
func TestAcknowledgedAtOnce(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	a := as(w, "agent:a")
	var ids []string
	for n := range 6 {
		ids = append(ids, ask(t, w, verbtest.Args{"title": fmt.Sprint("Question ", n), "to": []string{"agent:a"}}).ID)
	}
	var all sync.WaitGroup
	for _, id := range ids {
		all.Go(func() { inbox(t, a, verbtest.Args{"ack": []string{id}}) })
	}
	all.Wait()
	if got := whats(inbox(t, a, nil)); got != "" {
		t.Errorf("still has %s", got)
	}
}

// What live state holds of an inbox is not believed if it is damaged, or about another actor.
func TestDamagedInbox(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	a := as(w, "agent:a")
	h := ask(t, w, verbtest.Args{"to": []string{"agent:a"}})
	inbox(t, a, verbtest.Args{"ack": []string{h.ID}})
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"{", `{"actor": "agent:b", "acked": ["` + h.ID + `"]}`, `{"actor": "agent:a", "seen": -1, "acked": ["` + h.ID + `"]}`, ""} {
		storetest.WriteFile(t, s.Live.Inbox("agent:a"), text)
		if got := whats(inbox(t, a, nil)); got != "handoff "+h.ID {
			t.Errorf("with %q it has %s", text, got)
		}
	}
}

// An inbox is made of rows: no file is read that did not change. Each of the two has a megabyte, and so does not go
// unseen.
func TestInboxReadsRows(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	a := as(w, "agent:a")
	a.Reads = &verb.SharedReads{} // as a server has them: of few files no index is written
	id := verbtest.Must(t, w, "create", verbtest.Args{"title": "Given"}).ID
	verbtest.Must(t, w, "update", verbtest.Args{"id": id, "assignee": "agent:a"})
	h := ask(t, w, verbtest.Args{"to": []string{"agent:a"}})
	const long = 1 << 20
	for _, file := range []string{filepath.Join(w.Dir, ".cairn", "tasks", id+".md"), filepath.Join(w.Dir, ".cairn", "handoffs", h.ID+".md")} {
		src, err := os.ReadFile(file)
		if err == nil {
			err = os.WriteFile(file, append(src, strings.Repeat("x\n", long/2)...), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(2100 * time.Millisecond) // a file that changed just now is read again: the clocks of some file systems are that slow
	before := readSoFar(t)
	want := whats(inbox(t, a, nil))
	if !strings.Contains(want, "handoff "+h.ID) || !strings.Contains(want, "assigned "+id) {
		t.Fatalf("has %s", want)
	}
	first := readSoFar(t)
	if got := whats(inbox(t, a, nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if again := readSoFar(t) - first; first-before < 2*long || again >= long {
		t.Errorf("it read %d bytes, and then %d", first-before, again)
	}
}

// readSoFar is how many bytes this process has read.
func readSoFar(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/io")
	if err != nil {
		t.Skip("this system does not count what a process reads")
	}
	n := 0
	if _, err := fmt.Sscanf(string(text), "rchar: %d", &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// The delta has what others wrote since the cursor came back, and reading it moves nothing.
func TestDelta(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	now := time.Now().Truncate(time.Second)
	w.Now = func() time.Time { return now }
	a := as(w, "agent:a")
	delta := func(in verbtest.Args) identity.Delta {
		t.Helper()
		in["include"] = []string{"delta"}
		out, err := verbtest.Call[identity.Out](t, a, "identity", in)
		if err != nil {
			t.Fatal(err)
		}
		return *out.Delta
	}
	first := verbtest.Must(t, w, "create", verbtest.Args{"title": "One"}).ID
	verbtest.Must(t, a, "create", verbtest.Args{"title": "Of their own"})
	d := delta(verbtest.Args{})
	if d.Since != nil || d.Total != 1 || d.Changed["task"] != 1 || d.Newest[0].ID != first || d.Newest[0].Who != "human:lee" {
		t.Errorf("at first: %+v", d)
	}
	if again := delta(verbtest.Args{}); again.Total != 1 || again.Since != nil {
		t.Errorf("read again: %+v", again)
	}
	now = now.Add(time.Minute)
	verbtest.Must(t, w, "create", verbtest.Args{"title": "Between the reading and the ack"})
	if d = delta(verbtest.Args{"ack": d.Cursor}); d.Since == nil || d.Total != 1+1 { // that of the very second counts again
		t.Errorf("acknowledged: %+v", d)
	}
	old := d.Cursor
	now = now.Add(time.Minute)
	d = delta(verbtest.Args{"ack": old})
	now = now.Add(time.Minute)
	if d = delta(verbtest.Args{"ack": d.Cursor}); d.Total != 0 || d.Changed["task"] != 0 {
		t.Errorf("with nothing new: %+v", d)
	}
	if back := delta(verbtest.Args{"ack": old}); back.Total != 0 {
		t.Errorf("an old cursor moved it back: %+v", back)
	}
	for _, bad := range []string{"seen-", "seen-x", "1", "seen--1", "seen-99999999999"} {
		if _, err := verbtest.Call[identity.Out](t, a, "identity", verbtest.Args{"ack": bad}); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("ack %q: %v", bad, err)
		}
	}
}

// What a person answers to what asks for approval is written once they have confirmed it; a script in their name
// cannot, and neither can it end the handoff by acknowledging it.
func TestAnApprovalIsConfirmed(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	agent, person := as(w, "agent:a"), as(w, "human:ada")
	person.Confirm = nil
	h := ask(t, agent, verbtest.Args{"to": []string{"human:ada", "agent:b"}, "type": "approval"})
	verbtest.Must(t, person, "handoff_claim", verbtest.Args{"id": h.ID})
	for name, call := range map[string]func() error{
		"an answer": func() error {
			_, err := verbtest.CallAny(t, person, "handoff_respond", verbtest.Args{"id": h.ID, "text": "yes"})
			return err
		},
		"an end": func() error {
			_, err := verbtest.CallAny(t, person, "handoff_resolve", verbtest.Args{"id": h.ID})
			return err
		},
		"an acknowledgement": func() error {
			_, err := verbtest.CallAny(t, person, "inbox", verbtest.Args{"ack": []string{h.ID}})
			return err
		},
	} {
		if err := call(); record.CodeOf(err) != record.Forbidden || !strings.Contains(err.Error(), "has to confirm it at a terminal") {
			t.Errorf("%s: %v", name, err)
		}
	}
	asked := 0
	person.Confirm = func(_ context.Context, asks []task.Ask) error { asked += len(asks); return nil }
	out, err := verbtest.Call[handoffs.Handoff](t, person, "handoff_respond", verbtest.Args{"id": h.ID, "text": "yes"})
	if err != nil || asked != 1 || out.Response == nil || out.Response.Text != "yes" {
		t.Errorf("confirmed: %+v, %v, asked %d times", out.Response, err, asked)
	}
	person.Confirm = nil
	verbtest.Must(t, person, "handoff_resolve", verbtest.Args{"id": h.ID})
	mine := ask(t, person, verbtest.Args{"to": []string{"agent:b"}, "type": "approval"})
	if _, err := verbtest.CallAny(t, as(w, "agent:b"), "handoff_respond", verbtest.Args{"id": mine.ID, "text": "yes"}); err != nil {
		t.Errorf("by an agent, who has nothing to confirm: %v", err)
	}
}

// When a handoff is due is said as of a task: a date, to the end of that day, or a time; or how long from now, which
// becomes a time.
func TestDueOfAHandoff(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	w.Now = func() time.Time { return time.Date(2026, 12, 31, 10, 0, 0, 0, time.UTC) }
	for in, want := range map[string]string{
		"2027-01-01": "2027-01-01", "2027-01-01T12:00:00+02:00": "2027-01-01T10:00:00Z", "24h": "2027-01-01T10:00:00Z", "": "",
	} {
		h := ask(t, w, verbtest.Args{"to": []string{"human:ada"}, "due": in})
		if got, _ := h.Fields["due"].(string); got != want {
			t.Errorf("due %q is %q, want %q", in, got, want)
		}
	}
	if _, err := verbtest.Call[handoffs.Handoff](t, w, "handoff_create", verbtest.Args{"title": "x", "to": []string{"human:ada"}, "due": "soon"}); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("due soon: %v", err)
	}
}

// Who asks nobody is told so; nobody is told of who is known, or of a group with members.
func TestHandoffToNobodyIsTold(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	verbtest.Must(t, w, "register", verbtest.Args{"actor": "agent:b", "group": "crew"})
	out, err := verbtest.Call[handoffs.Handoff](t, w, "handoff_create", verbtest.Args{"title": "Locks?", "to": []string{"me", "agent:b", "group:crew", "agent:none", "group:none"}})
	if err != nil || len(out.Notices) != 2 || !strings.Contains(out.Notices[0].Message+out.Notices[1].Message, "agent:none is not known here") {
		t.Errorf("%+v, %v", out.Notices, err)
	}
}

// What an agent proposed waits for every person, and a manual check for whoever may settle it, once the commands have
// passed or the work was handed over. A question says what it is about, and each says the command that settles it.
func TestWhatWaitsToBeSettled(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	w.Actor = verb.As("human:ada")
	agent := as(w, "agent:a")
	proposed := verbtest.Must(t, agent, "decision_log", verbtest.Args{"title": "Keys", "choice": "UUIDs"}).ID
	verbtest.Must(t, w, "decision_log", verbtest.Args{"title": "Mine", "choice": "mine", "status": "proposed"})
	checks := []verbtest.Args{{"desc": "tests pass", "cmd": "true"}}
	begun := verbtest.Must(t, w, "create", verbtest.Args{"title": "Begun", "checks": checks, "acceptance": []string{"read aloud"}}).ID
	open := verbtest.Must(t, w, "create", verbtest.Args{"title": "Not run", "checks": checks, "acceptance": []string{"read aloud"}}).ID
	handed := verbtest.Must(t, w, "create", verbtest.Args{"title": "Handed over", "acceptance": []string{"read aloud"}}).ID
	verbtest.ApproveAll(t, w)
	for _, id := range []string{begun, open, handed} {
		verbtest.Must(t, w, "start", verbtest.Args{"id": id})
	}
	verbtest.Must(t, w, "run_checks", verbtest.Args{"id": begun})
	verbtest.Must(t, w, "transition", verbtest.Args{"id": handed, "to": "in_review"})
	asked := ask(t, agent, verbtest.Args{"to": []string{"human:ada"}, "type": "question", "about": []string{open}}).ID
	taken := ask(t, agent, verbtest.Args{"to": []string{"human:ada"}}).ID
	next := func(id string) string {
		list, err := verbtest.Call[verb.Items[handoffs.Waiting]](t, w, "review_list", verbtest.Args{})
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range list.Items {
			if one.Record == id {
				return strings.Join(append([]string{one.What, one.Next}, one.About...), "|")
			}
		}
		return ""
	}
	for _, tt := range []struct{ name, id, want string }{
		{"a decision", proposed, "decision|cairn decision set-status " + proposed + " accepted"},
		{"a check behind commands", begun, "check|cairn attest " + begun + " 1 --pass"},
		{"a check before the commands ran", open, ""},
		{"a check of what was handed over", handed, "check|cairn attest " + handed + " 0 --pass"},
		{"a question", asked, "question|cairn answer " + asked + " TEXT|" + open},
		{"work to take over", taken, "handoff|cairn handoff claim " + taken},
	} {
		if got := next(tt.id); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := whats(inbox(t, w, verbtest.Args{"types": []string{"check", "decision"}})); strings.Count(got, ",") != 2 {
		t.Errorf("the inbox has %s", got)
	}
	if got := whats(inbox(t, agent, verbtest.Args{"types": []string{"check", "decision"}})); got != "" {
		t.Errorf("the agent has %s", got)
	}
	verbtest.Must(t, w, "handoff_claim", verbtest.Args{"id": taken})
	if got := next(taken); got != "handoff|cairn answer "+taken+" TEXT" {
		t.Errorf("taken, it has %q", got)
	}
	verbtest.Must(t, w, "decision_set_status", verbtest.Args{"id": proposed, "status": "accepted"})
	verbtest.Must(t, w, "attest", verbtest.Args{"id": handed, "check": "0", "pass": true})
	if got := next(proposed) + next(handed); got != "" {
		t.Errorf("settled, they have %q", got)
	}
}
