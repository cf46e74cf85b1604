package runner

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// asks is an executor that asks at first, by its last message, and once it is told an answer makes the file good.
const asks = `prompt=$(cat)
case $prompt in
*"answered: good"*|*"default counts: good"*) echo good >file; echo "as you said" ;;
*) echo draft >draft; echo 'I drew a draft.'; echo 'QUESTION: What is it to say?'; echo 'OPTION: good'; echo 'OPTION: bad'; printf "$MORE" ;;
esac`

// question is what a job asked, in its work tree.
func (f *field) question(one job.Job) ledger.Handoff {
	f.Helper()
	h, err := kind.Handoffs.Get(f.there(one), ledger.HandoffID(one.Status.Question))
	if err != nil {
		f.Fatal(err)
	}
	return h
}

// answer answers what a job asked, as a person who confirms it.
func (f *field) answer(one job.Job, text string) {
	f.Helper()
	w := f.w.At(one.Status.Worktree)
	if _, err := verb.Do(f.Context(), w, handoffs.Respond, handoffs.RespondIn{ID: ledger.HandoffID(one.Status.Question), Text: text}); err != nil && !verb.IsUnconfirmed(err) {
		f.Fatal(err)
	} else if err == nil {
		f.Fatal("nobody was asked to confirm it")
	}
	v, err := verb.CallTyped[handoffs.Handoff](f.Context(), w, respond(), handoffs.RespondIn{ID: ledger.HandoffID(one.Status.Question), Text: text})
	if err != nil || v.Status != ledger.HandoffResponded {
		f.Fatal(v.Status, err)
	}
}

func respond() verb.Verb {
	return handoffs.Verbs[slices.IndexFunc(handoffs.Verbs, func(v verb.Verb) bool { return v.Name == "handoff_respond" })]
}

// A job whose program asks waits: with its work and the question committed, its session ended as waiting, nobody holding
// the task, no slot, and no attempt used. Ten minutes later, by the clock of the test, it is answered, and goes on in the
// same conversation with question and answer in front.
func TestAJobAsksAndGoesOn(t *testing.T) {
	f := newField(t)
	later := time.Duration(0)
	f.w.Now = func() time.Time { return time.Now().Add(later) }
	f.agent.line, f.agent.resumes = asks, true
	one := f.run()
	f.want(one, job.Waiting, "")
	f.clean(one)
	h := f.question(one)
	if h.Title != "What is it to say?" || h.Type != ledger.Question || !slices.Equal(h.Options, []string{"good", "bad"}) || !slices.Equal(h.To, []ledger.Recipient{"human:lee"}) {
		t.Errorf("it asks %+v", h)
	}
	got := f.task(one)
	ses, err := kind.Sessions.Get(f.there(one), one.Status.Session)
	if err != nil || ses.Status != session.Waiting || got.Assignee != "" || one.Status.Attempt != 1 || one.Status.Process != 0 {
		t.Errorf("its session is %s, %v; the task is %s's; attempt %d", ses.Status, err, got.Assignee, one.Status.Attempt)
	}
	if known := f.s.Known(got.ID.Ref()); known.State != nil && known.State.Lease != nil {
		t.Errorf("there is a lease: %+v", known.State.Lease)
	}
	if work.Jobs(f.s).Sleeps(one.Spec.Job) {
		t.Error("a process is left")
	}
	if _, settled := work.Outcome(f.s, one, f.w.Now()); settled {
		t.Error("it is answered already")
	}
	later = 10 * time.Minute
	f.answer(one, "good")
	if came, settled := work.Outcome(f.s, one, f.w.Now()); !settled || came.By != "human:lee" {
		t.Fatalf("the answer is %+v, %v", came, settled)
	}
	one = f.runIt(one.Spec.Job)
	f.want(one, job.Succeeded, "")
	told, run := f.agent.prompts()[1], f.agent.runs[1]
	if !strings.HasPrefix(told, "## The answer to your question\n\nYou asked: What is it to say?\n\nhuman:lee answered: good\n") {
		t.Errorf("it was told\n%s", told)
	}
	if run.Resume != "again" || one.Status.Attempt != 1 || one.Status.Question != "" || one.Status.Questions != 1 {
		t.Errorf("it went on in %q: %+v", run.Resume, one.Status)
	}
	if strings.Contains(told, "interrupted") {
		t.Errorf("it was told that it was interrupted:\n%s", told)
	}
}

// Without an answer until a time, the default of a question counts, and a process without a slot sees to that.
func TestADefaultGoesOnByItself(t *testing.T) {
	f := newField(t)
	var mu sync.Mutex
	later := time.Duration(0)
	f.w.Now = func() time.Time { mu.Lock(); defer mu.Unlock(); return time.Now().Add(later) }
	f.agent.line = "MORE='DEFAULT: good\\nUNTIL: 10m\\n'\n" + asks
	id := f.make()
	ended := make(chan error, 1)
	go func() { ended <- f.runner().Run(t.Context(), f.w, id) }()
	f.soon("it waits", func() bool { return f.get(id).Status.State == job.Waiting })
	one := f.get(id)
	if !work.Jobs(f.s).Sleeps(id) {
		t.Error("nobody wakes it")
	}
	select {
	case err := <-ended:
		t.Fatal("it did not wait: ", err)
	case <-time.After(1500 * time.Millisecond):
	}
	mu.Lock()
	later = 11 * time.Minute
	mu.Unlock()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(slowtest.Patience):
		t.Fatal("it did not go on")
	}
	asked := one
	one = f.get(id)
	f.want(one, job.Succeeded, "")
	one.Status.Question = asked.Status.Question
	if h := f.question(one); h.Status != ledger.HandoffResolved || !strings.Contains(h.Log.Last().Text, "nobody answered by") {
		t.Errorf("the question does not say so: %+v", h.Log.Last())
	}
}

