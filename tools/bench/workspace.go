package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// workspace is a git repository whose tasks are committed, as after a clone: there is no live state.
type workspace struct {
	graph
	dir string
	env []string
}

// newWorkspace makes a workspace in a new folder. It flushes nothing to the disk, and uses every core.
func newWorkspace(ctx context.Context, dir string, g graph, env []string) (workspace, error) {
	w := workspace{graph: g, dir: dir, env: env}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return w, err
	}
	if err := w.git(ctx, "init", "--quiet", "--initial-branch=main"); err != nil {
		return w, err
	}
	if _, _, err := store.Init(dir, prefix); err != nil {
		return w, err
	}
	config, err := os.ReadFile(filepath.Join(dir, ".cairn", "config.yaml"))
	if err != nil {
		return w, err
	}
	settings, err := kind.ParseConfig(config)
	if err != nil {
		return w, err
	}
	w.flow = settings.Flow
	return w, w.commit(ctx, w.fill)
}

// fill writes the files of all tasks, and hands each to add, which is called from several goroutines.
func (w workspace) fill(add func(name string, content []byte) error) error {
	var next atomic.Int64
	var all sync.WaitGroup
	failed := make([]error, runtime.NumCPU())
	for worker := range failed {
		all.Go(func() {
			for i := int(next.Add(1)) - 1; i < w.n && failed[worker] == nil; i = int(next.Add(1)) - 1 {
				failed[worker] = w.write(i, add)
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func (w workspace) write(i int, add func(string, []byte) error) error {
	t, ses, err := w.task(i)
	if err != nil {
		return err
	}
	files, err := bytesOf(t, ses)
	if err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(w.path(name), content, 0o644); err != nil {
			return err
		}
		if err := add(name, content); err != nil {
			return err
		}
	}
	return nil
}

// path is the path of a file that is named from the workspace root.
func (w workspace) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// commit commits what fill adds, with git fast-import, which makes one pack and no file for each object.
func (w workspace) commit(ctx context.Context, fill func(add func(string, []byte) error) error) error {
	cmd := w.command(ctx, "git", "fast-import", "--quiet")
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	out := bufio.NewWriterSize(in, 1<<20)
	fmt.Fprint(out, "commit refs/heads/main\ncommitter Ada <ada@example.com> 1735689600 +0000\ndata 10\nAll tasks\n\n")
	var turn sync.Mutex
	add := func(name string, content []byte) error {
		turn.Lock()
		defer turn.Unlock()
		fmt.Fprintf(out, "M 100644 inline %s\ndata %d\n", name, len(content))
		_, err := out.Write(append(content, '\n'))
		return err
	}
	failed := errors.Join(fill(add), w.addSettings(add), out.Flush(), in.Close())
	if err := errors.Join(failed, cmd.Wait()); err != nil {
		return fmt.Errorf("git fast-import: %w", err)
	}
	return w.git(ctx, "reset", "--quiet")
}

func (w workspace) addSettings(add func(string, []byte) error) error {
	for _, name := range []string{".cairn/config.yaml", ".cairn/.gitignore"} {
		content, err := os.ReadFile(w.path(name))
		if err != nil {
			return err
		}
		if err := add(name, content); err != nil {
			return err
		}
	}
	return nil
}

func (w workspace) git(ctx context.Context, args ...string) error {
	if out, err := w.command(ctx, "git", args...).CombinedOutput(); err != nil {
		return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
	}
	return nil
}

// command is a program to be started in the workspace.
func (w workspace) command(ctx context.Context, program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	return cmd
}

// folders are those that hold a file for each record.
func (w workspace) folders() []string {
	return []string{w.path(".cairn/tasks"), w.path(".cairn/sessions")}
}

// forgetIndex removes what cairn derives from the files and keeps beside its live state.
func (w workspace) forgetIndex() error {
	return filepath.WalkDir(w.path(".git/cairn"), func(path string, e os.DirEntry, err error) error {
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if kept, _ := filepath.Match("index-*", filepath.Base(path)); err != nil || !kept || e.IsDir() {
			return err
		}
		return os.Remove(path)
	})
}

// edit appends a line to the file of a task, as a person would: in place, and without a lock.
func (w workspace) edit(i int) error {
	f, err := os.OpenFile(w.path(kind.Tasks.File(w.id(i))), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, "\nA line by hand.\n")
	return errors.Join(err, f.Close())
}
