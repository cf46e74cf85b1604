package store

import (
	"bytes"
	"context"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/sshsign"
	"github.com/cairn-tasks/cairn/task"
)

const signersTemplate = `# Whose signatures of approvals count, as ssh-keygen(1) describes under ALLOWED SIGNERS; docs/approvals.md of cairn says more.
`

// AddSigner lets an actor sign with a key, from a time on if one is given. It writes one line at the end of allowed_signers, and
// leaves every other as it is. A key that stands there already is CONFLICT, whoever's it is: two names for one key would let one
// person approve as two.
func (s *Store) AddSigner(ctx context.Context, who task.Actor, key sshsign.PublicKey, after, before time.Time) error {
	return s.editSigners(ctx, func(src []byte) ([]byte, error) {
		for _, have := range sshsign.ParseAllowed(src).Signers {
			if key.Is(have) {
				return nil, task.Errorf(task.Conflict, "the key %s is there already, as that of %s", key.Fingerprint(), have.Actor).
					WithHint("%s shows the keys", task.CallTo("trust signer list")).ForGood()
			}
		}
		text := string(src)
		switch {
		case text == "":
			text = signersTemplate
		case !strings.HasSuffix(text, "\n"):
			text += "\n"
		}
		return []byte(text + sshsign.Line(who, key, after, before) + "\n"), nil
	})
}

// EndSigners ends what an actor's keys count for, all of them or the one with a fingerprint: from a time on, or, if that is zero,
// for good and for what they signed as well. It returns the lines that it changed; NOT_FOUND if there is none.
func (s *Store) EndSigners(ctx context.Context, who task.Actor, fingerprint string, at time.Time) ([]sshsign.Signer, error) {
	var ended []sshsign.Signer
	err := s.editSigners(ctx, func(src []byte) ([]byte, error) {
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
			return nil, task.Errorf(task.NotFound, "allowed_signers has no such key of %s that still counts", who).
				WithHint("%s shows the keys", task.CallTo("trust signer list"))
		}
		return bytes.Join(lines, nil), nil
	})
	return ended, err
}

// editSigners replaces allowed_signers by what edit makes of it, under the lock, whole or not at all. What is made must be read
// as it was meant, else nothing is written.
func (s *Store) editSigners(ctx context.Context, edit func(src []byte) ([]byte, error)) error {
	return s.exclusively(ctx, func() error {
		for range maxRestarts {
			src, err := readRegular(s.SignersFile())
			if err != nil && !isMissing(err) {
				return ioError(err)
			}
			isNew := err != nil
			made, err := edit(src)
			if err != nil {
				return err
			}
			if len(sshsign.ParseAllowed(made).Problems) > len(sshsign.ParseAllowed(src).Problems) {
				return task.Errorf(task.InvalidInput, "the line would not be understood").WithHint("write it in an editor; docs/approvals.md says how")
			}
			done, err := s.replaceSigners(src, made, isNew)
			if done || err != nil {
				return err
			}
		}
		return task.Errorf(task.Conflict, "%s is being changed by another program", s.rel(s.SignersFile())).WithHint("try again once that program is done")
	})
}

// replaceSigners reports whether the file still was what was read, and was replaced.
func (s *Store) replaceSigners(was, made []byte, isNew bool) (done bool, err error) {
	if err := s.setDirty(true); err != nil {
		return false, err
	}
	defer func() { _ = s.setDirty(false) }()
	pending, err := atomicfile.Prepare(s.SignersFile(), made, 0o644)
	if err != nil {
		return false, ioError(err)
	}
	defer func() { _ = pending.Discard() }()
	now, err := readRegular(s.SignersFile())
	switch {
	case isNew && isMissing(err):
		return true, ioError(pending.Create())
	case isNew || err != nil || !bytes.Equal(now, was):
		return false, nil
	default:
		return true, ioError(pending.Replace())
	}
}
