package gates

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// Attestation is the verdict on a manual check of a task.
type Attestation struct {
	Check func(task.Task) (int, error) // which check it is, of the task as it is by then
	Pass  bool
	Text  string
}

// Unsigned settles the check without a signature.
func (a Attestation) Unsigned(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) (verb.Task, error) {
	return w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		i, err := a.Check(wc.Task)
		if err != nil {
			return wc.Task, nil, err
		}
		return wc.Store.Config.Flow.Attest(wc.Task, i, a.Pass, w.Stamp(a.Text))
	})
}

// signingTries is how often an approval is signed anew because the task changed while it was being signed.
const signingTries = 3

// Signed settles the check with a signature of the actor. It is made outside the lock, because a person may take
// minutes over a touch or a passphrase. If the task changed meanwhile, the approval is signed again.
func (a Attestation) Signed(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) (verb.Task, error) {
	for try := 1; ; try++ {
		out, overtaken, err := a.signOnce(ctx, w, s, id)
		if !overtaken || try == signingTries {
			return out, verb.WithID(err, id)
		}
		w.Signer.Tell("%s changed while it was being signed; once more", id)
	}
}

// signOnce makes one attempt. It reports whether the task changed while it was being signed.
func (a Attestation) signOnce(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID) (out verb.Task, overtaken bool, err error) {
	t, err := w.ReadForWrite(s, id)
	if err != nil {
		return out, false, err
	}
	i, err := a.Check(t)
	if err != nil {
		return out, false, err
	}
	commit, tree, err := Judged(ctx, s, t)
	if err != nil {
		return out, false, err
	}
	flow, stamp := s.Config.Flow, w.Stamp(a.Text)
	if flow.Rejects(t, i, a.Pass, w.Actor()) { // only what lets a task go on is signed
		out, err = a.Unsigned(ctx, w, s, id)
		return out, false, err
	}
	approval, needed, err := flow.Approve(t, i, a.Pass, stamp, commit, tree)
	if err != nil {
		return out, false, err
	}
	if !needed {
		out, err = w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) { return wc.Task, nil, nil })
		return out, false, err
	}
	sig, err := sign(ctx, w, s, approval)
	if err != nil {
		return out, false, err
	}
	out, err = w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		overtaken = false
		i, err := a.Check(wc.Task)
		if err != nil {
			return wc.Task, nil, err
		}
		next, entry, err := s.Config.Flow.AttestSigned(wc.Task, i, approval, sig, stamp)
		overtaken = record.CodeOf(err) == record.Conflict
		return next, entry, err
	})
	return out, overtaken, err
}

// Judged is the state of the files of a task, which may be in another repository, that the actor approves: the commit,
// and the fingerprint of the tree. It returns UNTRUSTED in a clone that is not trusted, where reading them may start
// programs.
func Judged(ctx context.Context, s *store.Store, t task.Task) (commit, tree string, err error) {
	at, err := FilesOf(s, t)
	switch {
	case err != nil:
		return "", "", err
	case at.Layout.Repo == nil:
		return "", "", nil
	case !at.Trusted():
		return "", "", record.Errorf(record.Untrusted, "what is approved names the state of the files, and to read that git may start programs that this clone's config names").
			WithHint("look at .git/config and at the commands of the checks, then %s", record.CallTo("trust"))
	}
	files, err := at.WorkTree(ctx)
	return at.Head(ctx).Commit, Fingerprint(files), err
}

// sign signs an approval, if a signature by the key would count.
func sign(ctx context.Context, w *verb.Workspace, s *store.Store, a task.Approval) (string, error) {
	message, err := a.Message()
	if err != nil {
		return "", err
	}
	signers, err := snapshot.SignersInForce(ctx, s.Layout)
	if err != nil {
		return "", err
	}
	if err := signers.Allows(w.Signer.Key, a.Who, a.At); err != nil {
		return "", record.Errorf(record.Forbidden, "a signature would not count: %w, in %s", err, signers.From).
			WithHint("%s, then have that committed and merged: a change cannot bring its own key",
				record.CallTo("trust signer add", "", a.Who, "", "KEY.pub"))
	}
	w.Signer.Tell("signing as %s, with the key %s: %q of %s is %s", a.Who, w.Signer.Key.Fingerprint(), a.Check, a.Record, a.Result)
	return w.Signer.Sign(ctx, message)
}

// Approve approves a task for its files as they are, in its work tree or in another repository: the attestation of its
// reviewer's check, or where it has none an entry that gates nothing. With a signer the attestation is signed.
func Approve(ctx context.Context, w *verb.Workspace, s *store.Store, id record.ID, text string) (verb.Task, error) {
	t, err := w.ReadForWrite(s, id)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	if w.Signer != nil && t.ReviewCheck(w.Actor()) >= 0 {
		return Attestation{Check: reviewCheck(w.Actor()), Pass: true, Text: text}.Signed(ctx, w, s, id)
	}
	commit, tree, err := Judged(ctx, s, t)
	if err != nil {
		return verb.Task{}, verb.WithID(err, id)
	}
	return w.ChangeIn(ctx, s, id, func(wc verb.WriteContext) (task.Task, *record.Entry, error) {
		return wc.Store.Config.Flow.ApproveReview(wc.Task, w.Stamp(text), commit, tree)
	})
}

// reviewCheck finds the check of a task that its reviewer settles.
func reviewCheck(who record.Actor) func(task.Task) (int, error) {
	return func(t task.Task) (int, error) {
		if i := t.ReviewCheck(who); i >= 0 {
			return i, nil
		}
		return 0, record.Errorf(record.Conflict, "has no reviewer any more").WithHint("read it again")
	}
}
