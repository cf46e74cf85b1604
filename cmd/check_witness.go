package cmd

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"errors"
	"os"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report"
	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/evidence"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/store/statements"
	"github.com/cairn-tasks/cairn/task"
)

// evidenceFile is where evidence goes that the remote did not take, in the current folder: a bundle of attestations.
const evidenceFile = "cairn-evidence.intoto.jsonl"

// witness notes what check --run saw. With --witness it signs it: of each close whose commands all passed, and of the
// change.
type witness struct {
	*checkCommand
	key    sshsign.Raw
	counts bool                       // the base names the key as that of a witness
	held   map[record.ID]map[int]bool // by task and check that passed: whether it is known to hold with the guarded files of the base
	red    map[record.ID]map[int]bool // checks that fail on the base with the tests of the change
	failed map[record.ID]bool         // tasks of which a command did not pass
}

// saw notes how a command ended, for each check that declares it.
func (w *witness) saw(checks []proof.Declared, passed bool) {
	for _, d := range checks {
		switch {
		case !passed:
			w.failed[d.Task] = true
		case w.held[d.Task] == nil:
			w.held[d.Task] = map[int]bool{d.Index: false}
		default:
			w.held[d.Task][d.Index] = false
		}
	}
}

// sawHeld notes which checks of a task hold with the guarded files of the base.
func (w *witness) sawHeld(id record.ID, held []int) {
	for _, i := range held {
		if w.held[id] != nil {
			w.held[id][i] = true
		}
	}
}

// passed reports whether every command of a task was run, and passed.
func (w *witness) passed(t task.Task) bool {
	for i, c := range t.Checks {
		if _, ran := w.held[t.ID][i]; !ran && !c.Manual() {
			return false
		}
	}
	return len(w.held[t.ID]) > 0 && !w.failed[t.ID] && t.Closing() != ""
}

func (p *checkCommand) watching() *witness {
	return &witness{checkCommand: p, held: map[record.ID]map[int]bool{}, red: map[record.ID]map[int]bool{}, failed: map[record.ID]bool{}}
}

// newWitness finds the key, before any command runs. It returns INVALID_INPUT where tracked files differ from the commit
// that is checked out, since the evidence is about that. A key that the base does not name signs all the same: who has its
// evidence may name the key later.
func (p *checkCommand) newWitness(ctx context.Context, l layout.Layout) (*witness, error) {
	if p.Key == "" {
		return nil, usage("--witness signs, and wants --key FILE").WithHint("ssh-keygen -t ed25519 -N '' -f FILE makes a key; docs/proof.md says where it belongs")
	}
	key, err := p.evidenceKey(p.Key)
	if err != nil {
		return nil, err
	}
	if l.Repo == nil {
		return nil, record.Errorf(record.Git, "a witness signs what is in a commit, and this is no git repository").WithHint("git init makes one")
	}
	all, err := l.Repo.Changes(ctx, git.Looks{})
	for _, c := range all {
		if err == nil && !c.Untracked {
			err = record.Errorf(record.InvalidInput, "a witness signs what is in a commit, and %s differs from it", c.Path).WithHint("commit it, or check out what is to be judged")
		}
	}
	if err != nil {
		return nil, err
	}
	w := p.watching()
	w.key = key
	return w, nil
}

// named says whether what the key signs counts: whether the base names it, with which the change is compared.
func (w *witness) named(ctx context.Context, l layout.Layout, base string) error {
	signers, err := statements.Shelf{Layout: l, Base: base}.Signers(ctx)
	if err != nil {
		return err
	}
	line, why := signers.Witness(w.key.KeyID(), func(ed25519.PublicKey) bool { return true })
	if w.counts = why == nil && !line.Ended(w.call.Now()); !w.counts {
		screen.Fprintf(w.Stderr, "cairn: what this key signs counts for nothing yet: %v\n", cmp.Or(why, errors.New("the key has ended")))
	}
	return nil
}

