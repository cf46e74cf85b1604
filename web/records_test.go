package web

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// Each kind of record has its page, and so have jobs and the diff of a branch, with what is to be done there.
func TestPagesOfRecords(t *testing.T) {
	b := serve(t, Options{}, func(w *verb.Workspace) { verbtest.PrepareJobs(t, w) })
	b.enter()
	w := b.s.reads.w
	w.Supervise = b.s.reads.w.Supervise
	agent := w
	agent.Actor = verb.As("agent:claude")
	task := b.create("Pay")
	for _, tt := range []struct {
		name, path string
		says       []string
	}{
		{"a decision", "/record/" + verbtest.Must(t, &w, "decision_log", verbtest.Args{
			"title": "Keys", "choice": "The client makes them.", "status": "proposed", "options": []verbtest.Args{{"label": "client", "pros": "simple"}},
		}).ID, []string{"Keys", "The client makes them.", "Accept", "created"}},
		{"a note", "/record/" + verbtest.Must(t, &w, "knowledge_write", verbtest.Args{"title": "Cards", "body": "4242 **passes**"}).ID, []string{"<strong>passes</strong>"}},
		{"a question", "/record/" + verbtest.Must(t, &agent, "handoff_create", verbtest.Args{
			"title": "Mail?", "to": []string{"human:ada"}, "type": "question", "options": []string{"by mail", "on paper"}, "about": []string{task},
		}).ID, []string{"Mail?", `value="by mail"`, `value="on paper"`, "Answer"}},
		{"what waits", "/needs", []string{"Mail?", "on paper"}},
		{"the ledger", "/ledger", []string{"Keys", "Cards", "Mail?"}},
		{"a search", "/search?q=cards", []string{"Cards", "knowledge"}},
	} {
		t.Run(tt.name, func(t *testing.T) { b.says(t, tt.path, tt.says...) })
	}

	verbtest.ApproveAll(t, &w)
	job := verbtest.Must(t, &w, "job_start", verbtest.Args{"id": task, "executor": "mine"}).Job
	b.says(t, "/jobs", job, "QUEUED", "mine", "Cancel")
	b.says(t, "/job/"+job, task, "Say", "Cancel")
	b.says(t, "/task/"+task, job, "<option>mine</option>", "<option>claude</option>")
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	own, err := work.Jobs(s).Own(job)
	if err == nil {
		err = errors.Join(own.WriteFile("stdout.log", []byte("it <b>says</b>\n")), own.Release())
	}
	if err != nil {
		t.Fatal(err)
	}
	b.says(t, "/job/"+job, "logs.txt")
	b.says(t, "/job/"+job+"?file=logs.txt", "it &lt;b&gt;says&lt;/b&gt;")
	for _, name := range []string{"out.md", "../spec.json", "spec.json"} {
		if status, _, _ := b.do("GET", "/job/"+job+"?file="+name, nil, nil); status < 400 {
			t.Errorf("it shows %s", name)
		}
	}

	other := b.create("Ship")
	tree := verbtest.MakeWorktree(t, &w, record.ID(other))
	if err := os.WriteFile(filepath.Join(tree.Path, "ship.go"), []byte("package ship // <script>\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	storetest.Identify(t, tree.Path)
	storetest.Git(t, tree.Path, "add", "--all")
	storetest.Git(t, tree.Path, "commit", "-q", "-m", "ship")
	b.says(t, "/diff/"+other, "ship.go", `data-at="ship.go:1"`, "package ship // &lt;script&gt;", "Send back")
}

// says asserts what a page says.
func (b *browser) says(t *testing.T, path string, all ...string) {
	t.Helper()
	status, page, _ := b.do("GET", path, nil, nil)
	if status != 200 {
		t.Fatalf("%s: %d %s", path, status, page)
	}
	for _, want := range all {
		if !strings.Contains(page, want) {
			t.Errorf("%s does not say %s:\n%s", path, want, page[max(0, strings.Index(page, "<main")):])
		}
	}
}

// A note of knowledge is edited where it is read, archived and taken up again; what somebody else changed meanwhile is
// shown beside what was typed.
func TestANoteIsEdited(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "knowledge_write", verbtest.Args{"title": "Cards", "body": "4242 passes"}).ID
	form := func(body string) url.Values {
		rev := regexp.MustCompile(`name="expected_rev" value="([^"]+)"`).FindStringSubmatch(b.page("/record/" + id))
		return url.Values{"id": {id}, "title": {"Cards"}, "body": {body}, "labels": {"bank, test"}, "expected_rev": rev[1:]}
	}
	late := form("mine")
	b.send("knowledge_write", http.StatusSeeOther, form("4242 passes, 4000 fails"))
	b.says(t, "/record/"+id, "4000 fails", "bank, test")
	page := b.send("knowledge_write", http.StatusConflict, late)
	if !strings.Contains(page, "4000 fails") || !strings.Contains(page, `value="mine"`) {
		t.Errorf("what is there now is not beside what was typed: %s", page)
	}
	b.send("knowledge_write", http.StatusSeeOther, url.Values{"id": {id}, "status": {"archived"}})
	b.says(t, "/record/"+id, "It holds again")
}

// A comment that names a line of the diff belongs to that line, and to no line that is gone.
func TestCommentsBesideLines(t *testing.T) {
	files := filesOf("diff --git a/a.go b/a.go\n@@ -1,2 +1,2 @@\n-old\n+new\n same\n")
	comment(files, "human:ada", "a.go:1: why?\nin general: fine\na.go:9: gone\na.go:1: and how?")
	var got []string
	for _, line := range files[0].Lines {
		for _, one := range line.Said {
			got = append(got, line.Text+" <- "+one.Text)
		}
	}
	if len(got) != 1 || got[0] != "+new <- why? and how?" {
		t.Errorf("it says %q", got)
	}
}

// What waits for a person is settled where it is listed: what an agent proposed, a manual check behind commands that
// passed, a question that leads to its task, and work to take over. No page has what is for programs alone.
func TestWhatWaitsIsSettledInPlace(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	agent := w
	agent.Actor = verb.As("agent:claude")
	id := verbtest.Must(t, &w, "create", verbtest.Args{
		"title": "Pay", "checks": []verbtest.Args{{"desc": "it pays", "cmd": "true"}}, "acceptance": []string{"read aloud"},
	}).ID
	verbtest.ApproveAll(t, &w)
	verbtest.Must(t, &w, "start", verbtest.Args{"id": id})
	verbtest.Must(t, &w, "run_checks", verbtest.Args{"id": id})
	decision := verbtest.Must(t, &agent, "decision_log", verbtest.Args{"title": "Keys", "choice": "UUIDs, please"}).ID
	asked := verbtest.Must(t, &agent, "handoff_create", verbtest.Args{
		"title": "Take over the printer", "to": []string{"human:ada"}, "about": []string{id}, "fingerprint": "asked 10b643b3",
	}).ID
	b.says(t, "/needs", "UUIDs, please", "Accept", "read aloud", `action="/do/attest"`, "Take it over", `<a href="/record/`+id+`">`)
	if status, _, _ := b.do("GET", "/record/"+id, nil, nil); status != http.StatusSeeOther {
		t.Errorf("the record of a task: %d", status)
	}
	if page := b.page("/record/" + asked); strings.Contains(page, "10b643b3") {
		t.Error("the page has the fingerprint")
	}
	b.send("handoff_claim", http.StatusSeeOther, url.Values{"id": {asked}})
	if strings.Contains(b.page("/needs"), "Take it over") {
		t.Error("what was taken is offered still")
	}
	b.confirm("decision_set_status", "accept", url.Values{"id": {decision}, "status": {"accepted"}})
	b.confirm("attest", "pass", url.Values{"id": {id}, "check": {"1"}, "pass": {"true"}})
	if page := b.page("/needs"); strings.Contains(page, "UUIDs") || strings.Contains(page, "read aloud") {
		t.Error("it still waits")
	}
}

// A page that is not there says so in the usual page, and HEAD reads.
func TestNoSuchPage(t *testing.T) {
	b := serve(t, Options{}).enter()
	status, page, _ := b.do("GET", "/nowhere", nil, nil)
	if status != http.StatusNotFound || !strings.Contains(page, "there is no page at /nowhere") || !strings.Contains(page, `href="/board"`) {
		t.Errorf("%d: %s", status, page)
	}
	if status, _, _ := b.do("HEAD", "/board", nil, nil); status != http.StatusOK {
		t.Errorf("HEAD: %d", status)
	}
}

// The box that says why a task is not done has the end of what the failed check printed, without the head of the log.
func TestWhyHasTheOutput(t *testing.T) {
	b := serve(t, Options{}).enter()
	w := b.s.reads.w
	id := verbtest.Must(t, &w, "create", verbtest.Args{"title": "Pay", "checks": []verbtest.Args{
		{"desc": "tests pass", "cmd": "echo it does not pay; false"}, {"desc": "lint", "cmd": "true"},
	}}).ID
	verbtest.ApproveAll(t, &w)
	verbtest.Must(t, &w, "run_checks", verbtest.Args{"id": id})
	page := b.page("/task/" + id)
	_, why, _ := strings.Cut(page, `id="held"`)
	why, _, _ = strings.Cut(why, "</section>")
	if !strings.Contains(why, "it does not pay") || strings.Contains(why, "duration") {
		t.Errorf("the box says %s", why)
	}
}
