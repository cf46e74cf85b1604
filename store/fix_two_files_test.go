package store_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

const (
	madeEntry   = "  - {who: 'human:shah', at: 2026-06-21T10:00:00Z, did: created}\n"
	notedEntry  = "  - {who: 'human:shah', at: 2026-06-21T11:00:00Z, did: noted, text: on it}\n"
	closedEntry = "  - {who: 'human:lee', at: 2026-06-21T12:00:00Z, did: transitioned, from: backlog, to: done}\n"
	saidEntry   = "  - {who: 'human:lee', at: 2026-06-21T12:30:00Z, did: noted, text: it holds}\n"
	openedEntry = "  - {who: 'human:lee', at: 2026-06-21T13:00:00Z, did: transitioned, from: done, to: backlog, text: a crack}\n"
)

// roof is the file of a task.
func roof(title, status string, entries ...string) string {
	return "---\nid: T-1\ntitle: " + title + "\nstatus: " + status + "\nprovenance:\n" + strings.Join(entries, "") + "---\n"
}

// secondFile is a task with two files. Committed is one file of it after the other, as commits have it.
type secondFile struct {
	name             string
	committed        []string
	usual, rest      string
	wantAt, wantText string // "" for two that stay
}

var secondFiles = []secondFile{
	{"closed here, noted there", []string{roof("Roof", "backlog", madeEntry)},
		roof("Roof", "backlog", madeEntry, notedEntry), roof("Roof", "done", madeEntry, closedEntry),
		"closed/2026-06", roof("Roof", "done", madeEntry, notedEntry, closedEntry)},
	{"one has all that the other has", []string{roof("Roof", "backlog", madeEntry)},
		roof("Roof", "backlog", madeEntry, notedEntry), roof("Roof", "done", madeEntry, notedEntry, closedEntry),
		"closed/2026-06", roof("Roof", "done", madeEntry, notedEntry, closedEntry)},
	{"opened again", []string{roof("Roof", "backlog", madeEntry), roof("Roof", "done", madeEntry, closedEntry)},
		roof("Roof", "backlog", madeEntry, closedEntry, openedEntry),
		roof("Roof", "done", madeEntry, notedEntry, closedEntry),
		"tasks", roof("Roof", "backlog", madeEntry, notedEntry, closedEntry, openedEntry)},
	{"an edit without an entry is committed", []string{roof("Roof", "backlog", madeEntry), roof("A roof", "backlog", madeEntry)},
		roof("A roof", "backlog", madeEntry), roof("Roof", "done", madeEntry, closedEntry),
		"closed/2026-06", roof("A roof", "done", madeEntry, closedEntry)},
	{"outside git", nil,
		roof("Roof", "done", madeEntry, notedEntry, closedEntry), roof("Roof", "done", madeEntry, closedEntry, saidEntry),
		"closed/2026-06", roof("Roof", "done", madeEntry, notedEntry, closedEntry, saidEntry)},
	{"two states outside git", nil,
		roof("Roof", "backlog", madeEntry, notedEntry), roof("Roof", "done", madeEntry, closedEntry), "", ""},
	{"two titles", []string{roof("Roof", "backlog", madeEntry)},
		roof("A roof", "backlog", madeEntry, notedEntry), roof("The roof", "done", madeEntry, closedEntry), "", ""},
	{"two titles outside git", nil, roof("A roof", "backlog", madeEntry), roof("The roof", "backlog", madeEntry), "", ""},
	{"one cannot be read", []string{roof("Roof", "backlog", madeEntry)},
		"---\nid: T-1\n<<<<<<< ours\n", roof("Roof", "done", madeEntry, closedEntry), "", ""},
	{"one is of another task", []string{roof("Roof", "backlog", madeEntry)},
		roof("Roof", "backlog", madeEntry, notedEntry),
		strings.Replace(roof("Roof", "done", madeEntry, closedEntry), "T-1", "T-2", 1), "", ""},
}

// workspace makes the workspace of the task.
func (f secondFile) workspace(t *testing.T) layout.Layout {
	t.Helper()
	dir := t.TempDir()
	if f.committed != nil {
		dir = storetest.NewRepo(t)
	}
	storetest.WriteFile(t, filepath.Join(dir, layout.Folder, "config.yaml"), "prefix: T\n")
	for _, text := range f.committed {
		storetest.WriteFile(t, filepath.Join(dir, layout.Folder, "tasks", "T-1.md"), text)
		storetest.Git(t, dir, "add", "-A")
		storetest.Git(t, dir, "commit", "-q", "-m", "x")
	}
	l, err := layout.At(dir)
	if err != nil {
		t.Fatal(err)
	}
	f.write(t, l)
	return l
}