// A question that is asked again in the same words is the one before, and with an answer that is given at once.
func TestTheSameQuestionIsOne(t *testing.T) {
	f := newField(t)
	f.agent.line = `cat >/dev/null; echo 'QUESTION: What is it  to SAY?'`
	first := f.run()
	f.want(first, job.Waiting, "")
	again := f.runIt(first.Spec.Job) // told to go on without
	f.want(again, job.Waiting, "")
	if again.Status.Question != first.Status.Question {
		t.Errorf("it asks %s and %s", first.Status.Question, again.Status.Question)
	}
	if told := f.agent.prompts()[1]; !strings.Contains(told, "Nobody has answered") {
		t.Errorf("it was told\n%s", told)
	}
	f.answer(again, "good")
	f.want(f.runIt(again.Spec.Job), job.Failed, job.ExecutorError) // it asks nothing but that, and is answered each time
}

// The user is told of what waits for them, by a command, a webhook and ntfy; what cannot be told is an event.
func TestTheUserIsToldOfAQuestion(t *testing.T) {
	f := newField(t)
	var mu sync.Mutex
	var told []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		told = append(told, fmt.Sprintf("%s %s %s %s", r.URL.Path, r.Header.Get("Title"), r.Header.Get("Click"), body))
		if r.URL.Path == "/down" {
			http.Error(w, "no", http.StatusInternalServerError)
		}
	}))
	defer server.Close()
	news := filepath.Join(t.TempDir(), "news")
	config := func(ntfy string) {
		storetest.WriteFile(t, filepath.Join(f.w.ConfigDir, "config.yaml"), fmt.Sprintf(
			"notify:\n  command: [sh, -c, 'cat >>%s']\n  webhook: %s/hook\n  ntfy: %s%s\n  board: http://localhost:1\n", news, server.URL, server.URL, ntfy))
	}
	config("/topic")
	f.agent.line = asks
	one := f.run()
	f.want(one, job.Waiting, "")
	text, err := os.ReadFile(news)
	if err != nil || !strings.Contains(string(text), `"what":"question","task":"PROJ-1"`) || !strings.Contains(string(text), "cairn answer "+one.Status.Question) {
		t.Errorf("the command got %s, %v", text, err)
	}
	if len(told) != 2 || !strings.HasPrefix(told[0], "/hook   {") || !strings.HasPrefix(told[1], "/topic question: make the file good http://localhost:1/task/PROJ-1 waits for an answer") {
		t.Errorf("the servers got %q", told)
	}
	config("/down")
	f.answer(one, "good")
	one = f.runIt(one.Spec.Job)
	f.want(one, job.Succeeded, "")
	if !strings.Contains(f.events(one.Spec.Job), "answered 500") || len(told) != 4 {
		t.Errorf("of what failed no event says anything, told %q", told)
	}
}

// What a program asks stands in the last lines of its last message, and nowhere else.
func TestQuestionInAMessage(t *testing.T) {
	for message, want := range map[string]sessions.AskIn{
		"I looked.\n\nQUESTION: Which?\nOPTION: a\nOPTION: b\n": {Question: "Which?", Options: []string{"a", "b"}},
		"**QUESTION: Which?**":                              {Question: "Which?"},
		"QUESTION: a?\nDEFAULT: b\nUNTIL: 1h":               {Question: "a?", Default: "b", Until: "1h"},
		"QUESTION: Which? And then I went on.\nIt is done.": {},
		"QUESTION:":                   {},
		"OPTION: a":                   {},
		"The prompt says QUESTION: x": {},
	} {
		in, found := questionIn(message)
		if found != (want.Question != "") || found && fmt.Sprint(in) != fmt.Sprint(want) {
			t.Errorf("%q asks %+v, %v", message, in, found)
		}
	}
}

// A cancellation ends a job that waits, with and without a process that would wake it.
func TestAJobThatWaitsIsCanceled(t *testing.T) {
	f := newField(t)
	f.agent.line = asks
	one := f.run()
	f.want(one, job.Waiting, "")
	if err := work.Jobs(f.s).Cancel(one.Spec.Job, "human:lee", "enough"); err != nil {
		t.Fatal(err)
	}
	f.want(f.get(one.Spec.Job), job.Canceled, "")
	if err := f.runner().Run(context.Background(), f.w, one.Spec.Job); record.CodeOf(err) != record.AlreadyTerminal {
		t.Errorf("it goes on: %v", err)
	}
}
