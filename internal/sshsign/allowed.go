package sshsign

import (
	"bytes"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
)

// Signer is one line of allowed_signers: a key, its actor, and when it counts.
type Signer struct {
	Line    int // in the file, from 1
	Actor   record.Actor
	Key     ssh.PublicKey
	After   time.Time // the first moment at which it counts; zero for no limit
	Before  time.Time // the last moment; zero for no limit
	Others  bool      // the line is for other namespaces than that of approvals
	Witness bool      // the line names WitnessNamespace
}

// Fingerprint is the fingerprint of the key: SHA256 and the hash.
func (s Signer) Fingerprint() string { return ssh.FingerprintSHA256(s.Key) }

// Grants reports whether the line is about signatures of cairn at all.
func (s Signer) Grants() bool { return !s.Others || s.Witness }

// Ended reports whether the key counts no more at a time.
func (s Signer) Ended(at time.Time) bool { return !s.Before.IsZero() && at.After(s.Before) }

// String describes what the line grants.
func (s Signer) String() string {
	text := fmt.Sprintf("%s %s %s", s.Actor, s.Key.Type(), s.Fingerprint())
	if !s.After.IsZero() {
		text += " from " + s.After.Format(time.RFC3339)
	}
	if !s.Before.IsZero() {
		text += " until " + s.Before.Format(time.RFC3339)
	}
	if s.Witness {
		text += " as a witness"
	}
	return text
}

// Problem is a line that cannot be parsed. It grants nothing.
type Problem struct {
	Line int
	Msg  string
}

// Allowed is a parsed allowed_signers file. It is a task.Signers.
type Allowed struct {
	Signers  []Signer
	Problems []Problem

	mu   sync.Mutex
	seen map[[32]byte]error // the results of earlier verifications
}

// maxLine is the longest line that is parsed, in bytes. A key of 8192 bits takes 1,500.
const maxLine = 8 << 10

// ParseAllowed parses an allowed_signers file. Each line has a principal, options and a key, as ssh-keygen(1)
// describes. The principal is one actor; patterns, lists and quoted names are not supported. The options are
// namespaces, valid-after and valid-before; times end in Z, so that they mean the same everywhere. Certificate
// authorities are not supported. Any other line is a Problem and grants nothing.
func ParseAllowed(src []byte) *Allowed {
	a := &Allowed{}
	n := 0
	for line := range strings.Lines(string(src)) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := parseSigner(line)
		if err != nil {
			a.Problems = append(a.Problems, Problem{n, err.Error()})
			continue
		}
		s.Line = n
		a.Signers = append(a.Signers, s)
	}
	return a
}

func parseSigner(line string) (Signer, error) {
	if len(line) > maxLine {
		return Signer{}, fmt.Errorf("the line is longer than %d bytes", maxLine)
	}
	principal, rest := cutBlank(line)
	actor, err := record.ParseActor(principal)
	if err != nil {
		return Signer{}, fmt.Errorf("it must begin with one actor, such as human:ada, and begins with %q", clip(principal))
	}
	s := Signer{Actor: actor}
	if first, _ := cutBlank(rest); !isKeyType(first) {
		var options string
		if options, rest, err = cutOptions(rest); err == nil {
			err = s.options(options)
		}
		if err != nil {
			return s, err
		}
	}
	s.Key, err = parseKey(rest)
	return s, err
}

// cutBlank cuts a text at its first run of blanks.
func cutBlank(text string) (before, after string) {
	i := strings.IndexAny(text, " \t")
	if i < 0 {
		return text, ""
	}
	return text[:i], strings.TrimLeft(text[i:], " \t")
}

// cutOptions cuts off the options, which may have blanks in quotes.
func cutOptions(text string) (options, rest string, err error) {
	quoted := false
	for i := range len(text) {
		switch {
		case text[i] == '"':
			quoted = !quoted
		case !quoted && (text[i] == ' ' || text[i] == '\t'):
			return text[:i], strings.TrimLeft(text[i:], " \t"), nil
		}
	}
	if quoted {
		return "", "", fmt.Errorf("a quote is not closed")
	}
	return "", "", fmt.Errorf("there is no key")
}

// options parses options of the form name="value", separated by commas. An unknown option could be a limit, so it makes
// the line a Problem.
func (s *Signer) options(text string) error {
	seen := map[string]bool{}
	for text != "" {
		name, rest, ok := strings.Cut(text, `="`)
		value, rest, closed := strings.Cut(rest, `"`)
		if !ok || !closed {
			name, _, _ = strings.Cut(text, ",")
			return fmt.Errorf("the option %q is not understood", clip(name))
		}
		name = strings.ToLower(name)
		if seen[name] {
			return fmt.Errorf("the option %s stands twice", name)
		}
		seen[name] = true
		var err error
		switch name {
		case "namespaces":
			if strings.ContainsAny(value, "*?!") {
				return fmt.Errorf("namespaces are names here, and no patterns: %q", clip(value))
			}
			named := strings.Split(value, ",")
			s.Others = !slices.Contains(named, task.SignatureNamespace)
			s.Witness = slices.Contains(named, WitnessNamespace)
		case "valid-after":
			s.After, err = parseTime(value)
		case "valid-before":
			s.Before, err = parseTime(value)
		default:
			err = fmt.Errorf("the option %q is not understood", clip(name))
		}
		if err != nil {
			return err
		}
		var more bool
		if text, more = strings.CutPrefix(rest, ","); !more && rest != "" || more && text == "" {
			return fmt.Errorf("there is no comma between two options, or nothing behind one")
		}
	}
	return nil
}

