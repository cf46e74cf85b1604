package store

import (
	"context"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/sshsign"
	"github.com/cairn-tasks/cairn/task"
)

// Signers is what allowed_signers says, and which version of it was read.
type Signers struct {
	*sshsign.Allowed
	From string // "the working tree", or a commit
	None bool   // there is no such file there
}

// SignersInForce reads the allowed_signers that the gates of this working tree go by. It is the file that cairn check will take,
// so that nobody brings a key of their own: that of the commit which this branch and origin/HEAD have in common; without an
// origin/HEAD that of HEAD. Where that commit has no record, where there is no commit, and outside git it is the file as it lies
// here. It returns GIT if git refuses.
func (l Layout) SignersInForce(ctx context.Context) (Signers, error) {
	commit, err := l.signersBase(ctx)
	if err != nil {
		return Signers{}, err
	}
	if commit != "" {
		var config, file git.Blob
		names := []string{commit + ":" + l.inRepo(l.ConfigPath()), commit + ":" + l.inRepo(l.rel(l.SignersFile()))}
		err := l.Repo.Blobs(ctx, names, frontmatter.MaxFile, func(i int, b git.Blob) { *[]*git.Blob{&config, &file}[i] = b })
		if err != nil {
			return Signers{}, err
		}
		if !config.Missing {
			return Signers{sshsign.ParseAllowed(file.Content), commit, file.Missing}, nil
		}
	}
	return l.SignersHere()
}

// SignersHere reads the allowed_signers of the working tree.
func (l Layout) SignersHere() (Signers, error) {
	src, err := readRegular(l.SignersFile())
	if err != nil && !isMissing(err) {
		return Signers{}, ioError(err)
	}
	return Signers{sshsign.ParseAllowed(src), "the working tree", err != nil}, nil
}

// signersBase is the commit whose allowed_signers counts here, or "".
func (l Layout) signersBase(ctx context.Context) (string, error) {
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
	bases, err := l.Repo.MergeBases(ctx, origin, head.Commit)
	if err != nil || len(bases) == 0 {
		return head.Commit, err
	}
	return bases[0], nil
}

// signersInForce is the task.Signers of an open store. Most tasks have no signature, so the file is read when one is asked for.
type signersInForce struct {
	layout Layout
	once   sync.Once
	got    Signers
	err    error
}

// readingSigners is how long git may take to find the file.
const readingSigners = 10 * time.Second

// Verify is that of task.Signers.
func (s *signersInForce) Verify(message []byte, sig string, who task.Actor, at time.Time) error {
	s.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), readingSigners)
		defer cancel()
		s.got, s.err = s.layout.SignersInForce(ctx)
	})
	if s.err != nil {
		return s.err
	}
	return s.got.Verify(message, sig, who, at)
}

// FlowHere is the flow of a workspace for what may not ask git, such as a merge under way: signatures are held against
// allowed_signers as it lies here.
func (l Layout) FlowHere() (task.Flow, error) {
	config, err := ReadConfig(l)
	if err != nil {
		return task.Flow{}, err
	}
	if signers, err := l.SignersHere(); err == nil {
		config.Flow.Signers = signers.Allowed
	}
	return config.Flow, nil
}
