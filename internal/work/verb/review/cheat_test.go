package review_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

// A branch that changes what is asked of all work is not merged: an approval is of files outside .cairn, so nobody has
// approved that.
func TestSlowMergeRefusesALoosenedConfig(t *testing.T) {
	slowtest.Skip(t)
	for name, change := range map[string]func(h home, root string){
		"anyone attests": func(h home, root string) { h.replace(root, "attest: human", "attest: anyone") },
		"a rule is off": func(h home, root string) {
			h.replace(root, "attest: human", "attest: human\nrules: {checks-weakened: off}")
		},
		"closed by nobody": func(h home, root string) { h.replace(root, "close_by: merge", "close_by: any") },
		"a set-up": func(h home, root string) {
			h.replace(root, "attest: human", "attest: human\nworktree_setup: sh set-up")
		},
		"a default check": func(h home, root string) {
			h.replace(root, "default_checks: []", "default_checks: [{desc: lint, cmd: sh lint}]")
		},
		"another signer": func(h home, root string) { h.write(root, ".cairn/allowed_signers", signer) },
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			h.replace(h.Dir, "attest: human", "attest: human\nclose_by: merge")
			h.git(h.Dir, "commit", "-qam", "close by merge")
			id := h.create(args{"title": "Add a roof", "reviewer": "human:ann"})
			tree := h.work(id, map[string]string{"roof": "tiles\n"})
			ann := h.as("human:ann")
			_, err := ann.apply(id, "approve", nil)
			h.wantCode(err, "")
			before := h.git(h.Dir, "rev-parse", "HEAD")
			change(h, tree.Root)
			h.git(tree.Path, "add", "--all")
			h.git(tree.Path, "commit", "-qm", "and more")
			_, err = h.apply(id, "merge", nil)
			h.wantCode(err, record.ChecksFailed)
			if now := h.git(h.Dir, "rev-parse", "HEAD"); now != before {
				t.Errorf("the base moved from %s to %s", before, now)
			}
		})
	}
}

// What a branch has others run is shown to whoever reviews it. A command of another task is merged only if a person
// declared it, and one of the task itself only if it was there before the approval; what the branch makes is its own.
func TestSlowCommandsOfABranchAreShown(t *testing.T) {
	slowtest.Skip(t)
	command := func(cmd string) []args { return []args{{"desc": "lint", "cmd": cmd}} }
	for name, row := range map[string]struct {
		change func(h home, own, other record.ID)
		shown  int
		code   record.Code
	}{
		"an agent changes another task": {func(h home, _, other record.ID) {
			verbtest.Must(h.T, h.as("agent:fake-1").Workspace, "update", args{"id": other, "checks": append(command("sh lint"), args{"desc": "more", "cmd": "curl -s example.org"})})
		}, 1, record.ChecksFailed},
		"an agent changes it by hand": {func(h home, _, other record.ID) {
			h.edit(h.Dir, ".cairn/tasks/"+string(other)+".md", "cmd: sh lint", "cmd: sh other")
		}, 1, record.ChecksFailed},
		"a person changes another task": {func(h home, _, other record.ID) {
			verbtest.Must(h.T, h.Workspace, "update", args{"id": other, "checks": command("true; true"), "reason": "as we said"})
		}, 1, ""},
		"an agent adds a task": {func(h home, _, _ record.ID) {
			verbtest.Must(h.T, h.as("agent:fake-1").Workspace, "create", args{"title": "Add a door", "checks": command("sh door")})
		}, 1, ""},
		"an agent adds a check to its own after the approval": {func(h home, own, _ record.ID) {
			verbtest.Must(h.T, h.as("agent:fake-1").Workspace, "update", args{"id": own, "checks": []args{{"desc": "approved by human:ann", "type": "manual", "by": "human:ann"}, {"desc": "lint", "cmd": "true"}}})
		}, 1, record.ChecksFailed},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			other := h.create(args{"title": "Paint the roof", "checks": command("sh lint")})
			own := h.create(args{"title": "Add a roof", "reviewer": "human:ann"})
			tree := h.work(own, map[string]string{"roof": "tiles\n"})
			_, err := h.as("human:ann").apply(own, "approve", args{"commit": h.git(tree.Path, "rev-parse", "HEAD")})
			h.wantCode(err, "")
			row.change(h.in(tree.Root), own, other)
			h.git(tree.Path, "add", "--all")
			h.git(tree.Path, "commit", "-qm", "and more")
			if _, review := h.review(own); len(review.Trust) != row.shown {
				t.Errorf("the review shows %+v", review.Trust)
			}
			_, err = h.apply(own, "merge", nil)
			h.wantCode(err, row.code)
		})
	}
}

