package sshsign

import (
	"context"
	"crypto/ed25519"
	"errors"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// WitnessNamespace is what a line of allowed_signers must name for its key to sign as a witness.
const WitnessNamespace = "cairn-witness"

// Raw signs messages with one ed25519 key, without the frame of an SSH signature: as evidence in a DSSE envelope is
// signed. It is an evidence.Signer.
type Raw struct {
	public PublicKey
	socket string
	seed   ed25519.PrivateKey // nil if the agent signs
}

// OpenRaw finds the key to sign with: a private key in a file, or a public one, in words or in a file, whose private half
// the agent has. It returns INVALID_INPUT for a key that is no ed25519 key, and for a private one with a passphrase,
// which only an agent can open, and for one that others can read.
func OpenRaw(said, home, socket string) (Raw, error) {
	if !InWords(said) {
		path := atHome(said, home)
		if src, err := readSmall(path); err == nil && isPrivate(src) {
			if err := keptPrivate(path); err != nil {
				return Raw{}, err
			}
			return rawOf(src)
		}
	}
	key, err := FindKey(said, home)
	switch {
	case err != nil:
		return Raw{}, err
	case key.key.Type() != ssh.KeyAlgoED25519:
		return Raw{}, notEd25519(key.key.Type())
	case socket == "":
		return Raw{}, record.Errorf(record.InvalidInput, "%s is a public key, and no agent is there to sign with it", key.Fingerprint()).
			WithHint("name the file of the private key; or ssh-add it, and set SSH_AUTH_SOCK")
	}
	return Raw{public: key, socket: socket}, nil
}

// keptPrivate returns INVALID_INPUT for a private key that others may read or write, as ssh does. On Windows the bits say
// nothing of that.
func keptPrivate(path string) error {
	info, err := os.Stat(path)
	if err != nil || runtime.GOOS == "windows" || info.Mode().Perm()&0o077 == 0 {
		return nil //nolint:nilerr // it was read a moment ago
	}
	return record.Errorf(record.InvalidInput, "the private key %s is open to others (mode %04o)", record.Clip(path, 200), info.Mode().Perm()).
		WithHint("chmod 600 %s, and change the key if others were there", record.Clip(path, 200))
}

func rawOf(src []byte) (Raw, error) {
	parsed, err := ssh.ParseRawPrivateKey(src)
	if missing := (*ssh.PassphraseMissingError)(nil); errors.As(err, &missing) {
		return Raw{}, record.Errorf(record.InvalidInput, "the key has a passphrase").WithHint("ssh-add it, and name its public half")
	}
	if err != nil {
		return Raw{}, record.Errorf(record.InvalidInput, "the private key cannot be read: %w", err).WithHint("ssh-keygen -t ed25519 -N '' -f FILE makes one")
	}
	if p, ok := parsed.(*ed25519.PrivateKey); ok {
		parsed = *p
	}
	seed, ok := parsed.(ed25519.PrivateKey)
	signer, err := ssh.NewSignerFromKey(parsed)
	if err != nil {
		return Raw{}, record.Errorf(record.InvalidInput, "the private key cannot be used: %w", err).WithHint("an ed25519 key is wanted")
	}
	if !ok {
		return Raw{}, notEd25519(signer.PublicKey().Type())
	}
	return Raw{public: PublicKey{key: signer.PublicKey()}, seed: seed}, nil
}

func notEd25519(kind string) error {
	return record.Errorf(record.InvalidInput, "evidence is signed by an ed25519 key, and this one is of type %s", clip(kind)).
		WithHint("ssh-keygen -t ed25519 -f FILE makes one")
}

// KeyID is the fingerprint of the key.
func (r Raw) KeyID() string { return r.public.Fingerprint() }

// Line is the public key as in files.
func (r Raw) Line() string { return r.public.Line() }

// SignRaw returns the 64 bytes of an ed25519 signature. It returns FORBIDDEN if the agent does not sign.
func (r Raw) SignRaw(ctx context.Context, message []byte) ([]byte, error) {
	if r.seed != nil {
		return ed25519.Sign(r.seed, message), nil
	}
	sig, err := r.byAgent(ctx, message)
	if err == nil && !ed25519.Verify(rawKey(r.public.key), message, sig) {
		err = errors.New("the signature that was made does not hold")
	}
	if err != nil {
		return nil, record.Errorf(record.Forbidden, "the agent did not sign with the key %s: %w", r.KeyID(), err).
			WithHint("ssh-add -l lists what the agent has")
	}
	return sig, nil
}

func (r Raw) byAgent(ctx context.Context, message []byte) ([]byte, error) {
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "unix", r.socket)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	sig, err := agent.NewClient(conn).Sign(r.public.key, message)
	if err != nil {
		return nil, err
	}
	return sig.Blob, nil
}

// rawKey is the ed25519 key in an SSH key; nil if that is of another type.
func rawKey(key ssh.PublicKey) ed25519.PublicKey {
	if k, ok := key.(ssh.CryptoPublicKey); ok {
		if raw, ok := k.CryptoPublicKey().(ed25519.PublicKey); ok {
			return raw
		}
	}
	return nil
}

// Witness is the line of the witness whose key verifies a signature. The error says why there is none: the key with the
// fingerprint is in no line, did not make the signature, or is in a line that does not name WitnessNamespace, which is
// returned too.
func (a *Allowed) Witness(fingerprint string, verifies func(ed25519.PublicKey) bool) (Signer, error) {
	var line Signer
	err := errors.New("allowed_signers has no such key")
	for _, s := range a.Signers {
		switch {
		case s.Fingerprint() != fingerprint:
			continue
		case !verifies(rawKey(s.Key)):
			return Signer{}, errors.New("the signature does not hold")
		case !s.Witness:
			line, err = s, errors.New("allowed_signers does not have the key for the namespace "+WitnessNamespace)
		default:
			return s, nil
		}
	}
	return line, err
}
