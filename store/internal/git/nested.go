package git

import (
	"context"
	"io"
	"slices"
	"strings"
)

// addNested adds a repository inside this one, a submodule or one that git does not track, by the commit that is
// checked out in it. If its work tree is not that commit's, the fingerprint of the work tree is added, so that two ways
// of being changed are two contents.
//
// A submodule that is not checked out stays as the index has it. Another work tree of this very clone is left out: its
// files are its own branch's. One that git does not track came here in some other way than with this clone: filters that
// its config names are not started, and its files are hashed as they are.
func (r *Repo) addNested(ctx context.Context, t Tree, path string, untracked bool) error {
	sub, ok, err := open(r.path(path))
	if err != nil || !ok || sub.CommonDir == r.CommonDir {
		return err
	}
	sub.foreign = r.foreign || untracked
	id, err := sub.state(ctx)
	if err != nil {
		return err
	}
	t.set(path, modeRepo, id)
	return nil
}

// addSubmodules adds every repository that the index names, whether git takes it for changed or not.
func (r *Repo) addSubmodules(ctx context.Context, t Tree) error {
	for path, file := range t {
		if !strings.HasPrefix(file, modeRepo+" ") {
			continue
		}
		if err := r.addNested(ctx, t, path, false); err != nil {
			return err
		}
	}
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

// runFiltering runs a command that hashes files of the work tree, for which git starts filters: but those that a repository
// names which nobody has trusted.
func (r *Repo) runFiltering(ctx context.Context, in io.Reader, args ...string) ([]byte, error) {
	var off []setting
	if r.foreign {
		var err error
		if off, err = r.filtersOff(ctx); err != nil {
			return nil, err
		}
	}
	return output(ctx, with(command(ctx, r.Top, args...), off), in, args)
}

// filtersOff are the settings that switch off each filter about which the repository's own config, or what that includes, says
// something. Filters of the user and the system stay.
func (r *Repo) filtersOff(ctx context.Context) ([]setting, error) {
	out, err := answer(Run(ctx, r.Top, "config", "-z", "--show-scope", "--name-only", "--get-regexp", `^filter\.`))
	if err != nil {
		return nil, err
	}
	var off []setting
	fields := records([]byte(out))
	for pair := range slices.Chunk(fields, 2) {
		if len(pair) < 2 {
			return nil, garbled("config", out)
		}
		scope, key := pair[0], pair[1]
		dot := strings.LastIndexByte(key, '.')
		if scope != "local" && scope != "worktree" || dot < 0 {
			continue
		}
		for _, s := range []setting{{"clean", ""}, {"smudge", ""}, {"process", ""}, {"required", "false"}} {
			off = append(off, setting{key[:dot+1] + s.key, s.value})
		}
	}
	return off, nil
}
