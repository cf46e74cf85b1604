package store_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// The file is written whole, under the lock, beside whatever else stands in it, and never with a line that is not
// understood.
func TestAddAndEndSigners(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	key := func(name string) sshsign.PublicKey {
		k, err := sshsign.FindKey(signtest.Line(name), "")
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	at := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	other := "# ours\r\n\r\nhuman:eve   valid-after=\"20200101Z\",namespaces=\"git,cairn\"\t" + signtest.Line("eve") + " eve's key\r\nnobody understands this"
	storetest.WriteFile(t, s.SignersFile(), other)
	if err := store.AddSigner(t.Context(), s.Layout, "human:ada", key("ada"), task.SignatureNamespace, time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	ada := "human:ada namespaces=\"cairn\" " + signtest.Line("ada") + "\n"
	if got := storetest.ReadFile(t, s.SignersFile()); got != other+"\n"+ada {
		t.Errorf("written:\n%s", got)
	}
	if err := store.AddSigner(t.Context(), s.Layout, "human:bob", key("eve"), task.SignatureNamespace, time.Time{}, time.Time{}); record.CodeOf(err) != record.Conflict {
		t.Errorf("one key of two people: %v", err)
	}
	ended, err := store.EndSigners(t.Context(), s.Layout, "human:eve", "", at)
	if err != nil || len(ended) != 1 {
		t.Fatalf("%v, %v", ended, err)
	}
	want := strings.Replace(other, "namespaces=\"git,cairn\"\t", "namespaces=\"git,cairn\",valid-before=\"20260621100000Z\" ", 1)
	want = strings.Replace(want, "human:eve   ", "human:eve ", 1)
	if got := storetest.ReadFile(t, s.SignersFile()); got != want+"\n"+ada {
		t.Errorf("got\n%q\nwant\n%q", got, want+"\n"+ada)
	}
	if _, err := store.EndSigners(t.Context(), s.Layout, "human:eve", "", at.Add(time.Hour)); record.CodeOf(err) != record.NotFound {
		t.Errorf("ended twice: %v", err)
	}
	if _, err := store.EndSigners(t.Context(), s.Layout, "human:ada", "SHA256:other", at); record.CodeOf(err) != record.NotFound {
		t.Errorf("another key than there is: %v", err)
	}
	if ended, err := store.EndSigners(t.Context(), s.Layout, "human:ada", key("ada").Fingerprint(), time.Time{}); err != nil || len(ended) != 1 {
		t.Errorf("%v, %v", ended, err)
	}
	if got := storetest.ReadFile(t, s.SignersFile()); got != want+"\n" {
		t.Errorf("written:\n%s", got)
	}
	if left, err := s.Leftovers(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A link in the place of the file is neither read nor written through.
func TestSignersBehindALink(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	target := t.TempDir() + "/signers"
	storetest.WriteFile(t, target, "human:ada "+signtest.Line("ada")+"\n")
	if err := os.Symlink(target, s.SignersFile()); err != nil {
		t.Skip(err)
	}
	if _, err := store.Open(s.Root, t.TempDir()); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("opened: %v", err)
	}
	if signers, err := snapshot.SignersHere(s.Layout); err == nil {
		t.Errorf("read: %v", signers.Signers)
	}
	k, err := sshsign.FindKey(signtest.Line("eve"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.AddSigner(t.Context(), s.Layout, "human:eve", k, task.SignatureNamespace, time.Time{}, time.Time{}); err == nil {
		t.Error("written")
	}
	if got := storetest.ReadFile(t, target); strings.Contains(got, "eve") {
		t.Errorf("the target is\n%s", got)
	}
}

// A signature survives being written and read, whatever else stands in its entry.
func TestSignatureIsKept(t *testing.T) {
	s := storetest.NewAt(t, t.TempDir())
	made := task.Task{ID: "PROJ-1", Title: "A", Status: "backlog"}.With(record.Entry{Who: "human:ada", At: time.Now(), Did: record.Attested,
		Results: []record.CheckResult{{Check: "it's: \"read\" #1", Result: record.Pass}}, Text: "a\nb ", Sig: "U1NIU0lH+/=="})
	err := s.Update(t.Context(), func(tx *store.Tx) error { kind.Tasks.Put(tx, made); return nil })
	if err != nil {
		t.Fatal(err)
	}
	got, err := kind.Tasks.Get(s, "PROJ-1")
	if err != nil || !got.Provenance.Last().Equal(made.Provenance.Last()) {
		t.Errorf("%+v, %v", got.Provenance.Last(), err)
	}
}
