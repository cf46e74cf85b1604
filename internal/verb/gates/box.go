package gates

import (
	"os"
	"path/filepath"

	"github.com/cairn-tasks/cairn/internal/sandbox"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// BoxOf is the box in which commands of checks run, in files at a root; nil for none. The workspace may ask for more than
// the user does, and not for less: only the user says what commands may do there. In a job whose program runs in a box
// they do too: what it wrote would come out by them. It returns NO_SANDBOX, before anything is started, if there is to be
// one and this machine has none.
func BoxOf(w *verb.Workspace, s *store.Store, files layout.Layout, root string) (*sandbox.Box, error) {
	user, err := userconfig.ReadSandbox(w.ConfigDir)
	if err != nil {
		return nil, err
	}
	if s.Config.CheckSandbox != kind.SandboxSystem && user.Checks != kind.SandboxSystem && !w.Boxed {
		return nil, nil
	}
	if _, err := sandbox.Can(); err != nil {
		return nil, err
	}
	home, _ := os.UserHomeDir()
	at := func(paths []string) []string { return userconfig.AtHome(home, paths) }
	top := topOf(root)
	box := &sandbox.Box{
		Write: append(at(user.Write), top), Read: append(at(user.Read), files.Worktree), Home: home,
		Keep: []string{filepath.Join(top, ".git"), filepath.Join(root, layout.Folder)}, Env: user.Env,
		Network: user.Network == "on",
		Hide: []string{filepath.Dir(string(files.Live)), filepath.Dir(string(s.Live)), filepath.Join(root, layout.Folder, "local"),
			s.StateDir(), w.ConfigDir},
	}
	if files.Repo != nil { // of a linked work tree it lies elsewhere
		box.Keep = append(box.Keep, files.Repo.CommonDir)
	}
	return box, nil
}

// topOf is the top of the work tree in which a folder lies; the folder itself outside of git.
func topOf(root string) string {
	for at := root; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return root
		}
	}
}