func (f secondFile) write(t *testing.T, l layout.Layout) {
	t.Helper()
	storetest.WriteFile(t, l.Abs(".cairn/tasks/T-1.md"), f.usual)
	storetest.WriteFile(t, l.Abs(".cairn/closed/2026-06/T-1.md"), f.rest)
}

// texts are the files of the task, by their folders.
func (f secondFile) texts(t *testing.T, l layout.Layout) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, folder := range []string{"tasks", "closed/2026-06"} {
		src, err := os.ReadFile(l.Abs(layout.Folder + "/" + folder + "/T-1.md"))
		if err == nil {
			out[folder] = string(src)
		}
	}
	return out
}

func (f secondFile) want() map[string]string {
	if f.wantAt == "" {
		return map[string]string{"tasks": f.usual, "closed/2026-06": f.rest}
	}
	return map[string]string{f.wantAt: f.wantText}
}

func applyAll(t *testing.T, l layout.Layout, fixes []store.Fix) error {
	t.Helper()
	for _, fix := range fixes {
		if err := fix.Apply(t.Context(), l); err != nil {
			return err
		}
	}
	return nil
}

// Two files of a record that differ become one with what both say, which lies where the record says; those that
// contradict each other stay, and so do those that cannot be read.
func TestFixOfFilesThatDiffer(t *testing.T) {
	for _, f := range secondFiles {
		t.Run(f.name, func(t *testing.T) {
			l := f.workspace(t)
			err := applyAll(t, l, fixesOf(t, l))
			if err != nil && (f.wantAt != "" || record.CodeOf(err) != record.Conflict) {
				t.Fatal(err)
			}
			if got := f.texts(t, l); !maps.Equal(got, f.want()) {
				t.Errorf("it has %q, want %q", got, f.want())
			}
		})
	}
}

// Whatever call of it fails, two files become the same one in the end.
func TestSlowFixOfFilesThatDifferFails(t *testing.T) {
	slowtest.Skip(t)
	defer func() { disk.Intercept = nil }()
	f := secondFiles[0]
	l := f.workspace(t)
	for n := 1; ; n++ {
		f.write(t, l)
		fixes := fixesOf(t, l)
		calls := 0
		disk.Intercept = func(_ disk.Call, do func() error) error {
			if calls++; calls == n {
				return syscall.EIO
			}
			return do()
		}
		failed := applyAll(t, l, fixes)
		disk.Intercept = nil
		done := calls < n
		if done && failed != nil {
			t.Errorf("with %d calls: %v", calls, failed)
		}
		if len(f.texts(t, l)) == 2 {
			if err := applyAll(t, l, fixesOf(t, l)); err != nil {
				t.Fatalf("after call %d failed: %v", n, err)
			}
		}
		if got := f.texts(t, l); !maps.Equal(got, f.want()) {
			t.Fatalf("after call %d failed (%v) it has %q", n, failed, got)
		}
		if done {
			return
		}
	}
}

// A file that changes meanwhile is not lost.
func TestFixOfFilesThatChangeMeanwhile(t *testing.T) {
	f := secondFiles[0]
	l := f.workspace(t)
	for _, path := range []string{".cairn/tasks/T-1.md", ".cairn/closed/2026-06/T-1.md"} {
		f.write(t, l)
		fixes := fixesOf(t, l)
		storetest.WriteFile(t, l.Abs(path), storetest.ReadFile(t, l.Abs(path))+"More.\n")
		if err := applyAll(t, l, fixes); record.CodeOf(err) != record.Conflict {
			t.Errorf("%s: %v", path, err)
		}
		if err := applyAll(t, l, fixesOf(t, l)); err != nil {
			t.Fatal(err)
		}
		want := map[string]string{f.wantAt: f.wantText + "More.\n"}
		if got := f.texts(t, l); !maps.Equal(got, want) {
			t.Errorf("%s: it has %q, want %q", path, got, want)
		}
	}
}

// A power cut between the two steps leaves two files that become the same one.
func TestFixAfterAPowerCut(t *testing.T) {
	for _, f := range secondFiles {
		if f.wantAt == "" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			l := f.workspace(t)
			storetest.WriteFile(t, l.Abs(layout.Folder+"/"+f.wantAt+"/T-1.md"), f.wantText)
			if err := applyAll(t, l, fixesOf(t, l)); err != nil {
				t.Fatal(err)
			}
			if got := f.texts(t, l); !maps.Equal(got, f.want()) {
				t.Errorf("it has %q, want %q", got, f.want())
			}
		})
	}
}
