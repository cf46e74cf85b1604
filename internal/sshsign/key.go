package sshsign

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
	"golang.org/x/crypto/ssh"
)

// PublicKey is a key to sign with.
type PublicKey struct {
	key  ssh.PublicKey
	file string // the path of the key or its private half; "" if the key itself was given
}

// Fingerprint is the fingerprint of the key, by which people compare keys.
func (k PublicKey) Fingerprint() string { return ssh.FingerprintSHA256(k.key) }

// Line is the key as in files: type and base64.
func (k PublicKey) Line() string {
	return k.key.Type() + " " + base64.StdEncoding.EncodeToString(k.key.Marshal())
}

// Is reports whether the key is that of a signer.
func (k PublicKey) Is(s Signer) bool { return bytes.Equal(k.key.Marshal(), s.Key.Marshal()) }

// FindKey finds the public key for a value of git's user.signingkey: the key itself, with or without key:: before it,
// or the path of its file or of the private key beside it. ~/ is the home folder. It returns INVALID_INPUT for anything
// else.
func FindKey(said, home string) (PublicKey, error) {
	if InWords(said) {
		return keyInWords(strings.TrimPrefix(said, "key::"))
	}
	path := atHome(said, home)
	if !filepath.IsAbs(path) {
		return PublicKey{}, record.Errorf(record.InvalidInput, "the key %q is neither a public key nor the full path of one", clip(said)).
			WithHint("name it with --key FILE, or in user.signingkey by its full path")
	}
	k, err := ReadKey(path)
	if src, readErr := readSmall(path); err != nil && readErr == nil && isPrivate(src) {
		if k, err = ReadKey(path + ".pub"); err != nil {
			return k, record.Errorf(record.InvalidInput, "%s is a private key, and %s.pub is not there", path, path).
				WithHint("ssh-keygen -y -f %s > %s.pub makes it", path, path)
		}
		k.file = path
	}
	return k, err
}

// atHome is a path in which ~/ at the beginning is the home folder.
func atHome(path, home string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		return filepath.Join(home, below)
	}
	return path
}

// InWords reports whether a value is a key itself, and not the name of a file.
func InWords(said string) bool {
	first, rest := cutBlank(said)
	return strings.HasPrefix(said, "key::") || isKeyType(first) && rest != ""
}

func keyInWords(words string) (PublicKey, error) {
	key, err := parseKey(strings.TrimSpace(words))
	if err != nil {
		return PublicKey{}, record.Errorf(record.InvalidInput, "%w", err).WithHint("a public key is one line, and ends in .pub where it is a file")
	}
	return PublicKey{key: key}, nil
}

const maxKeyFile = 64 << 10

// ReadKey reads a file with one public key. It returns INVALID_INPUT for anything else, such as a private key.
func ReadKey(path string) (PublicKey, error) {
	src, err := readSmall(path)
	if err != nil {
		return PublicKey{}, err
	}
	if isPrivate(src) {
		return PublicKey{}, record.Errorf(record.InvalidInput, "%s is a private key, which must not leave its place", path).
			WithHint("name the public one: %s.pub", path)
	}
	var lines []string
	for line := range strings.Lines(string(src)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) != 1 {
		return PublicKey{}, record.Errorf(record.InvalidInput, "%s has %d lines, and one public key is wanted", path, len(lines)).
			WithHint("name a file such as ~/.ssh/id_ed25519.pub")
	}
	k, err := keyInWords(lines[0])
	k.file = path
	return k, err
}

func isPrivate(src []byte) bool {
	return bytes.Contains(src, []byte("PRIVATE KEY")) || bytes.HasPrefix(src, []byte("PuTTY-User-Key-File"))
}

// readSmall reads a regular file of limited size, since the path may come from a config that a stranger wrote.
func readSmall(path string) ([]byte, error) {
	f, err := disk.OpenFile(path)
	if err != nil {
		return nil, record.Errorf(record.InvalidInput, "the key: %w", err).WithHint("name a file such as ~/.ssh/id_ed25519.pub")
	}
	defer func() { _ = f.Close() }()
	src, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err == nil && len(src) > maxKeyFile {
		err = fmt.Errorf("%s is larger than a key", path)
	}
	if err != nil {
		return nil, record.Errorf(record.InvalidInput, "the key: %w", err).WithHint("name a file such as ~/.ssh/id_ed25519.pub")
	}
	return src, nil
}
