package doctor

import (
	"context"
	"errors"
	"os/exec"
	"path"
	"slices"

	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

// signing finds what keeps approvals from being signed: no key that counts, or that the person who runs this cannot
// sign. It finds nothing if neither a check nor a key asks for signatures.
func (v Visit) signing(ctx context.Context) ([]Finding, error) {
	asks, err := v.asksForSignatures(ctx)
	if err != nil {
		return nil, err
	}
	here, err := snapshot.SignersHere(v.Store.Layout)
	if err != nil {
		return nil, nil //nolint:nilerr // that it cannot be read is a finding of the rules
	}
	if !asks && here.None {
		return nil, nil
	}
	inForce, err := snapshot.SignersInForce(ctx, v.Store.Layout)
	if err != nil {
		return nil, err
	}
	file := path.Join(layout.Folder, layout.SignersName)
	switch {
	case asks && here.None:
		return []Finding{find(SignersMissing, file, "checks pass with a signature only, and nobody's counts: there is no such file",
			"cairn trust signer add ACTOR KEY.pub, then commit the file and merge it")}, nil
	case asks && len(inForce.Signers) == 0:
		return []Finding{find(SignersMissing, file, "checks pass with a signature only, and nobody's counts yet: the keys are not in "+inForce.From,
			"commit the file and merge it: a change cannot bring its own keys")}, nil
	case !v.Actor.Human():
		return nil, nil
	}
	return v.signer(ctx, file, inForce), nil
}

// asksForSignatures reports whether the config or an open task has checks that must be signed.
func (v Visit) asksForSignatures(ctx context.Context) (bool, error) {
	flow := v.Store.Config.Flow
	if flow.Settles == task.BySigned || flow.Signs(v.Store.Config.Flow.Defaults) {
		return true, nil
	}
	tasks, _, err := kind.Tasks.List(ctx, v.records)
	return slices.ContainsFunc(tasks, func(t task.Task) bool { return !flow.IsClosed(t.Status) && flow.Signs(t.Checks) }), err
}

// signer finds what keeps the person who runs this from signing. These are notices, since not everybody has to sign.
func (v Visit) signer(ctx context.Context, file string, inForce snapshot.Signers) []Finding {
	key, err := v.signingKey(ctx)
	if err != nil {
		message, hint := v.saying(err)
		return []Finding{find(SigningNotSetUp, "", "you cannot sign approvals: "+message, hint)}
	}
	var out []Finding
	if err := inForce.Allows(key, v.Actor, v.Now()); err != nil {
		out = append(out, find(SignerNotListed, file, "a signature of yours would not count: "+err.Error()+", in "+inForce.From,
			"cairn trust signer add "+string(v.Actor)+" KEY.pub, then commit the file and merge it"))
	}
	if _, err := exec.LookPath(sshsign.Keygen); err != nil && !errors.Is(err, exec.ErrDot) {
		out = append(out, find(SigningNotSetUp, "", "there is no "+sshsign.Keygen+", so only a key that an agent has can sign",
			"install OpenSSH 8.1 or newer"))
	}
	return out
}

func (v Visit) signingKey(ctx context.Context) (sshsign.PublicKey, error) {
	config, err := store.ReadSigningConfig(ctx, v.Store.Root)
	if err != nil {
		return sshsign.PublicKey{}, err
	}
	name, err := config.SSHKey()
	if err != nil {
		return sshsign.PublicKey{}, err
	}
	return sshsign.FindKey(name, v.Home)
}
