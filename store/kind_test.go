package store_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A kind of record that only these tests have. Everything that the store does with it, it does with every kind.

// risk is something that may go wrong. Its id is not the name of its file: RISK:1 lies in RISK-1.md.
type risk struct {
	record.Header
	Body string
}

const riskName = "risk"

var riskID = regexp.MustCompile(`^RISK:[0-9a-z]{1,20}$`)

var risks = kind.DefineMarkdown[string](kind.Kind{
	Name: riskName, Folder: "risks", Swaps: ":-",
	ParseID: func(id string) error {
		if !riskID.MatchString(id) {
			return record.Errorf(record.InvalidInput, "%q is not the id of a risk", id)
		}
		return nil
	},
}, kind.Markdown[risk]{
	Header: func(r *risk) *record.Header { return &r.Header },
	Body:   func(r *risk) *string { return &r.Body },
	States: []record.Status{"open", "closed"},
	Closed: []record.Status{"closed"},
})

func init() { kind.Register(risks.Kind) }

// did is an entry of human:lee.
func did(what record.Did, text string) record.Entry {
	return record.Entry{Who: "human:lee", At: storetest.Noon, Did: what, Text: text}
}

// putRisk creates a risk.
func putRisk(s *store.Store, id string) error {
	return s.Update(context.Background(), func(tx *store.Tx) error {
		risks.Put(tx, risk{Header: record.Header{Ref: risks.Ref(id), Title: "The crane falls", Status: "open", Log: record.Log{did(record.Created, "")}}})
		return nil
	})
}

// changeRisk changes a risk, with an entry.
func changeRisk(s *store.Store, id string, change func(tx *store.Tx, r *risk) record.Entry) error {
	return s.Update(context.Background(), func(tx *store.Tx) error {
		r, err := risks.Get(tx, id)
		if err != nil {
			return err
		}
		r.Log = r.Log.Add(change(tx, &r))
		risks.Put(tx, r)
		return nil
	})
}

func noteRisk(s *store.Store, id, text string) error {
	return changeRisk(s, id, func(*store.Tx, *risk) record.Entry { return did(record.Noted, text) })
}

