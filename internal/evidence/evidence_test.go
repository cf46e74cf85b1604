package evidence_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/evidence"
	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"golang.org/x/crypto/ssh"
)

// key signs as the tests' key of a name does.
type key string

func (k key) KeyID() string {
	signer, _ := ssh.NewSignerFromSigner(signtest.Key(string(k)))
	return ssh.FingerprintSHA256(signer.PublicKey())
}

func (k key) SignRaw(_ context.Context, message []byte) ([]byte, error) {
	return ed25519.Sign(signtest.Key(string(k)), message), nil
}

func (k key) public() ed25519.PublicKey { return signtest.Key(string(k)).Public().(ed25519.PublicKey) }

func aClose() evidence.Close {
	return evidence.Close{
		Task: "SHOP-7", Close: strings.Repeat("ab", 16), Commit: strings.Repeat("12", 20), Rerun: true,
		Checks: []evidence.Passed{{Key: "0123456789abcdef", Hash: "fedcba9876543210", Desc: "tests <pass> & lint", Held: true, Red: true}, {Key: "looked at", Hash: "00", Desc: "looked at"}},
	}
}

func aChange() evidence.Change {
	return evidence.Change{
		Head: strings.Repeat("12", 20), Base: strings.Repeat("34", 20), Config: strings.Repeat("56", 20),
		At: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), Properties: []string{evidence.RecordSound, evidence.ChecksRerun},
	}
}

func sealed(t *testing.T, s evidence.Statement, err error) []byte {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	src, err := evidence.Seal(t.Context(), s, key("witness"))
	if err != nil {
		t.Fatal(err)
	}
	return src
}

// What is sealed reads back as it was, and is what the files say that verifiers of others read (verifiers/).
func TestSealedReadsBack(t *testing.T) {
	closed, err := aClose().Statement()
	change, failed := aChange().Statement()
	public, _ := x509.MarshalPKIXPublicKey(key("witness").public())
	files := map[string][]byte{
		"close.json": sealed(t, closed, err), "change.json": sealed(t, change, failed),
		"witness.pem": pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public}),
	}
	for name, made := range files {
		path := filepath.Join("testdata", name)
		if os.Getenv("UPDATE") != "" {
			if err := os.WriteFile(path, made, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(want, made) {
			t.Errorf("%s: %v\nis   %s\nwant %s", name, err, made, want)
		}
	}
	e, err := evidence.Parse(files["close.json"])
	if err != nil || e.KeyID != key("witness").KeyID() || !e.SignedBy(key("witness").public()) || e.SignedBy(key("other").public()) || e.SignedBy(nil) {
		t.Errorf("the close: %+v, %v", e, err)
	}
	if got, err := e.Statement.Close(); err != nil || !reflect.DeepEqual(got, aClose()) {
		t.Errorf("the close: %+v, %v", got, err)
	}
	if _, err := e.Statement.Change(); err == nil {
		t.Error("a close reads as a change")
	}
	e, err = evidence.Parse(files["change.json"])
	if err != nil || !e.SignedBy(key("witness").public()) {
		t.Errorf("the change: %+v, %v", e, err)
	}
	if got, err := e.Statement.Change(); err != nil || !reflect.DeepEqual(got, aChange()) {
		t.Errorf("the change: %+v, %v", got, err)
	}
	if _, err := e.Statement.Close(); err == nil {
		t.Error("a change reads as a close")
	}
}

// No byte of an envelope can be changed, left out or added: it does not parse then, or names another key, or its
// signature does not hold.
func TestOneByteChanged(t *testing.T) {
	s, err := aClose().Statement()
	src := sealed(t, s, err)
	holds := func(src []byte) bool {
		e, err := evidence.Parse(src)
		return err == nil && e.KeyID == key("witness").KeyID() && e.SignedBy(key("witness").public())
	}
	if !holds(src) {
		t.Fatal("the envelope itself does not hold")
	}
	for i := range src {
		for _, bit := range []byte{1, 2, 0x20, 0x80} {
			bent := bytes.Clone(src)
			bent[i] ^= bit
			if holds(bent) {
				t.Errorf("byte %d: holds as %q", i, bent[i])
			}
		}
		if holds(append(bytes.Clone(src[:i]), src[i+1:]...)) || holds(append(append(bytes.Clone(src[:i]), ' '), src[i:]...)) {
			t.Errorf("byte %d: holds without it, or with a blank before it", i)
		}
	}
}

// What cairn would not have written is no statement of a close, whoever signed it.
func TestStatementThatSaysMore(t *testing.T) {
	for name, bend := range map[string]func(*evidence.Statement){
		"another result": func(s *evidence.Statement) {
			s.Predicate = bytes.Replace(s.Predicate, []byte("PASSED"), []byte("FAILED"), 1)
		},
		"a field more": func(s *evidence.Statement) {
			s.Predicate = bytes.Replace(s.Predicate, []byte("{"), []byte(`{"url":"x",`), 1)
		},
		"another type":      func(s *evidence.Statement) { s.PredicateType = evidence.SVRType },
		"a subject more":    func(s *evidence.Statement) { s.Subject = append(s.Subject, s.Subject[0]) },
		"no id of a task":   func(s *evidence.Statement) { s.Subject[1].Name = "../../x" },
		"an annotation":     func(s *evidence.Statement) { s.Subject[1].Annotations = map[string]string{"a": "b"} },
		"how it was got":    func(s *evidence.Statement) { s.Subject[0].Annotations["results"] = "dreamt" },
		"another statement": func(s *evidence.Statement) { s.Type = "https://in-toto.io/Statement/v0.1" },
	} {
		s, err := aClose().Statement()
		if err != nil {
			t.Fatal(err)
		}
		bend(&s)
		if c, err := s.Close(); err == nil {
			t.Errorf("%s: reads as %+v", name, c)
		}
	}
}

func TestEnvelopeTooLarge(t *testing.T) {
	c := aClose()
	c.Checks[0].Desc = strings.Repeat("x", evidence.MaxEnvelope)
	s, err := c.Statement()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evidence.Seal(t.Context(), s, key("witness")); err == nil {
		t.Error("it is sealed")
	}
	if _, err := evidence.Parse(make([]byte, evidence.MaxEnvelope+1)); err == nil {
		t.Error("it is read")
	}
}

// What docs/proof.md says to type verifies an envelope with programs that are not ours, and refuses another payload.
func TestShellVerifies(t *testing.T) {
	for _, program := range []string{"sh", "jq", "openssl", "base64"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	page, err := os.ReadFile("../../docs/proof.md")
	if err != nil {
		t.Fatal(err)
	}
	_, block, ok := strings.Cut(string(page), "<!-- run by TestShellVerifies -->\n\n```sh\n")
	block, _, closed := strings.Cut(block, "```")
	if !ok || !closed {
		t.Fatal("the page has no such block")
	}
	src, err := os.ReadFile("testdata/close.json")
	if err != nil {
		t.Fatal(err)
	}
	other := bytes.Replace(src, []byte("ey"), []byte("ez"), 1)
	for name, c := range map[string]struct {
		line  []byte
		holds bool
	}{"as it is": {src, true}, "with another payload": {other, false}} {
		dir := t.TempDir()
		for file, content := range map[string]string{"line.json": string(c.line), "witness.pub": signtest.Line("witness") + " witness\n"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("sh", "-ec", block)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if holds := err == nil && bytes.Contains(out, []byte("Signature Verified Successfully")); holds != c.holds {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
