package review

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// honest returns CHECKS_FAILED for what cairn check calls an error of the branch as a change of the commit that it left
// its base at, unless it is one of that commit itself: a check that was weakened, or a record that was rewritten. The
// gates would be asked of the checks that are left.
func (m *merging) honest(ctx context.Context) error {
	stat, err := m.Trees.Stat(ctx, m.Tree)
	if err != nil || len(stat.Records) == 0 {
		return err
	}
	there, err := m.InTree()
	if err != nil {
		return err
	}
	return m.sound(ctx, there, stat.From)
}

// kept returns CHECKS_FAILED for what cairn check calls an error of the merge, with the task closed, as a change of the
// base, unless it is one of the base itself. Of an open task it only warns of much of that, such as a check that was
// taken away, or one that somebody settled who may not by the config of the base.
func (m *merging) kept(ctx context.Context, s *store.Store) error {
	base, err := m.Home.Repo.Commit(ctx, "refs/heads/"+m.base)
	if err != nil {
		return err
	}
	return m.sound(ctx, s, base)
}

// unseen are the rules whose findings refuse a merge though they are no errors: what loosens the config, or changes
// whose signatures count. An approval is of files outside .cairn, so no reviewer has seen it.
var unseen = []proof.RuleID{proof.ConfigLoosened, proof.SignersChanged}

// sound returns CHECKS_FAILED for an error that cairn check finds in the working tree of a store as a change of a
// commit, and does not find in that commit.
func (m *merging) sound(ctx context.Context, s *store.Store, base string) error {
	errs, err := snapshot.ErrorsSince(ctx, s.Layout, base, unseen...)
	switch {
	case record.CodeOf(err) == record.NoBase: // the base has no workspace yet
		return nil
	case err != nil || len(errs) == 0:
		return err
	}
	f, get := errs[0], record.CallTo("get", "id", m.Task.ID)
	if slices.Contains(unseen, f.Rule) {
		return record.Errorf(record.ChecksFailed, "the branch changes what is asked of all work, and no approval is of that: %s in %s: %s", f.Rule, f.Path, f.Message).
			WithHint("take it out of the branch in %s; a person who wants it commits it on %s", m.Tree.Path, m.base).WithNext(get).ForGood()
	}
	return record.Errorf(record.ChecksFailed, "cairn check finds %s in %s of the branch: %s", f.Rule, f.Path, f.Message).
		WithHint("%s in %s says what to do about it", record.CallTo("check", "base", base), m.Tree.Path).WithNext(get)
}

// unmoved returns CONFLICT if the branch has a commit that nobody has looked at: it came since the merge began.
func (m *merging) unmoved(ctx context.Context) error {
	tip, err := m.Home.Repo.Commit(ctx, "refs/heads/"+m.Tree.Branch)
	if err == nil && tip != m.head {
		err = record.Errorf(record.Conflict, "%s was committed to while it was being merged", m.Tree.Branch).WithHint("look at it again").WithNext(record.CallTo("get", "id", m.Task.ID))
	}
	return err
}

// records returns CHECKS_FAILED for records that were written where the merge is tested and are not of the close:
// commands of the branch wrote them, and nobody has reviewed that.
func (m *merging) records(paths []string) error {
	for _, path := range paths {
		k, id, ok := kind.At(strings.TrimPrefix(path, m.Home.InRepo("")))
		switch {
		case ok && k == kind.Tasks.Kind && id == string(m.Task.ID):
		case ok && k == kind.Sessions.Kind && slices.Contains(m.sessions, id):
		case strings.HasPrefix(path, m.Home.InRepo(layout.Folder+"/runs/")): // logs, where git does not ignore them
		default:
			return record.Errorf(record.ChecksFailed, "a check wrote %s while the merge was tested", path).
				WithHint("what a check runs must not write under .cairn").ForGood()
		}
	}
	return nil
}

// dependencies returns DEPS_OPEN if the task waits for something that is open in what is merged: it may have been
// opened again since the work began. In the checkout of the base that counts before it is committed too.
func (m *merging) dependencies(ctx context.Context, s *store.Store, t task.Task) error {
	t.Status = s.Config.Flow.Initial
	merged := kind.Deps(s, s.Config.Flow)
	find := merged
	if m.Home.Head(ctx).Branch == m.base {
		here := kind.Deps(m.Home, s.Config.Flow)
		find = func(id record.ID) (task.Task, bool) {
			dep, ok := merged(id)
			// What is here counts if it has every entry of the other version, and more.
			if now, there := here(id); ok && there && len(now.Provenance) > len(dep.Provenance) {
				known := now.Provenance.Hashes()
				if !slices.ContainsFunc(dep.Provenance, func(e record.Entry) bool { return !known[e.Hash()] }) {
					return now, true
				}
			}
			return dep, ok
		}
	}
	return s.Config.Flow.DepsGate(t, m.to, find)
}