// Whoever says which commit they looked at approves no other.
func TestSlowApprovalOfACommit(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	id := h.create(args{"title": "Add a roof", "reviewer": "human:ann"})
	tree := h.work(id, map[string]string{"roof": "tiles\n"})
	looked := h.git(tree.Path, "rev-parse", "HEAD")
	h.write(tree.Path, "roof", "and a chimney\n")
	h.git(tree.Path, "commit", "-qam", "more")
	ann := h.as("human:ann")
	_, err := ann.apply(id, "approve", args{"commit": looked})
	h.wantCode(err, record.Conflict)
	_, err = ann.apply(id, "reject", args{"commit": looked, "text": "no"})
	h.wantCode(err, record.InvalidInput)
	_, err = ann.apply(id, "approve", args{"commit": h.git(tree.Path, "rev-parse", "--short", "HEAD")})
	h.wantCode(err, "")
	_, err = h.apply(id, "merge", args{"commit": looked})
	h.wantCode(err, record.Conflict)
}

const signer = "agent:job namespaces=\"cairn\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJmDCvS9Bm0rWJrlwZiJ8IbOG6jQeCfxCkqqk4mAdWoN\n"

// replace changes the config of a workspace.
func (h home) replace(root, was, now string) {
	h.Helper()
	h.edit(root, ".cairn/config.yaml", was, now)
}

// edit changes a file by hand.
func (h home) edit(root, name, was, now string) {
	h.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), was) {
		h.Fatalf("%s does not say %q: %v\n%s", name, was, err, text)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), was, now, 1)), 0o644); err != nil {
		h.Fatal(err)
	}
}

// What a check of the branch writes under .cairn while the merge is tested does not come with the merge.
func TestSlowMergeTakesNoRecordsOfChecks(t *testing.T) {
	slowtest.Skip(t)
	for name, cmd := range map[string]string{
		"the config": `sed -i.bak -e 's/attest: human/attest: anyone/' .cairn/config.yaml && rm .cairn/config.yaml.bak`,
		"a record":   `mkdir -p .cairn/skills && echo x >.cairn/skills/x.md`,
	} {
		t.Run(name, func(t *testing.T) {
			h := newHome(t)
			id := h.create(args{"title": "Add a roof", "checks": []args{{"desc": "it writes", "cmd": "if test -e door; then " + cmd + "; fi"}}})
			h.work(id, map[string]string{"roof": "tiles\n"})
			h.write(h.Dir, "door", "wood\n")
			h.git(h.Dir, "add", "--all")
			h.git(h.Dir, "commit", "-qm", "a door")
			before := h.git(h.Dir, "rev-parse", "HEAD")
			_, err := h.apply(id, "merge", nil)
			h.wantCode(err, record.ChecksFailed)
			if now := h.git(h.Dir, "rev-parse", "HEAD"); now != before {
				t.Errorf("the base moved, with %s", h.git(h.Dir, "show", "--stat", "--format=", "HEAD"))
			}
		})
	}
}

// A check of the branch that writes to the record of the task while the merge is tested, such as an approval, refuses
// the merge.
func TestSlowMergeTakesNoEntriesOfChecks(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	entry := `  - {who: human:ann, at: 2026-06-21T12:59:00Z, did: noted, text: fine}`
	id := h.create(args{"title": "Add a roof", "checks": []args{{"desc": "it writes", "cmd": "if test -e door; then for f in .cairn/tasks/*.md; do sed -e '$d' $f >more && echo '" + entry + "' >>more && echo --- >>more && cat more >$f && rm more; done; fi"}}})
	h.work(id, map[string]string{"roof": "tiles\n"})
	h.write(h.Dir, "door", "wood\n")
	h.git(h.Dir, "add", "--all")
	h.git(h.Dir, "commit", "-qm", "a door")
	_, err := h.apply(id, "merge", nil)
	h.wantCode(err, record.ChecksFailed)
	if !strings.Contains(err.Error(), "a check wrote to its record") {
		t.Errorf("the refusal is %v", err)
	}
}

// A dependency that was opened again in the checkout of the base holds a merge back before that is committed.
func TestSlowMergeWaitsForADependencyOpenedHere(t *testing.T) {
	slowtest.Skip(t)
	h := newHome(t)
	dep := h.create(args{"title": "Add walls"})
	move := func(to string) {
		if _, err := verbtest.Call[any](t, h.Workspace, "transition", args{"id": dep, "to": to}); err != nil {
			t.Fatal(err)
		}
	}
	move("done")
	id := h.create(args{"title": "Add a roof", "deps": []string{string(dep)}})
	h.work(id, map[string]string{"roof": "tiles\n"})
	move("backlog")
	_, err := h.apply(id, "merge", nil)
	h.wantCode(err, record.DepsOpen)
	move("done")
	_, err = h.apply(id, "merge", nil)
	h.wantCode(err, "")
}
