package doctor

import (
	"context"
	"errors"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// mergeDriver finds a half of the merge driver that is missing: the attributes, which are committed, or the command in
// the clone's own config, which no clone inherits. If both are missing, nobody asked for the driver, and that is a
// notice without a repair.
func (e *examination) mergeDriver(ctx context.Context) error {
	const fix = "cairn setup merge-driver"
	if e.Store.Repo == nil {
		return nil
	}
	d, err := store.MergeDriverOf(ctx, e.Store.Layout)
	if err != nil {
		return err
	}
	setup := func(id proof.RuleID, path, why string) error {
		plan, err := store.PlanMergeDriver(ctx, e.Store.Layout, false)
		if err == nil {
			e.find(id, path, fix, "git merges tasks line by line here: %s", why).fixable(plan.Apply, plan.Lines...)
		}
		return err
	}
	switch {
	case d.Attributes && d.Command == "":
		return setup(mergeDriverMissing, "", "this clone's config does not name the driver that the attributes ask for")
	case d.Attributes && !runs(d.Command, e.Store.Worktree):
		e.find(mergeDriverNotFound, "", "put cairn on the PATH that git sees",
			"git cannot merge tasks: it is to run %s, and there is no such program", d.Command)
	case !d.Attributes && d.Installed:
		return setup(mergeAttributes, ".gitattributes", "no attributes ask for the driver that this clone's config names")
	case !d.Attributes:
		e.find(mergeDriverOff, "", fix, "git merges tasks line by line, and two branches that write to one task conflict")
	}
	return nil
}

// runs reports whether the program of a command can be found from the top of the work tree, where git runs it. A
// command that is more than a program and its arguments is the shell's to judge.
func runs(command, top string) bool {
	program, _, _ := strings.Cut(strings.TrimSpace(command), " ")
	if strings.ContainsAny(program, `'"$=\(;&|~`) {
		return true
	}
	if strings.Contains(program, "/") && !filepath.IsAbs(program) {
		program = filepath.Join(top, program)
	}
	_, err := exec.LookPath(program)
	return err == nil
}

// signing finds what keeps approvals from being signed: no key that counts, or that the person who runs this cannot
// sign. It finds nothing if neither a check nor a key asks for signatures.
func (e *examination) signing(ctx context.Context) error {
	flow := e.Store.Config.Flow
	asks := flow.Settles == task.BySigned || flow.Signs(flow.Defaults)
	if !asks {
		tasks, _, err := kind.Tasks.List(ctx, e.records)
		if err != nil {
			return err
		}
		asks = slices.ContainsFunc(tasks, func(t task.Task) bool { return !flow.IsClosed(t.Status) && flow.Signs(t.Checks) })
	}
	here, err := snapshot.SignersHere(e.Store.Layout)
	if err != nil || !asks && here.None {
		return nil //nolint:nilerr // that it cannot be read is a finding of the rules
	}
	inForce, err := snapshot.SignersInForce(ctx, e.Store.Layout)
	if err != nil {
		return err
	}
	file := path.Join(layout.Folder, layout.SignersName)
	switch {
	case asks && here.None:
		e.find(signersMissing, file, "list whose signatures count, then commit the file and merge it: cairn trust signer add ACTOR KEY.pub",
			"checks pass with a signature only, and nobody's counts: there is no such file")
	case asks && len(inForce.Signers) == 0:
		e.find(signersMissing, file, "commit the file and merge it: a change cannot bring its own keys",
			"checks pass with a signature only, and nobody's counts yet: the keys are not in %s", inForce.From)
	case e.Actor.Human():
		e.signer(ctx, file, inForce)
	}
	return nil
}

// signer finds what keeps the person who runs this from signing. These are notices, since not everybody has to sign.
func (e *examination) signer(ctx context.Context, file string, inForce snapshot.Signers) {
	var key sshsign.PublicKey
	config, err := store.ReadSigningConfig(ctx, e.Store.Root)
	name := ""
	if err == nil {
		name, err = config.SSHKey()
	}
	if err == nil {
		key, err = sshsign.FindKey(name, e.Home)
	}
	if err != nil {
		e.refused(signingNotSetUp, "you cannot sign approvals: ", err)
		return
	}
	if err := inForce.Allows(key, e.Actor, e.Now()); err != nil {
		e.find(signerNotListed, file, "list your key, then commit the file and merge it: cairn trust signer add "+string(e.Actor)+" KEY.pub",
			"a signature of yours would not count: %s, in %s", err, inForce.From)
	}
	if _, err := exec.LookPath(sshsign.Keygen); err != nil && !errors.Is(err, exec.ErrDot) {
		e.find(signingNotSetUp, "", "install OpenSSH 8.1 or newer", "there is no %s, so only a key that an agent has can sign",
			sshsign.Keygen)
	}
}

// worktrees finds work trees that cairn made and whose folder is gone, and those of tasks that are closed or deleted,
// with why they stay. It repairs none of that: what lies in a work tree may be somebody's work.
func (e *examination) worktrees(ctx context.Context) error {
	if e.Store.Repo == nil {
		return nil
	}
	trees, err := work.Trees(e.Store, e.Now)
	var all []worktree.Standing
	if err == nil {
		all, err = trees.List(ctx)
	}
	for _, one := range all {
		t, err := kind.Tasks.Get(e.records, one.Task)
		over := record.CodeOf(err) == record.NotFound || err == nil && e.Store.Config.Flow.IsClosed(t.Status)
		remove := e.Spell(record.CallTo("worktree_remove", "id", one.Task))
		switch {
		case one.Has(worktree.Parked): // which is as somebody wanted it
		case one.Has(worktree.Gone):
			fix := "if it was not moved, forget it: " + e.Spell(record.CallTo("worktree_remove", "id", one.Task, "force", true))
			e.find(worktreeLost, "", fix, "the work tree %s: %s", one.Path, one.Reasons[0].Message).about(one.Task.Ref())
		case over && one.Removable:
			e.find(worktreeLeft, "", remove, "the work tree %s can be removed", one.Path).about(one.Task.Ref())
		case over:
			why := record.Each(one.Reasons, func(r worktree.Reason) string { return r.Message })
			e.find(worktreeLeft, "", "settle that, then "+remove, "the work tree %s stays: %s", one.Path, strings.Join(why, "; ")).
				about(one.Task.Ref())
		}
	}
	return err
}