// A kind that is one row of the table is created, read, listed, found, changed, claimed, journalled and deleted like a
// task.
func TestAnotherKind(t *testing.T) {
	s := storetest.New(t)
	ref := risks.Ref("RISK:1")
	storetest.WantCode(t, putRisk(s, "RISK:1"), "")
	storetest.WantCode(t, putRisk(s, "RISK:1"), record.Conflict)
	storetest.WantCode(t, putRisk(s, "RISK:12"), "")
	storetest.WriteFile(t, s.Abs(risks.File("RISK:2")), "---\nid: RISK:2\n---\n")

	all, problems, err := risks.List(t.Context(), s)
	storetest.WantCode(t, err, "")
	if len(all) != 2 || all[0].Ref.ID != "RISK:1" || len(problems) != 1 || problems[0].Path != ".cairn/risks/RISK-2.md" {
		t.Errorf("got %+v and the problems %+v", all, problems)
	}
	_, err = risks.Get(s, "RISK:2")
	storetest.WantMessage(t, err, record.BadFile, "title is missing")
	_, err = risks.Get(s, "RISK:3")
	storetest.WantMessage(t, err, record.NotFound, "there is no risk RISK:3")
	_, err = risks.Get(s, "../tasks/PROJ-1")
	storetest.WantCode(t, err, record.InvalidInput)
	if id, err := s.Resolve(risks.Kind, "12"); id != "RISK:12" || err != nil {
		t.Errorf("got %q (%v)", id, err)
	}
	storetest.Remove(t, s.Abs(risks.File("RISK:2")))
	view, err := s.Rows(risks.Kind).Look(t.Context())
	storetest.WantCode(t, err, "")
	if view.Find("RISK:1") == nil || view.Find("RISK:12") == nil || len(view.Rows()) != 2 {
		t.Errorf("got the rows %+v", view.Rows())
	}

	buffer := storetest.ReadFile(t, s.Abs(risks.File("RISK:1")))
	storetest.WantCode(t, noteRisk(s, "RISK:1", "windy"), "")
	after, err := s.Rows(risks.Kind).LookAfter(t.Context(), view, []string{"RISK-1.md"})
	if err != nil || after.Find("RISK:1").Entries != 2 || after.Find("RISK:12") != view.Find("RISK:12") {
		t.Errorf("after a note got the rows %+v (%v)", after.Rows(), err)
	}
	storetest.WantCode(t, changeRisk(s, "RISK:1", func(tx *store.Tx, r *risk) record.Entry {
		r.Status = "closed"
		tx.Claim(ref, &session.Lease{Actor: "human:lee", Worktree: s.Worktree, Since: storetest.Noon, Seen: storetest.Noon})
		return did(record.Transitioned, "")
	}), "")
	got, err := risks.Get(s, "RISK:1")
	storetest.WantCode(t, err, "")
	if got.Status != "closed" || len(got.Log) != 3 || got.Title != "The crane falls" {
		t.Errorf("got %+v", got)
	}
	if hold := session.Holder(risks.Header(got), s.Known(ref), time.Now()); !hold.Live() || hold.Actor != "human:lee" {
		t.Errorf("held by %+v", hold)
	}
	if known := s.KnownOf()(ref); known.State == nil || known.State.Progress[0].Status != "closed" {
		t.Errorf("got %+v", known)
	}
	refs, err := s.Journalled()
	if err != nil || !slices.Contains(refs, ref) {
		t.Errorf("got the journals of %v (%v)", refs, err)
	}
	storetest.WriteFile(t, s.Abs(risks.File("RISK:1")), buffer)
	back, err := risks.Get(s, "RISK:1")
	storetest.WantCode(t, err, "")
	if lost, err := s.Overwritten(t.Context(), risks.Header(back)); err != nil || len(lost) != 2 || lost[0].Text != "windy" {
		t.Errorf("got the overwritten entries %+v (%v)", lost, err)
	}

	storetest.WantCode(t, changeRisk(s, "RISK:1", func(tx *store.Tx, _ *risk) record.Entry {
		tx.Delete(ref)
		return did(record.Deleted, "it stands")
	}), "")
	deleted, err := s.Trash().Deleted(risks.Kind)
	if err != nil || len(deleted) != 1 || deleted[0].(risk).Log.Last().Text != "it stands" {
		t.Errorf("got the deleted risks %+v (%v)", deleted, err)
	}
	if known := s.Known(ref); known.State != nil || layout.Exists(s.Live.Journal(ref)) {
		t.Errorf("of a deleted risk got %+v", known)
	}
	if of := s.Trash().File(ref); !strings.HasSuffix(of, "risk~RISK%3A1.md") || !layout.Exists(of) {
		t.Errorf("its copy is %s", of)
	}
}

// What is guaranteed of a write holds for every kind: an editor that comes in between, a kill, and a writer after that.
func TestAnotherKindIsWrittenAsSafely(t *testing.T) {
	s := storetest.New(t)
	ref, path := risks.Ref("RISK:1"), s.Abs(risks.File("RISK:1"))
	storetest.WantCode(t, putRisk(s, "RISK:1"), "")
	runs := 0
	storetest.WantCode(t, changeRisk(s, "RISK:1", func(*store.Tx, *risk) record.Entry {
		if runs++; runs == 1 {
			storetest.Append(t, path, "\nThe editor was here.\n")
		}
		return did(record.Noted, "windy")
	}), "")
	if got, err := risks.Get(s, "RISK:1"); err != nil || len(got.Log) != 2 || !strings.Contains(got.Body, "The editor was here.") {
		t.Errorf("got %+v (%v)", got, err)
	}

	killedAt(t, disk.Rename, path, func() {
		_ = changeRisk(s, "RISK:1", func(tx *store.Tx, _ *risk) record.Entry {
			tx.Claim(ref, &session.Lease{Actor: "agent:a", Worktree: s.Worktree, Since: storetest.Noon, Seen: storetest.Noon})
			return did(record.Claimed, "")
		})
	})
	if known := s.Known(ref); known.Next == nil || known.Next.Lease.Actor != "agent:a" {
		t.Errorf("between the kill and the next write got %+v", known)
	}
	storetest.WantCode(t, noteRisk(s, "RISK:1", "calm"), "")
	got, err := risks.Get(s, "RISK:1")
	storetest.WantCode(t, err, "")
	if known := s.Known(ref); len(got.Log) != 4 || known.State == nil || known.State.Lease == nil || known.Next != nil {
		t.Errorf("got %+v, of which is known %+v", got, known)
	}
}