// parseTime parses a time of OpenSSH, YYYYMMDD or YYYYMMDDHHMM[SS], in UTC.
func parseTime(value string) (time.Time, error) {
	digits, utc := strings.CutSuffix(value, "Z")
	for _, form := range []string{"20060102", "200601021504", timeForm} {
		if t, err := time.Parse(form, digits); err == nil && utc && len(digits) == len(form) {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is not a time such as 20261121Z or 20261121120000Z; without the Z it would mean another time on each machine", clip(value))
}

const timeForm = "20060102150405"

// weakRSA is the smallest size of an RSA key that counts, in bits.
const weakRSA = 2048

// parseKey parses a type and a key in base64, with or without a comment.
func parseKey(text string) (ssh.PublicKey, error) {
	kind, rest := cutBlank(text)
	encoded, _ := cutBlank(rest)
	raw, err := base64.StdEncoding.DecodeString(encoded)
	if !isKeyType(kind) || err != nil || len(raw) == 0 {
		return nil, fmt.Errorf("%q is not a public key such as ssh-ed25519 AAAA…", clip(text))
	}
	key, err := ssh.ParsePublicKey(raw)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the key cannot be read: %w", err)
	case key.Type() != kind:
		return nil, fmt.Errorf("the key is of type %s, and the line says %s", key.Type(), clip(kind))
	}
	return key, strong(key)
}

// strong returns an error for weak keys, and for certificates, since their authorities are not supported.
func strong(key ssh.PublicKey) error {
	switch key.Type() {
	case ssh.KeyAlgoED25519, ssh.KeyAlgoSKED25519, ssh.KeyAlgoSKECDSA256, ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521:
		return nil
	case ssh.KeyAlgoRSA:
		bits := 0
		if c, ok := key.(ssh.CryptoPublicKey); ok {
			if k, ok := c.CryptoPublicKey().(*rsa.PublicKey); ok {
				bits = k.N.BitLen()
			}
		}
		if bits < weakRSA {
			return fmt.Errorf("an RSA key of %d bits is too weak; %d are needed", bits, weakRSA)
		}
		return nil
	default:
		return fmt.Errorf("keys of type %s do not count here; ed25519, ecdsa, rsa and those in hardware do", clip(key.Type()))
	}
}

func isKeyType(word string) bool {
	prefixes := []string{"ssh-", "ecdsa-", "sk-", "rsa-"}
	return slices.ContainsFunc(prefixes, func(prefix string) bool { return strings.HasPrefix(word, prefix) })
}

func clip(text string) string { return record.Clip(text, 60) }

// Line is a line that lets an actor sign with a key in a namespace, that of approvals or that of witnesses, within the
// times that are not zero.
func Line(who record.Actor, key PublicKey, namespace string, after, before time.Time) string {
	options := []string{fmt.Sprintf("namespaces=%q", namespace)}
	if !after.IsZero() {
		options = append(options, fmt.Sprintf("valid-after=%q", after.UTC().Format(timeForm)+"Z"))
	}
	if !before.IsZero() {
		options = append(options, fmt.Sprintf("valid-before=%q", before.UTC().Format(timeForm)+"Z"))
	}
	return fmt.Sprintf("%s %s %s", who, strings.Join(options, ","), key.Line())
}

// EndLine is a valid line with another last moment; the rest of it stays as it was.
func EndLine(line []byte, at time.Time) []byte {
	text := string(line)
	end := fmt.Sprintf("valid-before=%q", at.UTC().Format(timeForm)+"Z")
	lead := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
	principal, rest := cutBlank(text[len(lead):])
	if first, _ := cutBlank(rest); isKeyType(first) {
		return []byte(lead + principal + " " + end + " " + rest)
	}
	options, key, _ := cutOptions(rest)
	return []byte(lead + principal + " " + withoutBefore(options) + end + " " + key)
}

// withoutBefore is the options without valid-before, ready for another to follow.
func withoutBefore(options string) string {
	var kept strings.Builder
	for options != "" {
		name, rest, _ := strings.Cut(options, `="`)
		value, rest, _ := strings.Cut(rest, `"`)
		if !strings.EqualFold(name, "valid-before") {
			fmt.Fprintf(&kept, `%s="%s",`, name, value)
		}
		options = strings.TrimPrefix(rest, ",")
	}
	return kept.String()
}

// Has reports whether a line grants the same.
func (a *Allowed) Has(s Signer) bool {
	return s.Grants() && slices.ContainsFunc(a.Signers, func(have Signer) bool { return have.Others == s.Others && have.String() == s.String() })
}

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
