package git

import "context"

// addNested adds a repository inside this one, a submodule or one that git does not track, by the commit that is
// checked out in it. If its work tree is not that commit's, the fingerprint of the work tree is added, so that two ways
// of being changed are two contents.
//
// A submodule that is not checked out stays as the index has it. Another work tree of this very clone is left out: its
// files are its own branch's.
func (r *Repo) addNested(ctx context.Context, t Tree, path string) error {
	sub, ok, err := open(r.path(path))
	if err != nil || !ok || sub.CommonDir == r.CommonDir {
		return err
	}
	id, err := sub.state(ctx)
	if err != nil {
		return err
	}
	t.set(path, modeRepo, id)
	return nil
}

// state is what a repository counts as in the tree of the one around it.
func (r *Repo) state(ctx context.Context) (string, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return "", err
	}
	work, err := r.Fingerprint(ctx)
	if err != nil {
		return "", err
	}
	committed := Tree{}.Fingerprint()
	if head.Commit != "" {
		if committed, err = r.CommitFingerprint(ctx, head.Commit); err != nil {
			return "", err
		}
	}
	if work == committed {
		return head.Commit, nil
	}
	return head.Commit + "+" + work, nil
}
