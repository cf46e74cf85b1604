package store

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/store/layout"
)

const signersTemplate = `# Whose signatures of approvals count, as ssh-keygen(1) describes under ALLOWED SIGNERS; docs/approvals.md of cairn says more.
`

// AddSigner lets an actor sign with a key in a namespace, within a time span if one is given. It appends one line to
// allowed_signers.
// It returns CONFLICT for a key that is there already, for any actor: one key under two names would let one person
// approve as two.
func AddSigner(ctx context.Context, l layout.Layout, who record.Actor, key sshsign.PublicKey, namespace string, after, before time.Time) error {
	return editSigners(ctx, l, func(src []byte) ([]byte, error) {
		for _, have := range sshsign.ParseAllowed(src).Signers {
			if key.Is(have) {
				return nil, record.Errorf(record.Conflict, "the key %s is there already, as that of %s", key.Fingerprint(), have.Actor).
					WithHint("%s shows the keys", record.CallTo("trust signer list")).ForGood()
			}
		}
		text := string(src)
		switch {
		case text == "":
			text = signersTemplate
		case !strings.HasSuffix(text, "\n"):
			text += "\n"
		}
		return []byte(text + sshsign.Line(who, key, namespace, after, before) + "\n"), nil
	})
}

// EndSigners ends an actor's keys, all of them or the one with a fingerprint: signatures after a time no longer count,
// or, if the time is zero, no signature of theirs does. It returns the keys that it ended, and NOT_FOUND if there is
// none.
func EndSigners(ctx context.Context, l layout.Layout, who record.Actor, fingerprint string, at time.Time) ([]sshsign.Signer, error) {
	var ended []sshsign.Signer
	err := editSigners(ctx, l, func(src []byte) ([]byte, error) {
		ended = nil
		lines := bytes.SplitAfter(src, []byte("\n"))
		for _, signer := range sshsign.ParseAllowed(src).Signers {
			over := !signer.Before.IsZero() && !at.IsZero() && !signer.Before.After(at)
			if signer.Actor != who || fingerprint != "" && signer.Fingerprint() != fingerprint || over {
				continue
			}
			ended = append(ended, signer)
			line := &lines[signer.Line-1]
			if at.IsZero() {
				*line = nil
				continue
			}
			*line = sshsign.EndLine(*line, at)
		}
		if len(ended) == 0 {
			return nil, record.Errorf(record.NotFound, "allowed_signers has no such key of %s that still counts", who).
				WithHint("%s shows the keys", record.CallTo("trust signer list"))
		}
		return append([]byte{}, bytes.Join(lines, nil)...), nil
	})
	return ended, err
}

// editSigners replaces allowed_signers by what change makes of it. If the result cannot be parsed, nothing is written.
func editSigners(ctx context.Context, l layout.Layout, change func(src []byte) ([]byte, error)) error {
	return edit(ctx, l, l.SignersFile(), func(src []byte) ([]byte, error) {
		made, err := change(src)
		if err == nil && len(sshsign.ParseAllowed(made).Problems) > len(sshsign.ParseAllowed(src).Problems) {
			err = record.Errorf(record.InvalidInput, "the line would not be understood").WithHint("write it in an editor; docs/approvals.md says how")
		}
		return made, err
	})
}

// SigningConfig is what git's config has about the key that a person signs commits with.
type SigningConfig struct {
	Format  string // gpg.format
	Key     string // user.signingkey
	Program string // gpg.ssh.program, which only the user's own config can name
}

// ReadSigningConfig reads git's config for a folder. The repository's config may name the key, which is only data, but
// no program. It returns GIT if git fails.
func ReadSigningConfig(ctx context.Context, dir string) (SigningConfig, error) {
	var c SigningConfig
	var err error
	if c.Format, err = git.Setting(ctx, dir, "gpg.format"); err == nil {
		c.Key, err = git.Setting(ctx, dir, "user.signingkey")
	}
	if err == nil {
		c.Program, err = git.UserSetting(ctx, dir, "gpg.ssh.program")
	}
	return c, err
}

// SSHKey returns the key in the config. It returns INVALID_INPUT, with a hint, if there is no SSH key.
func (c SigningConfig) SSHKey() (string, error) {
	const hint = "git config --global gpg.format ssh; git config --global user.signingkey ~/.ssh/id_ed25519.pub; or --key FILE"
	switch {
	case c.Key == "":
		return "", record.Errorf(record.InvalidInput, "git's config names no key to sign with").WithHint(hint)
	case c.Format != "ssh":
		return "", record.Errorf(record.InvalidInput, "git does not sign with SSH keys here: gpg.format is %q", c.Format).WithHint(hint)
	default:
		return c.Key, nil
	}
}
