package docs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

const exampleID = "SHOP-01m7yxspehxx1g"

func TestExampleTaskIsReadAsThePageSays(t *testing.T) {
	got := exampleTask(t)
	for _, c := range []struct {
		what      string
		got, want any
	}{
		{"title", got.Title, "Round discounts to the nearest cent"},
		{"status", got.Status, record.Status("done")},
		{"priority", got.Priority, task.Priority(1)},
		{"labels", got.Labels, []string{"prices"}},
		{"assignee", got.Assignee, record.Actor("agent:claude-1")},
		{"parent", got.Parent, record.ID("SHOP-01m7yxsp000000")},
		{"deps", got.Deps, []record.ID{"SHOP-01m7yxspaaaaaa"}},
		{"number of checks", len(got.Checks), 2},
		{"time limit", got.Checks[0].Timeout, 300},
		{"number of entries", len(got.Provenance), 6},
		{"body", got.Body, "15 % off 9.99 is 8.49, not 8.50."},
		{"key of its own", got.Extra, map[string]any{"rank": int64(7)}},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
}

// The hashes in the example are those that the page's definitions give.
func TestExampleTaskAccountsForItself(t *testing.T) {
	got := exampleTask(t)
	if want := got.CheckHashes(); !slices.Equal(got.Provenance[0].Checks, want) {
		t.Errorf("the example's checks hash to %s, not %s", want, got.Provenance[0].Checks)
	}
	ran, ok := got.Evidence(0)
	if !ok || !ran.Hashed {
		t.Fatalf("no entry accounts for the command; its key is %s", got.Checks[0].Key(got.ID))
	}
	for i, c := range got.Checks {
		if standing := kind.DefaultConfig().Flow.Standing(got, i, task.Proof{Tree: ran.Tree}); standing != record.Pass {
			t.Errorf("%s counts as %s on the tree that the entry names", c.Desc, standing)
		}
	}
}

func TestHashesThatThePageNames(t *testing.T) {
	page := read(t, "format.md")
	for what, hash := range map[string]string{
		"a command in the workspace's own folder": task.Check{Cmd: "go test ./...", Cwd: "."}.Key(exampleTask(t).ID),
		"the example's dependencies":              task.DepsHash(exampleTask(t).ID, exampleTask(t).Deps),
	} {
		if !strings.Contains(page, hash) {
			t.Errorf("the hash of %s is %s, which the page does not say", what, hash)
		}
	}
}

// The example config says what an empty one means.
func TestExampleConfigIsTheDefault(t *testing.T) {
	got, err := kind.ParseConfig([]byte(example(t, "config")))
	if err != nil {
		t.Fatal(err)
	}
	want, err := kind.ParseConfig([]byte("{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*kind.Config{&got, &want} { // none, however it is written
		c.Flow.Abandoned = append([]record.Status{}, c.Flow.Abandoned...)
		if len(c.Rules) == 0 {
			c.Rules = nil
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the page's config means\n%+v\nand an empty one\n%+v", got, want)
	}
}

// The references of the example are ones that a writer may make, and the file of one is named as the page says.
func TestExampleRefs(t *testing.T) {
	got, err := kind.Tasks.Parse([]byte("---\nid: T-1\ntitle: x\nstatus: backlog\n" + example(t, "refs") + "---\n"))
	if err != nil || len(got.Refs) == 0 {
		t.Fatal(got.Refs, err)
	}
	for _, r := range got.Refs {
		if err := r.Valid(); err != nil {
			t.Errorf("%s: %v", r.Ref, err)
		}
	}
	if sum := sha256.Sum256([]byte("hello\n")); record.FilesFolder+"/"+record.FileName(hex.EncodeToString(sum[:]), "a.log") != got.Refs[len(got.Refs)-1].Path {
		t.Error("the file has another name")
	}
}

// The example of a proposal is read as the page says, and is of the task of the first example.
func TestExampleProposalIsReadAsThePageSays(t *testing.T) {
	const id = "plan-01m7yxs9q2v4rw"
	got, err := kind.Proposals.Parse([]byte(example(t, "proposal "+id)))
	if err != nil {
		t.Fatal(err)
	}
	if err := kind.Proposals.ParseID(got.ID); err != nil || got.ID != id {
		t.Errorf("the id is %s (%v), want %s", got.ID, err, id)
	}
	var tasks []struct {
		Title string
		Deps  []string
	}
	if err := json.Unmarshal(got.Tasks, &tasks); err != nil || len(tasks) != 2 {
		t.Fatalf("the tasks are %s (%v)", got.Tasks, err)
	}
	if want := exampleTask(t); tasks[0].Title != want.Title || got.Made[0] != want.ID {
		t.Errorf("the first task is %s, made as %s; want %s, %s", tasks[0].Title, got.Made[0], want.Title, want.ID)
	}
	if !slices.Equal(tasks[1].Deps, []string{"#0"}) {
		t.Errorf("the second task depends on %s", tasks[1].Deps)
	}
	if first, last := got.Provenance.First(), got.Provenance.Last(); first.Did != record.Created || last.Did != record.Updated || last.Text != task.MadeReal {
		t.Errorf("the entries are %+v", got.Provenance)
	}
}

// The example of a decision is read as the page says, and its hash is that of its content.
func TestExampleDecisionIsReadAsThePageSays(t *testing.T) {
	const id = "DEC-01m7yxs9q2v4rw"
	got, err := kind.Decisions.Parse([]byte(example(t, "decision "+id)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Ref.ID != id || got.Status != ledger.Accepted || len(got.Options) != 2 || got.Context() == "" || got.Rationale() == "" {
		t.Errorf("the example is read as %+v", got)
	}
	if ledger.RecordedHash(got.Log) != got.ContentHash() {
		t.Errorf("the example hashes to %s", got.ContentHash())
	}
	if scope := task.ScopeOf(got.Scope); len(scope) != 1 || !slices.Equal(got.About, []string{exampleID}) {
		t.Errorf("it governs %v, and is about %q", scope, got.About)
	}
}

// The example of a handoff is read as the page says, and is one that the rules of handoffs accept.
func TestExampleHandoffIsReadAsThePageSays(t *testing.T) {
	const id = "HO-01m7yxs9q2v4rw"
	got, err := kind.Handoffs.Parse([]byte(example(t, "handoff "+id)))
	if err != nil {
		t.Fatal(err)
	}
	if got.Ref.ID != id || got.Status != ledger.HandoffResponded || got.From() != "agent:claude-1" || got.Assignee != "human:ada" || got.Due.Valid() != nil || got.Due == "" {
		t.Errorf("got %+v", got)
	}
	if want := got.ContentHash(); ledger.RecordedHash(got.Log) != want {
		t.Errorf("the content is %s, want %s", ledger.RecordedHash(got.Log), want)
	}
	made := record.Header{Ref: got.Ref, Status: ledger.HandoffOpen}
	if now, follow := ledger.HandoffLife.Fold(got, made, got.Log, task.Rules{}); !follow || now.Status != got.Status || now.Assignee != got.Assignee {
		t.Errorf("its entries make %s, held by %s", now.Status, now.Assignee)
	}
}

// The example of an actor is one that a registration could have written, and its file is called as the page says.
func TestExampleActorIsReadAsThePageSays(t *testing.T) {
	const id = "agent:claude-1"
	got, err := kind.Actors.Parse([]byte(example(t, "actor "+id)))
	if err == nil {
		err = got.Valid()
	}
	if err != nil || got.Ref.ID != id || got.Group != "reviewers" || len(got.Log) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
	if file := kind.Actors.File(id); file != ".cairn/actors/agent.claude-1.md" {
		t.Errorf("it lies in %s", file)
	}
}

// The example of a note of knowledge is read as the page says, and may be written.
func TestExampleNoteIsReadAsThePageSays(t *testing.T) {
	const id = "KB-01m7yxs9q2v4rw"
	got, err := kind.Knowledge.Parse([]byte(example(t, "knowledge "+id)))
	if err == nil {
		err = got.Valid()
	}
	if err != nil || got.Ref.ID != id || got.Type != ledger.Runbook || !slices.Equal(got.About, []string{exampleID}) || len(got.Log) != 2 {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Every key that cairn knows is in the page, and so is every kind of record.
func TestEveryKeyIsExplained(t *testing.T) {
	page := read(t, "format.md")
	for _, k := range kind.Kinds() {
		if !strings.Contains(page, "\n| `"+k.Name+"` | `"+k.Folder+"/") {
			t.Errorf("format.md does not list the kind %s", k.Name)
		}
		for _, key := range k.Keys() {
			if !strings.Contains(page, "`"+key+"`") {
				t.Errorf("format.md does not explain the key %s of a %s", key, k.Name)
			}
		}
	}
}

func TestEveryKindOfEntryIsExplained(t *testing.T) {
	page := read(t, "format.md")
	for _, did := range []record.Did{
		record.Created, record.Claimed, record.Released, record.Assigned, record.Began, record.Finished, record.Canceled, record.TakenOver,
		record.Transitioned, record.Checked, record.Attested, record.Noted, record.Updated, record.Abandoned, record.Deleted,
		record.Responded, record.Resolved,
	} {
		if !strings.Contains(page, "`"+string(did)+"`") {
			t.Errorf("format.md does not mention %s", did)
		}
	}
}

// exampleTask opens a workspace that holds the page's example and nothing else.
func exampleTask(t *testing.T) task.Task {
	root := t.TempDir()
	if _, _, err := store.Init(root, "SHOP"); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(root, layout.Folder, "tasks", exampleID+".md")
	if err := os.WriteFile(file, []byte(example(t, "task "+exampleID)), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(root, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	got, err := kind.Tasks.Get(s, exampleID)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// example is the block of format.md behind <!-- example NAME -->.
func example(t *testing.T, name string) string {
	_, rest, ok := strings.Cut(read(t, "format.md"), "\n<!-- example "+name+" -->\n```")
	if !ok {
		t.Fatalf("format.md has no example %s", name)
	}
	_, rest, _ = strings.Cut(rest, "\n")
	block, _, _ := strings.Cut(rest, "\n```\n")
	return block + "\n"
}
