package remote

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Port is what claims need of a git remote.
type Port interface {
	// Commit makes a commit that says something, here.
	Commit(ctx context.Context, message string, at time.Time) (object string, err error)

	// Push changes refs, each only if it still points at what is expected; all or none if atomic. Refs are named without
	// their namespace. The error is context.DeadlineExceeded if there was no answer in time; that of Fetch likewise.
	Push(ctx context.Context, updates []git.RefUpdate, atomic bool) (results []git.RefResult, words string, err error)

	// Apart reports whether Fetch asks another place than Push tells, so that what was taken may not be what others see.
	Apart(ctx context.Context) (bool, error)

	// Fetch returns all refs of the namespace, with their messages.
	Fetch(ctx context.Context) ([]git.RefMessage, error)
}

// answerLimit is how long the remote may take for one answer, unless Options say otherwise.
const answerLimit = 20 * time.Second

// gitPort is a remote of the clone.
type gitPort struct {
	repo   *git.Repo
	remote string
	theirs string // below which the refs are there
	ours   string // below which their copy is here while it is read: a ref whose object went would stop every fetch
	answer time.Duration
}

// newGitPort is the remote that the config names. A workspace below the top of the repository has refs of its own,
// since the ids of two workspaces may be the same.
func newGitPort(o Options) gitPort {
	p := gitPort{o.Clone.Repo, o.Config.Claims.Remote, o.Config.Claims.Namespace, kind.RemoteClaims, cmp.Or(o.Answer, answerLimit)}
	if o.Try != "" {
		p.theirs, p.ours = o.Try, kind.RemoteProbe
	}
	if o.Clone.Repo != nil && o.Clone.Root != o.Clone.Repo.Top {
		key := "/" + filepath.Base(string(o.Clone.Live))
		p.theirs, p.ours = p.theirs+key, p.ours+key
	}
	return p
}

func (p gitPort) Commit(ctx context.Context, message string, at time.Time) (string, error) {
	return p.repo.Refs().MessageCommit(ctx, message, at)
}

func (p gitPort) Push(ctx context.Context, updates []git.RefUpdate, atomic bool) ([]git.RefResult, string, error) {
	ctx, cancel := context.WithTimeout(ctx, p.answer)
	defer cancel()
	full := slices.Clone(updates)
	for i := range full {
		full[i].Ref = p.theirs + "/" + full[i].Ref
	}
	results, words, err := p.repo.Remotes().Push(ctx, p.remote, full, atomic)
	return results, words, inTime(ctx, err)
}

// inTime is an error of git, or context.DeadlineExceeded where there was no answer in time.
func inTime(ctx context.Context, err error) error {
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return lateError{}
	}
	return err
}

// lateError is context.DeadlineExceeded in the words of the user.
type lateError struct{}

func (lateError) Error() string { return "there was none in time" }

func (lateError) Is(target error) bool { return target == context.DeadlineExceeded }

func (p gitPort) Apart(ctx context.Context) (bool, error) {
	return p.repo.Remotes().Apart(ctx, p.remote)
}

func (p gitPort) Fetch(ctx context.Context) ([]git.RefMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, p.answer)
	defer cancel()
	get := func() error { return p.repo.Remotes().Fetch(ctx, p.remote, p.theirs, p.ours) }
	err := get()
	if err != nil && ctx.Err() == nil {
		if left, _ := p.repo.Refs().Drop(ctx, p.ours); left > 0 { // of refs whose objects are gone git fetches nothing
			err = get()
		}
	}
	if err != nil {
		return nil, inTime(ctx, err)
	}
	all, err := p.repo.Refs().Messages(ctx, p.ours)
	_, _ = p.repo.Refs().Drop(context.WithoutCancel(ctx), p.ours) // one that stays is dropped the next time
	return all, err
}

// refName is the name of the ref of a record, below the namespace: the id of a task, and for other records the kind and
// the id. No id of a task has a plus.
func refName(of record.Ref) string {
	if of.Kind == record.TaskKind {
		return escape.Replace(of.ID)
	}
	return of.Kind + kindMark + escape.Replace(of.ID)
}

// refOf is the record that a ref is about. It reports false for one that is about none.
func refOf(name string) (record.Ref, bool) {
	of := record.ID(unescape.Replace(name)).Ref()
	if named, id, ok := strings.Cut(name, kindMark); ok {
		of = record.Ref{Kind: named, ID: unescape.Replace(id)}
	}
	k, known := kind.Named(of.Kind)
	return of, known && k.ParseID(of.ID) == nil && refName(of) == name
}

const kindMark = "+"

// Git allows no colon in the name of a ref, no dot at either end and no two in a row.
var (
	escape   = strings.NewReplacer("%", "%25", ":", "%3A", ".", "%2E")
	unescape = strings.NewReplacer("%25", "%", "%3A", ":", "%2E", ".")
)

// seenClaims are the claims that refs are about.
func seenClaims(refs []git.RefMessage) []session.SeenClaim {
	var out []session.SeenClaim
	for _, r := range refs {
		of, ok := refOf(r.Name)
		if !ok {
			continue
		}
		seen := session.SeenClaim{Ref: of, Object: r.Object}
		if c, err := session.ParseRemoteClaim([]byte(r.Message), of); err == nil {
			seen.Claim = &c
		}
		out = append(out, seen)
	}
	return out
}