// Two branches merge a file of the kind by its own rules, and cairn check reads it by the rules of files.
func TestAnotherKindIsMergedAndChecked(t *testing.T) {
	text := func(entries ...string) []byte {
		return []byte("---\nid: RISK:1\ntitle: T\nstatus: open\nprovenance:\n" + strings.Join(entries, "") + "---\n")
	}
	entry := func(at, text string) string {
		return "  - {who: 'human:lee', at: 2026-06-21T10:00:0" + at + "Z, did: noted, text: " + text + "}\n"
	}
	merged, clean := kind.Merge(".cairn/risks/RISK-1.md", text(entry("0", "a")), text(entry("0", "a"), entry("2", "c")), text(entry("0", "a"), entry("1", "b")),
		kind.DefaultConfig().Flow, format.Markers{})
	if want := string(text(entry("0", "a"), entry("1", "b"), entry("2", "c"))); !clean || string(merged) != want {
		t.Errorf("got (clean: %t)\n%s\nwant\n%s", clean, merged, want)
	}

	s := storetest.NewAt(t, t.TempDir())
	storetest.WantCode(t, putRisk(s, "RISK:1"), "")
	for name, damage := range map[string]struct {
		file, text string
		rule       proof.RuleID
	}{
		"no document":          {"RISK-2.md", "---\nid: [\n---\n", proof.BadYAML.ID},
		"no title":             {"RISK-2.md", "---\nid: RISK:2\nstatus: open\n---\n", proof.MissingField.ID},
		"a key twice":          {"RISK-2.md", "---\nid: RISK:2\ntitle: T\nstatus: open\nstatus: open\n---\n", proof.DuplicateKey.ID},
		"another id":           {"RISK-2.md", "---\nid: RISK:3\ntitle: T\nstatus: open\n---\n", proof.IDMismatch.ID},
		"a conflict":           {"RISK-2.md", "---\nid: RISK:2\n<<<<<<< ours\ntitle: T\n=======\n>>>>>>> theirs\nstatus: open\n---\n", proof.ConflictMarkers.ID},
		"the id as a name":     {"RISK:2.md", "---\nid: RISK:2\ntitle: T\nstatus: open\n---\n", proof.IDMismatch.ID},
		"a name that is no id": {"notes.md", "---\nid: RISK:2\ntitle: T\nstatus: open\n---\n", proof.IDMismatch.ID},
	} {
		t.Run(name, func(t *testing.T) {
			path := s.Abs(".cairn/risks/" + damage.file)
			storetest.WriteFile(t, path, damage.text)
			defer storetest.Remove(t, path)
			findings, err := storetest.Judge(t.Context(), s.Layout)
			if err != nil || len(findings) != 1 || findings[0].Rule != damage.rule || findings[0].Path != ".cairn/risks/"+damage.file {
				t.Errorf("got %+v (%v)", findings, err)
			}
		})
	}
	if findings, err := storetest.Judge(t.Context(), s.Layout); len(findings) > 0 || err != nil {
		t.Errorf("got %+v (%v)", findings, err)
	}
}

// A kind cannot take the name or the folder of another.
func TestKindsHaveNamesOfTheirOwn(t *testing.T) {
	for _, k := range []kind.Kind{
		{Name: "task", Folder: "other"}, {Name: "other", Folder: "tasks"}, {Name: riskName, Folder: "risks"},
		{Name: "other", Folder: "closed"}, {Name: "other", Folder: "others", Rest: "tasks"}, {Name: "other", Folder: "others", Rest: "others"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s in %s is there twice", k.Name, k.Folder)
				}
			}()
			kind.Register(&k)
		}()
	}
	if k, ok := kind.Named(riskName); !ok || k != risks.Kind {
		t.Errorf("got %+v", k)
	}
	if _, id, ok := kind.At(".cairn/risks/RISK-1.md"); !ok || id != "RISK:1" {
		t.Error("its file is not known")
	}
	if _, err := risks.Parse([]byte("---\nid: x\n---\n")); !errors.As(err, new(*format.Error)) {
		t.Errorf("got %v", err)
	}
}
