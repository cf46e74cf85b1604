package tasks

import (
	"context"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/cairn-tasks/cairn/verb/gates"
)

// AttestIn is the input of Attest.
type AttestIn struct {
	ID    task.ID `json:"id" doc:"task whose check it is" cli:"arg"`
	Check string  `json:"check" doc:"the check's index, from 0, or its description or a part of it" cli:"arg" from:"manual-checks"`
	Pass  bool    `json:"pass" doc:"true if the check passes" cli:"not=fail"`
	Text  string  `json:"text,omitempty" doc:"what was looked at, or what is missing"`
	verb.Once
}

// Attest settles a manual check.
func Attest(ctx context.Context, w *verb.Workspace, in AttestIn) (verb.Task, error) {
	if err := task.ValidText("text", in.Text); err != nil {
		return verb.Task{}, err
	}
	if w.Signer != nil {
		return attestSigned(ctx, w, in)
	}
	return attestUnsigned(ctx, w, in)
}

func attestUnsigned(ctx context.Context, w *verb.Workspace, in AttestIn) (verb.Task, error) {
	return w.Change(ctx, in.ID, func(wc verb.WriteContext) (task.Task, *task.Entry, error) {
		i, err := wc.Task.FindCheck(in.Check)
		if err != nil {
			return wc.Task, nil, err
		}
		return wc.Store.Config.Flow.Attest(wc.Task, i, in.Pass, w.Stamp(in.Text))
	})
}

// signingTries is how often an approval is signed anew because the task changed while it was being signed.
const signingTries = 3

// attestSigned is Attest with a signature. It is made outside the lock, because a person may take minutes over a touch or a
// passphrase. If the task changed meanwhile, the approval is signed again.
func attestSigned(ctx context.Context, w *verb.Workspace, in AttestIn) (verb.Task, error) {
	s, err := w.Open()
	if err != nil {
		return verb.Task{}, err
	}
	for try := 1; ; try++ {
		out, overtaken, err := signOnce(ctx, w, s, in)
		if !overtaken || try == signingTries {
			return out, verb.WithID(err, in.ID)
		}
		w.Signer.Tell("%s changed while it was being signed; once more", in.ID)
	}
}

// signOnce makes one attempt. It reports whether the task changed while it was being signed.
func signOnce(ctx context.Context, w *verb.Workspace, s *store.Store, in AttestIn) (out verb.Task, overtaken bool, err error) {
	t, err := w.ReadForWrite(s, in.ID)
	if err != nil {
		return out, false, err
	}
	i, err := t.FindCheck(in.Check)
	if err != nil {
		return out, false, err
	}
	commit, tree, err := judged(ctx, s)
	if err != nil {
		return out, false, err
	}
	flow, stamp := s.Config.Flow, w.Stamp(in.Text)
	if flow.Rejects(t, i, in.Pass, w.Actor()) { // only what lets a task go on is signed
		out, err = attestUnsigned(ctx, w, in)
		return out, false, err
	}
	a, needed, err := flow.Approve(t, i, in.Pass, stamp, commit, tree)
	if err != nil {
		return out, false, err
	}
	if !needed {
		out, err = w.ChangeIn(ctx, s, in.ID, func(wc verb.WriteContext) (task.Task, *task.Entry, error) { return wc.Task, nil, nil })
		return out, false, err
	}
	sig, err := sign(ctx, w, s, a)
	if err != nil {
		return out, false, err
	}
	out, err = w.ChangeIn(ctx, s, in.ID, func(wc verb.WriteContext) (task.Task, *task.Entry, error) {
		overtaken = false
		i, err := wc.Task.FindCheck(in.Check)
		if err != nil {
			return wc.Task, nil, err
		}
		next, entry, err := s.Config.Flow.AttestSigned(wc.Task, i, a, sig, stamp)
		overtaken = task.CodeOf(err) == task.Conflict
		return next, entry, err
	})
	return out, overtaken, err
}

// judged is the state of the files that the actor approves: the commit, and the fingerprint of the tree. It returns UNTRUSTED in a
// clone that is not trusted, where reading them may start programs.
func judged(ctx context.Context, s *store.Store) (commit, tree string, err error) {
	if s.Repo == nil {
		return "", "", nil
	}
	if !s.Trusted() {
		return "", "", task.Errorf(task.Untrusted, "what is signed names the state of the files, and to read that git may start programs that this clone's config names").
			WithHint("look at .git/config and at the commands of the checks, then %s", task.CallTo("trust"))
	}
	files, err := s.Git().WorkTree(ctx)
	return s.Head(ctx).Commit, gates.Fingerprint(files), err
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
		return "", task.Errorf(task.Forbidden, "a signature would not count: %w, in %s", err, signers.From).
			WithHint("%s, then have that committed and merged: a change cannot bring its own key",
				task.CallTo("trust signer add", "", a.Who, "", "KEY.pub"))
	}
	w.Signer.Tell("signing as %s, with the key %s: %q of %s is %s", a.Who, w.Signer.Key.Fingerprint(), a.Check, a.Record, a.Result)
	return w.Signer.Sign(ctx, message)
}
