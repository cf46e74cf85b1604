package sshsign

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Verify is the method of task.Signers. The signature is the base64 of an SSHSIG: the lines between the first and the
// last one of what ssh-keygen -Y sign prints, joined.
func (a *Allowed) Verify(message []byte, sig string, who record.Actor, at time.Time) error {
	key := sha256.Sum256(fmt.Appendf(nil, "%d %q %q %q", at.Unix(), who, sig, message))
	a.mu.Lock()
	err, seen := a.seen[key]
	a.mu.Unlock()
	if seen {
		return err
	}
	err = a.verify(message, sig, who, at)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.seen == nil {
		a.seen = map[[32]byte]error{}
	}
	a.seen[key] = err
	return err
}

func (a *Allowed) verify(message []byte, sig string, who record.Actor, at time.Time) error {
	s, err := parse(sig)
	if err != nil {
		return err
	}
	if s.Namespace != task.SignatureNamespace {
		return fmt.Errorf("it was made for %q and not for %s", clip(s.Namespace), task.SignatureNamespace)
	}
	if err := a.allows(s.PublicKey, who, at); err != nil {
		return err
	}
	if sshsig.Verify(bytes.NewReader(message), s, s.PublicKey, s.HashAlgorithm, task.SignatureNamespace) != nil {
		return task.ErrOtherMessage
	}
	return nil
}

// parse parses the text of a signature, of limited size.
func parse(sig string) (*sshsig.Signature, error) {
	if len(sig) > task.MaxSignature {
		return nil, fmt.Errorf("it is longer than %d bytes", task.MaxSignature)
	}
	raw, err := base64.StdEncoding.DecodeString(sig)
	if err != nil {
		return nil, errors.New("it is not base64 on one line")
	}
	s, err := sshsig.ParseSignature(raw)
	if err != nil {
		return nil, fmt.Errorf("it is no SSH signature that counts: %w", err)
	}
	return s, strong(s.PublicKey)
}

// allows returns why a key does not count for an actor at a time; nil if it does.
func (a *Allowed) allows(key ssh.PublicKey, who record.Actor, at time.Time) error {
	var owner record.Actor
	var late *Signer
	for i, s := range a.Signers {
		switch {
		case s.Others || !bytes.Equal(s.Key.Marshal(), key.Marshal()):
		case s.Actor != who:
			owner = s.Actor
		case !s.After.IsZero() && at.Before(s.After) || !s.Before.IsZero() && at.After(s.Before):
			late = &a.Signers[i]
		default:
			return nil
		}
	}
	name := ssh.FingerprintSHA256(key)
	switch {
	case late != nil:
		return fmt.Errorf("the key %s of %s did not count at %s", name, who, at.UTC().Format(time.RFC3339))
	case owner != "":
		return fmt.Errorf("the key %s is that of %s and not of %s", name, owner, who)
	default:
		return fmt.Errorf("allowed_signers has no key %s of %s", name, who)
	}
}

// Allows returns why an actor's key would not count at a time; nil if it would.
func (a *Allowed) Allows(key PublicKey, who record.Actor, at time.Time) error {
	return a.allows(key.key, who, at)
}

func rsaBits(key ssh.PublicKey) int {
	if c, ok := key.(ssh.CryptoPublicKey); ok {
		if k, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok {
			return k.N.BitLen()
		}
	}
	return 0
}
