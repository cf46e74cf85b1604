package snapshot_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// inForce is whose keys count in a workspace.
func inForce(t *testing.T, s *store.Store) string {
	t.Helper()
	signers, err := snapshot.SignersInForce(t.Context(), s.Layout)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, signer := range signers.Signers {
		names = append(names, strings.TrimPrefix(string(signer.Actor), "human:"))
	}
	return strings.Join(names, " ")
}

func allow(t *testing.T, s *store.Store, names ...string) {
	t.Helper()
	var b strings.Builder
	for _, name := range names {
		b.WriteString("human:" + name + " " + signtest.Line(name) + "\n")
	}
	storetest.WriteFile(t, s.SignersFile(), b.String())
}

// Which version of allowed_signers counts: what cairn check takes too.
func TestSignersInForce(t *testing.T) {
	outside := storetest.NewAt(t, t.TempDir())
	allow(t, outside, "ada")
	if got := inForce(t, outside); got != "ada" {
		t.Errorf("outside git: %q", got)
	}

	alone := recorded(t)
	allow(t, alone, "ada")
	if got := inForce(t, alone); got != "" {
		t.Errorf("what is not committed counts: %q", got)
	}
	storetest.CommitAll(t, alone)
	allow(t, alone, "ada", "eve")
	if got := inForce(t, alone); got != "ada" {
		t.Errorf("without an origin, HEAD's: %q", got)
	}

	branch, _ := forked(t)
	allow(t, branch, "eve")
	storetest.CommitAll(t, branch)
	if got := inForce(t, branch); got != "" {
		t.Errorf("a branch brings its own: %q", got)
	}
	storetest.Git(t, branch.Root, "update-ref", "refs/remotes/origin/main", "HEAD") // it is merged
	if got := inForce(t, branch); got != "eve" {
		t.Errorf("once merged: %q", got)
	}

	bare := storetest.NewAt(t, storetest.NewRepo(t))
	allow(t, bare, "ada")
	if got := inForce(t, bare); got != "ada" {
		t.Errorf("before the first commit: %q", got)
	}
	storetest.WriteFile(t, bare.Root+"/README", "x")
	storetest.Git(t, bare.Root, "add", "README")
	storetest.Git(t, bare.Root, "commit", "-q", "-m", "begin")
	if got := inForce(t, bare); got != "ada" {
		t.Errorf("where HEAD has no record yet: %q", got)
	}
}
