package store

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/store/sshsign"
	"github.com/cairn-tasks/cairn/store/sshsign/signtest"
	"github.com/cairn-tasks/cairn/task"
)

// inForce is whose keys count in a workspace.
func inForce(t *testing.T, s *Store) string {
	t.Helper()
	signers, err := s.SignersInForce(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, signer := range signers.Signers {
		names = append(names, strings.TrimPrefix(string(signer.Actor), "human:"))
	}
	return strings.Join(names, " ")
}

func allow(t *testing.T, s *Store, names ...string) {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		b.WriteString("human:" + name + " " + signtest.Line(name) + "\n")
	}
	writeFile(t, s.SignersFile(), b.String())
}

// Which version of allowed_signers counts: what cairn check takes too.
func TestSignersInForce(t *testing.T) {
	outside := newStoreAt(t, t.TempDir())
	allow(t, outside, "ada")
	if got := inForce(t, outside); got != "ada" {
		t.Errorf("outside git: %q", got)
	}

	alone := recorded(t)
	allow(t, alone, "ada")
	if got := inForce(t, alone); got != "" {
		t.Errorf("what is not committed counts: %q", got)
	}
	commitAll(t, alone)
	allow(t, alone, "ada", "eve")
	if got := inForce(t, alone); got != "ada" {
		t.Errorf("without an origin, HEAD's: %q", got)
	}

	branch, _ := forked(t)
	allow(t, branch, "eve")
	commitAll(t, branch)
	if got := inForce(t, branch); got != "" {
		t.Errorf("a branch brings its own: %q", got)
	}
	runGit(t, branch.Root, "update-ref", "refs/remotes/origin/main", "HEAD") // it is merged
	if got := inForce(t, branch); got != "eve" {
		t.Errorf("once merged: %q", got)
	}

	bare := newStoreAt(t, newRepo(t))
	allow(t, bare, "ada")
	if got := inForce(t, bare); got != "ada" {
		t.Errorf("before the first commit: %q", got)
	}
	writeFile(t, bare.Root+"/README", "x")
	runGit(t, bare.Root, "add", "README")
	runGit(t, bare.Root, "commit", "-q", "-m", "begin")
	if got := inForce(t, bare); got != "ada" {
		t.Errorf("where HEAD has no record yet: %q", got)
	}
}

// The file is written whole, under the lock, beside whatever else stands in it, and never with a line that is not understood.
func TestAddAndEndSigners(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	key := func(name string) sshsign.PublicKey {
		k, err := sshsign.FindKey(signtest.Line(name), "")
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	at := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	other := "# ours\r\n\r\nhuman:eve   valid-after=\"20200101Z\",namespaces=\"git,cairn\"\t" + signtest.Line("eve") + " eve's key\r\nnobody understands this"
	writeFile(t, s.SignersFile(), other)
	if err := s.AddSigner(t.Context(), "human:ada", key("ada"), time.Time{}, time.Time{}); err != nil {
		t.Fatal(err)
	}
	ada := "human:ada namespaces=\"cairn\" " + signtest.Line("ada") + "\n"
	if got := readFile(t, s.SignersFile()); got != other+"\n"+ada {
		t.Errorf("written:\n%s", got)
	}
	if err := s.AddSigner(t.Context(), "human:bob", key("eve"), time.Time{}, time.Time{}); task.CodeOf(err) != task.Conflict {
		t.Errorf("one key of two people: %v", err)
	}
	ended, err := s.EndSigners(t.Context(), "human:eve", "", at)
	if err != nil || len(ended) != 1 {
		t.Fatalf("%v, %v", ended, err)
	}
	want := strings.Replace(other, "namespaces=\"git,cairn\"\t", "namespaces=\"git,cairn\",valid-before=\"20260621100000Z\" ", 1)
	want = strings.Replace(want, "human:eve   ", "human:eve ", 1)
	if got := readFile(t, s.SignersFile()); got != want+"\n"+ada {
		t.Errorf("written:\n%q\nand should be\n%q", got, want+"\n"+ada)
	}
	if _, err := s.EndSigners(t.Context(), "human:eve", "", at.Add(time.Hour)); task.CodeOf(err) != task.NotFound {
		t.Errorf("ended twice: %v", err)
	}
	if _, err := s.EndSigners(t.Context(), "human:ada", "SHA256:other", at); task.CodeOf(err) != task.NotFound {
		t.Errorf("another key than there is: %v", err)
	}
	if ended, err := s.EndSigners(t.Context(), "human:ada", key("ada").Fingerprint(), time.Time{}); err != nil || len(ended) != 1 {
		t.Errorf("%v, %v", ended, err)
	}
	if got := readFile(t, s.SignersFile()); got != want+"\n" {
		t.Errorf("written:\n%s", got)
	}
	if left, err := s.Leftovers(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A link in the place of the file is neither read nor written through.
func TestSignersBehindALink(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	target := t.TempDir() + "/signers"
	writeFile(t, target, "human:ada "+signtest.Line("ada")+"\n")
	if err := os.Symlink(target, s.SignersFile()); err != nil {
		t.Skip(err)
	}
	if _, err := Open(s.Root, t.TempDir()); task.CodeOf(err) != task.InvalidInput {
		t.Errorf("opened: %v", err)
	}
	if signers, err := s.SignersHere(); err == nil {
		t.Errorf("read: %v", signers.Signers)
	}
	k, err := sshsign.FindKey(signtest.Line("eve"), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.AddSigner(t.Context(), "human:eve", k, time.Time{}, time.Time{}); err == nil {
		t.Error("written")
	}
	if got := readFile(t, target); strings.Contains(got, "eve") {
		t.Errorf("the target is\n%s", got)
	}
}

// A signature survives being written and read, whatever else stands in its entry.
func TestSignatureIsKept(t *testing.T) {
	s := newStoreAt(t, t.TempDir())
	made := task.Task{ID: "PROJ-1", Title: "A", Status: "backlog"}.With(task.Entry{Who: "human:ada", At: time.Now(), Did: task.Attested,
		Results: []task.CheckResult{{Check: "it's: \"read\" #1", Result: task.Pass}}, Text: "a\nb ", Sig: "U1NIU0lH+/=="})
	err := s.Update(t.Context(), func(tx *Tx) error { tx.Create(made); return nil })
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Get("PROJ-1")
	if err != nil || !got.Provenance.Last().Equal(made.Provenance.Last()) {
		t.Errorf("%+v, %v", got.Provenance.Last(), err)
	}
}
