package snapshot

import (
	"bytes"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/task"
)

// Signers is a version of allowed_signers.
type Signers struct {
	*sshsign.Allowed
	From string // where it was read: "the working tree", or a commit
	None bool   // there is no such file
}

// SignersInForce reads the allowed_signers that the gates of this working tree use, which is also what cairn check
// uses, so that a change cannot bring its own key: the file in the merge base of this branch and origin/HEAD; in HEAD
// if there is no origin/HEAD. If that commit has no workspace, if there is no commit, and outside git it is the file in
// the working tree. It returns GIT if git refuses.
func SignersInForce(ctx context.Context, l layout.Layout) (Signers, error) {
	commit, err := signersBase(ctx, l)
	if err != nil {
		return Signers{}, err
	}
	return SignersAt(ctx, l, commit)
}

// SignersAt reads the signers of a commit; those of the working tree where the commit has no workspace, or is "".
func SignersAt(ctx context.Context, l layout.Layout, commit string) (Signers, error) {
	if commit != "" {
		var got [2]git.Blob // config, allowed_signers
		names := []string{commit + ":" + l.InRepo(l.Rel(l.ConfigFile())), commit + ":" + l.InRepo(l.Rel(l.SignersFile()))}
		err := l.Repo.Objects().Blobs(ctx, names, format.MaxFile, func(i int, b git.Blob) { got[i] = b })
		if err != nil {
			return Signers{}, err
		}
		if !got[0].Missing {
			return Signers{sshsign.ParseAllowed(got[1].Content), commit, got[1].Missing}, nil
		}
	}
	return SignersHere(l)
}

// SignersHere reads the allowed_signers of the working tree.
func SignersHere(l layout.Layout) (Signers, error) {
	src, err := layout.ReadFile(l.SignersFile())
	if err != nil && !problem.Missing(err) {
		return Signers{}, problem.IO(err)
	}
	return Signers{sshsign.ParseAllowed(src), "the working tree", err != nil}, nil
}

// signersBase is the commit whose allowed_signers counts here, or "".
func signersBase(ctx context.Context, l layout.Layout) (string, error) {
	if l.Repo == nil {
		return "", nil
	}
	head, err := l.Repo.Head(ctx)
	if err != nil || head.Commit == "" {
		return "", err
	}
	origin, err := l.Repo.Commit(ctx, originHead)
	if err != nil || origin == "" {
		return head.Commit, err
	}
	bases, err := l.Repo.History().MergeBases(ctx, origin, head.Commit)
	switch {
	case err != nil:
		return "", err
	case len(bases) > 0:
		return bases[0], nil
	}
	cut, err := l.Repo.History().Incomplete(ctx, []string{origin, head.Commit}, nil)
	if cut {
		return "", record.Errorf(record.NoBase, "this clone is too shallow to tell whose keys count").WithHint(fetchAll)
	}
	return head.Commit, err
}

// signersInForce is the task.Signers of an open store.
type signersInForce struct{ read func() (Signers, error) }

// SignersOf returns the keys that the gates of this working tree use: those of SignersInForce. Most tasks have no
// signature, so the file is read at the first one, from git within a time limit.
func SignersOf(l layout.Layout) task.Signers {
	const limit = 10 * time.Second
	return &signersInForce{sync.OnceValues(func() (Signers, error) {
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		defer cancel()
		return SignersInForce(ctx, l)
	})}
}

// Verify is the method of task.Signers.
func (s *signersInForce) Verify(message []byte, sig string, who record.Actor, at time.Time) error {
	signers, err := s.read()
	if err != nil {
		return err
	}
	return signers.Verify(message, sig, who, at)
}

// FlowHere is the flow of a workspace where git cannot be used, such as during a merge: signatures are verified with
// allowed_signers of the working tree.
func FlowHere(l layout.Layout) (task.Flow, error) {
	config, err := ReadConfig(l)
	if err != nil {
		return task.Flow{}, err
	}
	if signers, err := SignersHere(l); err == nil {
		config.Flow.Signers = signers.Allowed
	}
	return config.Flow, nil
}

// FlowToMerge is FlowHere for a merge: the default one if the config cannot be read, as in the middle of another merge.
func FlowToMerge(l layout.Layout) task.Flow {
	if flow, err := FlowHere(l); err == nil {
		return flow
	}
	return kind.DefaultConfig().Flow
}

// ReadConfig reads the config of a workspace. It returns NO_WORKSPACE if there is none, and BAD_FILE, with line and
// column, if it cannot be used.
func ReadConfig(l layout.Layout) (kind.Config, error) {
	src, err := layout.ReadFile(l.ConfigFile())
	if problem.Missing(err) {
		return kind.Config{}, record.Errorf(record.NoWorkspace, "%s has no config.yaml", l.Top()).
			WithHint("%s finishes it", record.CallTo("init"))
	}
	if err != nil {
		return kind.Config{}, problem.IO(err)
	}
	if last := lastConfig.Load(); last != nil && bytes.Equal(last.src, src) {
		return last.config, nil
	}
	c, err := kind.ParseConfig(src)
	if err != nil {
		return kind.Config{}, problem.BadFile(l.Rel(l.ConfigFile()), err)
	}
	lastConfig.Store(&parsedConfig{src, c})
	return c, nil
}

type parsedConfig struct {
	src    []byte
	config kind.Config
}

// lastConfig is what was parsed last: a server opens the same workspace for each call. It counts only for the very same
// text, and nobody changes a config.
var lastConfig atomic.Pointer[parsedConfig]
