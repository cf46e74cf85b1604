package gates

import (
	"context"
	"os"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// WorkTree reads the state of the working tree. It is nil where git cannot say, and then every pass is stale. It is nil
// in a clone that is not trusted too: to hash a file git may start programs that the clone's own config names.
func WorkTree(ctx context.Context, s *store.Store) store.Tree { return TreeOf(ctx, s, task.Task{}) }

// TreeOf is WorkTree of the files of a task, which may be in another repository.
func TreeOf(ctx context.Context, s *store.Store, t task.Task) store.Tree {
	files, err := FilesOf(s, t)
	if err != nil {
		return nil
	}
	return treeOf(ctx, files)
}

// FilesOf are where the commands of a task run. Of a task in another repository that is the work tree which was made for
// it there, as long as there is one, and else the folder that the config names. It returns NOT_FOUND if somebody took that
// work tree away.
func FilesOf(s *store.Store, t task.Task) (store.Files, error) {
	if in := verb.OwnWork().FilesIn; t.Repo != "" && in != nil {
		top := in(s, t)
		if info, err := os.Lstat(top); top != "" && (err != nil || !info.IsDir()) {
			return store.Files{}, record.Errorf(record.NotFound, "the work tree of %s in %s is gone: there is no folder %s", t.ID, t.Repo, top).
				WithHint("if it was moved, git worktree repair NEW-PATH in that repository; if not, %s begins anew, and keeps what its branch has",
					record.CallTo("job_discard", "id", t.ID).OnlyShown())
		}
		s = s.WithFiles(top)
	}
	return s.Files(t)
}

// Ready are FilesOf a task in another repository, if the user has consented that its commands run there. It returns
// UNTRUSTED otherwise.
func Ready(s *store.Store, t task.Task) (store.Files, error) {
	files, err := FilesOf(s, t)
	if err == nil && !files.Trusted() {
		err = untrustedRepo(files)
	}
	return files, err
}

func treeOf(ctx context.Context, files store.Files) store.Tree {
	tree, _ := treeAndAbsent(ctx, files)
	return tree
}

// treeAndAbsent is treeOf, and lists the files in it that are not on disk.
func treeAndAbsent(ctx context.Context, files store.Files) (tree store.Tree, absent []string) {
	if !files.Trusted() {
		return nil, nil
	}
	tree, absent, err := files.WorkTreeAndAbsent(ctx)
	if err != nil {
		return nil, nil
	}
	return tree, absent
}

// Fingerprint is that of a tree, or "" for one that could not be read.
func Fingerprint(tree store.Tree) string {
	if tree == nil {
		return ""
	}
	return tree.Fingerprint()
}

// OpenChecks lists what stands between a task and its close.
func OpenChecks(ctx context.Context, s *store.Store, t task.Task) []verb.OpenCheck {
	p := task.Proof{Tree: Fingerprint(TreeOf(ctx, s, t))}
	var out []verb.OpenCheck
	standings := s.Config.Flow.Standings(t, p)
	for i, c := range t.Checks {
		switch standing := standings(i); {
		case standing == record.Pass:
		case standing == record.Fail:
			out = append(out, verb.OpenCheck{Check: i, Desc: c.Desc, State: "failed"})
		case c.Result == record.Pass && !c.Manual():
			out = append(out, verb.OpenCheck{Check: i, Desc: c.Desc, State: "stale"})
		default:
			out = append(out, verb.OpenCheck{Check: i, Desc: c.Desc, State: "pending"})
		}
	}
	return out
}
