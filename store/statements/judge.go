package statements

import (
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/evidence"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// Statement is one that was read.
type Statement struct {
	Of     string // the task, or the commit of a change
	Hash   string // of the envelope, which is its name
	Sealed []byte
	Close  *evidence.Close
	Change *evidence.Change
	KeyID  string
	By     record.Actor // whose key made the signature; "" if that is not known, or the signature does not hold
	Why    string       // why it counts for nothing; "" if it counts

	envelope evidence.Envelope
}

const (
	tasks   = "tasks"
	changes = "changes"
)

func (s Statement) folder() string {
	if s.Change != nil {
		return changes
	}
	return tasks
}

// commit is the one that the statement is about.
func (s Statement) commit() string {
	if s.Change != nil {
		return s.Change.Head
	}
	return s.Close.Commit
}

// read reads an envelope. Of is "" if it states nothing that cairn states.
func read(src []byte) Statement {
	s := Statement{Sealed: src, Hash: hashOf(src)}
	e, err := evidence.Parse(src)
	if err != nil {
		s.Why = err.Error()
		return s
	}
	s.envelope, s.KeyID = e, record.Clip(e.KeyID, 60)
	c, err := e.Statement.Close()
	change, failed := e.Statement.Change()
	switch {
	case err == nil && isHex(c.Commit, 40, 64) && isHex(c.Close, 32):
		s.Close, s.Of = &c, string(c.Task)
	case failed == nil && isHex(change.Head, 40, 64):
		s.Change, s.Of = &change, change.Head
	default:
		s.Why = "it states neither the close of a task nor what a change has"
	}
	return s
}

func isHex(s string, lengths ...int) bool {
	for _, n := range lengths {
		if len(s) == n && strings.Trim(s, "0123456789abcdef") == "" {
			return true
		}
	}
	return false
}

// judge says of each statement whose it is, and why it counts for nothing. It counts if it is signed by the key of a
// witness, as allowed_signers in the base says; the witness ran the commands itself; and the commit that it ran them on
// is in the history of HEAD or of the default branch, so that what it saw is what landed. A key that has ended counts for
// nothing: a statement has no time of its own, and whoever makes a commit chooses its date.
func (h Shelf) judge(ctx context.Context, all []Statement) error {
	if len(all) == 0 {
		return nil
	}
	signers, err := h.Signers(ctx)
	if err != nil {
		return err
	}
	landed, err := h.landed(ctx, all)
	if err != nil {
		return err
	}
	for i := range all {
		if s := &all[i]; s.Why == "" {
			s.judge(signers.Allowed, landed, h.Now())
		}
	}
	return nil
}

// Signers are those that the base names.
func (h Shelf) Signers(ctx context.Context) (snapshot.Signers, error) {
	if h.Base != "" {
		return snapshot.SignersAt(ctx, h.Layout, h.Base)
	}
	return snapshot.SignersInForce(ctx, h.Layout)
}

func (s *Statement) judge(signers *sshsign.Allowed, landed map[string]bool, now time.Time) {
	by, err := signers.Witness(s.KeyID, s.envelope.SignedBy)
	s.By = by.Actor
	switch {
	case err != nil:
		s.Why = err.Error()
	case s.Close != nil && !s.Close.Rerun:
		s.Why = "it tells what the record says, and its signer ran nothing"
	case !landed[s.commit()]:
		s.Why = "the commit that it is about is in no history here: that of HEAD, or of the default branch"
	case by.Ended(now):
		s.Why = "the key has ended"
	}
}

// OnFiles are those statements about closes that were seen on the very files of a commit, whatever records are beside
// them.
func (h Shelf) OnFiles(ctx context.Context, all []Statement, commit string) (out []Statement, err error) {
	files := map[string]string{}
	filesOf := func(of string) string {
		if _, known := files[of]; !known && err == nil {
			files[of], err = h.Layout.Repo.Objects().Fingerprint(ctx, of)
		}
		return files[of]
	}
	for _, s := range all {
		if s.Why == "" && s.Close != nil && filesOf(s.commit()) == filesOf(commit) && err == nil {
			out = append(out, s)
		}
	}
	return out, err
}

// landed are the commits of statements that are in the history of HEAD or of the default branch of origin.
func (h Shelf) landed(ctx context.Context, all []Statement) (map[string]bool, error) {
	var commits []string
	for _, s := range all {
		if s.Why == "" {
			commits = append(commits, s.commit())
		}
	}
	return h.Layout.Repo.History().Within(ctx, record.Unique(commits), "HEAD", "refs/remotes/origin/HEAD")
}