// sign signs and keeps the evidence. If the remote does not take it, it goes to a file too.
func (w *witness) sign(ctx context.Context, l layout.Layout, found snapshot.Checked, r *report.Report) error {
	s, err := store.Open(l.Root, w.stateDir())
	if err != nil {
		return err
	}
	var sealed [][]byte
	closed := found.Closed
	if w.All {
		closed = found.Done()
	}
	for _, id := range closed {
		if t, err := kind.Tasks.Get(s, id); err == nil && w.passed(t) {
			about, err := closeOf(t, found.Head, w.held[id], w.red[id])
			if err != nil {
				return err
			}
			one, err := sealClose(ctx, about, w.key)
			if err != nil {
				return err
			}
			sealed = append(sealed, one)
		}
	}
	change, err := w.change(ctx, s, found, r)
	if err != nil {
		return err
	}
	if change != nil {
		sealed = append(sealed, change)
	}
	if len(sealed) == 0 {
		screen.Fprintf(w.Stderr, "cairn: there is nothing to sign\n")
		return nil
	}
	return w.keep(ctx, s, sealed)
}

// change states that the record is sound, if it is, and that the commands passed, if they did.
func (w *witness) change(ctx context.Context, s *store.Store, found snapshot.Checked, r *report.Report) ([]byte, error) {
	c := evidence.Change{Head: found.Head, Base: found.Base, Properties: []string{evidence.RecordSound}}
	for _, f := range r.Findings {
		if f.Severity == proof.Error {
			return nil, nil
		}
	}
	if found.Base == "" {
		return nil, nil
	}
	if len(w.held) > 0 {
		c.Properties = append(c.Properties, evidence.ChecksRerun)
	}
	var err error
	if c.At, err = s.Repo.History().Time(ctx, c.Head); err != nil {
		return nil, err
	}
	files, err := s.Repo.Objects().Files(ctx, c.Base, s.InRepo(s.Rel(s.ConfigFile())))
	if err != nil {
		return nil, err
	}
	if len(files) == 1 {
		c.Config = files[0].ID
	}
	stated, err := c.Statement()
	if err != nil {
		return nil, err
	}
	return evidence.Seal(ctx, stated, w.key)
}

// keep adds the evidence to what this clone has, and pushes it.
func (w *witness) keep(ctx context.Context, s *store.Store, sealed [][]byte) error {
	shelf := statements.Of(s, w.call.Now)
	shelf.Trusted = func() bool { return w.Trusted }
	var done statements.Exchanged
	err := shelf.Add(ctx, sealed...)
	if err == nil {
		done, err = shelf.Exchange(ctx)
	}
	if _, failed := shelf.Take(ctx, s); err == nil {
		err = failed
	}
	if err != nil { // what was signed is not lost: it goes to a file
		done.Pushed, done.Said = false, record.MessageOf(err)
	}
	count := record.Count(len(sealed), "statement")
	if done.Pushed {
		screen.Fprintf(w.Stderr, "cairn: signed %s with %s, and pushed to %s\n", count, w.key.KeyID(), done.Remote)
		return nil
	}
	path := w.abs(evidenceFile)
	if link := linkBelow(s.Worktree, path); link != "" {
		return record.Errorf(record.InvalidInput, "the evidence: %s is a link", link).WithHint("take it away")
	}
	if err := os.WriteFile(path, bytes.Join(sealed, nil), 0o644); err != nil {
		return record.Errorf(record.IO, "the evidence: %w", err).WithHint("run it in a folder that can be written to")
	}
	why := strings.TrimSpace(done.Said)
	if done.Remote == "" && why == "" {
		why = "the clone has no remote to push to"
	}
	screen.Fprintf(w.Stderr, "cairn: signed %s with %s into %s, since it could not be pushed (%s): cairn evidence add takes that file in\n", count, w.key.KeyID(), evidenceFile, why)
	return nil
}
