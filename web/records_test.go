package web

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
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
	b.says(t, "/task/"+task, job)

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
