package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// signingTries is how often an approval is signed anew because the task changed while it was being signed.
const signingTries = 3

// attestSigned is Attest with a signature. A person may take their time to sign, with a touch or a passphrase, so that happens
// outside the lock: the time of the entry is chosen before, and if the record has moved on by then, the approval is signed again.
func (w *Workspace) attestSigned(ctx context.Context, in AttestIn) (Task, error) {
	s, err := w.open()
	if err != nil {
		return Task{}, err
	}
	for try := 1; ; try++ {
		out, overtaken, err := w.signOnce(ctx, s, in)
		if !overtaken || try == signingTries {
			return out, withID(err, in.ID)
		}
		w.tell("%s changed while it was being signed; once more", in.ID)
	}
}

// signOnce reports whether the task changed while it was being signed.
func (w *Workspace) signOnce(ctx context.Context, s *store.Store, in AttestIn) (out Task, overtaken bool, err error) {
	t, err := w.read(s, in.ID)
	if err != nil {
		return out, false, err
	}
	i, err := t.FindCheck(in.Check)
	if err != nil {
		return out, false, err
	}
	commit, tree, err := w.judged(ctx, s)
	if err != nil {
		return out, false, err
	}
	flow, stamp := s.Config.Flow, w.stamp(in.Text)
	a, needed, err := flow.Approve(t, i, in.Pass, stamp, commit, tree)
	if err != nil {
		return out, false, err
	}
	if !needed {
		out, err = w.changeIn(ctx, s, in.ID, func(_ *store.Store, sc scene) (task.Task, *task.Entry, error) { return sc.t, nil, nil })
		return out, false, err
	}
	sig, err := w.sign(ctx, s, a)
	if err != nil {
		return out, false, err
	}
	out, err = w.changeIn(ctx, s, in.ID, func(s *store.Store, sc scene) (task.Task, *task.Entry, error) {
		overtaken = false
		i, err := sc.t.FindCheck(in.Check)
		if err != nil {
			return sc.t, nil, err
		}
		next, entry, err := s.Config.Flow.AttestSigned(sc.t, i, a, sig, stamp)
		overtaken = task.CodeOf(err) == task.Conflict
		return next, entry, err
	})
	return out, overtaken, err
}

// judged is the state of the files that the actor has before them: the commit, and the fingerprint. It returns UNTRUSTED where
// that cannot be had safely.
func (w *Workspace) judged(ctx context.Context, s *store.Store) (commit, tree string, err error) {
	if s.Repo == nil {
		return "", "", nil
	}
	if !s.Trusted() {
		return "", "", task.Errorf(task.Untrusted, "what is signed names the state of the files, and to read that git may start programs that this clone's config names").
			WithHint("look at .git/config and at the commands of the checks, then cairn trust")
	}
	files, err := s.WorkTree(ctx)
	return s.Head(ctx).Commit, fingerprint(files), err
}

// sign has an approval signed, if a signature by the key would count.
func (w *Workspace) sign(ctx context.Context, s *store.Store, a task.Approval) (string, error) {
	message, err := a.Message()
	if err != nil {
		return "", err
	}
	signers, err := s.SignersInForce(ctx)
	if err != nil {
		return "", err
	}
	if err := signers.Allows(w.Signer.Key, a.Who, a.At); err != nil {
		return "", task.Errorf(task.Forbidden, "a signature would not count: %w, in %s", err, signers.From).
			WithHint("cairn trust signer add %s KEY.pub, then have that committed and merged: a change cannot bring its own key", a.Who)
	}
	w.tell("signing as %s, with the key %s: %q of %s is %s", a.Who, w.Signer.Key.Fingerprint(), a.Check, a.Record, a.Result)
	return w.Signer.Sign(ctx, message)
}

// tell says something to the person who signs.
func (w *Workspace) tell(format string, args ...any) { w.Signer.Tell(format, args...) }
