package runner

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sandbox"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// confine makes the box in which the program of the job and the command that sets its work tree up run, if the user or the
// workspace wants one. Nothing that the job brings is run outside of it then, and so no hook for what is committed. It
// returns NO_SANDBOX if the box cannot be had.
func (r *run) confine() error {
	needs := r.agent.Needs()
	word := kind.Stricter(r.s.Config.JobSandbox, r.tree.at.Config.JobSandbox)
	boxed, err := work.JobBoxed(r.w.ConfigDir, word, needs.Sandbox)
	if err != nil || !boxed {
		return err
	}
	user, err := userconfig.ReadSandbox(r.w.ConfigDir)
	if err != nil {
		return err
	}
	parts, err := r.tree.gitBox()
	if err != nil {
		return record.Errorf(record.IO, "cannot prepare the sandbox: %v", err)
	}
	home, _ := os.UserHomeDir()
	at, top := r.tree.at, r.tree.Path
	records := filepath.Join(r.tree.Root, layout.Folder)
	local := func(l layout.Layout) string { return filepath.Join(l.Top(), "local") }
	r.box = &sandbox.Box{
		Home: home, Network: needs.Network, Env: slices.Concat(user.Env, needs.Env),
		Read:  slices.Concat(userconfig.AtHome(home, slices.Concat(user.Read, needs.Read)), parts.Read),
		Write: slices.Concat(userconfig.AtHome(home, slices.Concat(user.Write, needs.Write)), parts.Write),
		Keep:  slices.Concat(parts.Keep, []string{records, filepath.Join(top, ".git")}),
		Hide: []string{filepath.Dir(string(r.s.Live)), filepath.Dir(string(at.Live)), local(r.s.Layout), local(at.Layout),
			filepath.Join(records, "local"), r.w.StateDir, r.w.ConfigDir},
	}
	if r.spec.Output == job.Patch {
		r.box.Read = append(r.box.Read, top)
	} else {
		r.box.Write = append(r.box.Write, top)
	}
	r.tree.trees.NoHooks = true
	git.Confine()
	return nil
}

// forgetNested takes repositories out of the index that the program put there: whoever runs git in the work tree later
// would start what their configs name. They stay where they are, as folders that git does not track.
func (t *workTree) forgetNested(ctx context.Context) error {
	files, err := t.repo.Index("").Files(ctx, "")
	if err != nil {
		return err
	}
	base, err := t.repo.Objects().Tree(ctx, t.from)
	if err != nil {
		return err
	}
	for _, f := range files {
		if _, there := base[f.Path]; f.Repository() && !there {
			if _, err := (git.Writing{}).Run(ctx, t.Path, "update-index", "--force-remove", "--", f.Path); err != nil {
				return err
			}
		}
	}
	return nil
}

// gitBox is what git needs for commits on the branch of the task: objects, the branch, and the work tree's own git
// folder. What leads git elsewhere, or names programs, is kept, and so are the other branches.
func (t *workTree) gitBox() (sandbox.Box, error) {
	common, own := t.repo.CommonDir, t.repo.GitDir
	ref := filepath.Join("refs", "heads", filepath.FromSlash(t.Branch))
	box := sandbox.Box{
		Read: []string{common}, Write: []string{filepath.Join(common, "objects"), own},
		Keep: []string{filepath.Join(common, "objects", "pack"), filepath.Join(common, "objects", "info"), filepath.Join(own, "commondir"), filepath.Join(own, "gitdir")},
	}
	config := filepath.Join(own, "config.worktree") // git would read one that the program makes
	f, err := os.OpenFile(config, os.O_CREATE|os.O_RDONLY, 0o644)
	if err != nil {
		return box, err
	}
	box.Keep = append(box.Keep, config)
	if err := f.Close(); err != nil {
		return box, err
	}
	for _, at := range []string{filepath.Join(common, ref), filepath.Join(common, "logs", ref)} {
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			return box, err
		}
		box.Write = append(box.Write, filepath.Dir(at))
		others, err := os.ReadDir(filepath.Dir(at))
		if err != nil {
			return box, err
		}
		for _, o := range others {
			if path := filepath.Join(filepath.Dir(at), o.Name()); path != at {
				box.Keep = append(box.Keep, path)
			}
		}
	}
	return box, nil
}

// identity is who commits in the box, where the home is hidden.
func (t *workTree) identity(ctx context.Context) (env []string) {
	for key, names := range map[string][]string{"user.name": {"GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"}, "user.email": {"GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"}} {
		if value := store.Setting(ctx, t.Path, key); value != "" {
			for _, name := range names {
				env = append(env, name+"="+value)
			}
		}
	}
	return env
}

// confined are the command line and the environment of a line of sh in the box of the job, if it has one.
func (r *run) confined(line string, env []string) (argv, kept []string, err error) {
	if r.box == nil {
		return nil, env, nil
	}
	box := *r.box
	for _, variable := range env[len(os.Environ()):] { // what the job sets
		name, _, _ := strings.Cut(variable, "=")
		box.Env = append(slices.Clone(box.Env), name)
	}
	return box.Command(line, r.tree.Root, env)
}
