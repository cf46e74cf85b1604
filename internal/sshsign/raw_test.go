package sshsign

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

func keyFile(t *testing.T, block *pem.Block, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A key in a file signs, in the form of OpenSSH and in that of others; so does one that an agent has.
func TestSignRaw(t *testing.T) {
	public, private, _ := ed25519.GenerateKey(rand.Reader)
	openssh, err := ssh.MarshalPrivateKey(private, "")
	pkcs8, failed := x509.MarshalPKCS8PrivateKey(private)
	key := newEd25519(t)
	for name, said := range map[string]string{
		"of OpenSSH": keyFile(t, openssh, err),
		"of others":  keyFile(t, &pem.Block{Type: "PRIVATE KEY", Bytes: pkcs8}, failed),
	} {
		raw, err := OpenRaw(said, "", "")
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		sig, err := raw.SignRaw(t.Context(), []byte("message"))
		if err != nil || !ed25519.Verify(public, []byte("message"), sig) {
			t.Errorf("%s: %v", name, err)
		}
	}
	keys := agent.NewKeyring()
	if err := keys.Add(agent.AddedKey{PrivateKey: key.private}); err != nil {
		t.Fatal(err)
	}
	ring := serve(t, keys)
	raw, err := OpenRaw("key::"+key.line, "", ring)
	if err != nil {
		t.Fatal(err)
	}
	sig, err := raw.SignRaw(t.Context(), []byte("message"))
	if err != nil || !ed25519.Verify(rawKey(raw.public.key), []byte("message"), sig) {
		t.Errorf("by an agent: %v", err)
	}
	raw, err = OpenRaw(newEd25519(t).line, "", ring)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := raw.SignRaw(t.Context(), nil); record.CodeOf(err) != record.Forbidden {
		t.Errorf("a key that the agent does not have: %v", err)
	}
}

func TestKeysThatSignNoEvidence(t *testing.T) {
	curve, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	ec, err := ssh.MarshalPrivateKey(curve, "")
	locked, failed := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("word"))
	public, _ := ssh.NewPublicKey(curve.Public())
	for name, c := range map[string]struct{ said, want string }{
		"ecdsa in a file":   {keyFile(t, ec, err), "of type ecdsa-sha2-nistp256"},
		"ecdsa in words":    {string(ssh.MarshalAuthorizedKey(public)), "of type ecdsa-sha2-nistp256"},
		"with a passphrase": {keyFile(t, locked, failed), "has a passphrase"},
		"damaged":           {keyFile(t, &pem.Block{Type: "PRIVATE KEY"}, nil), "cannot be read"},
		"not there":         {filepath.Join(t.TempDir(), "none"), "the key"},
		"no agent":          {newEd25519(t).line, "no agent"},
	} {
		_, err := OpenRaw(c.said, "", "")
		if record.CodeOf(err) != record.InvalidInput || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWitness(t *testing.T) {
	key, other := newEd25519(t), newEd25519(t)
	public, err := FindKey(key.line, "")
	if err != nil {
		t.Fatal(err)
	}
	line := func(namespaces string) string { return "service:ci " + namespaces + key.line + "\n" }
	for name, c := range map[string]struct {
		lines string
		holds bool
		want  string
	}{
		"a witness":              {line(`namespaces="cairn-witness" `), true, ""},
		"one that approves too":  {line(`namespaces="cairn,cairn-witness" `), true, ""},
		"of no namespace":        {line(""), true, "namespace cairn-witness"},
		"of another":             {line(`namespaces="cairn" `), true, "namespace cairn-witness"},
		"of a longer name":       {line(`namespaces="cairn-witness-2" `), true, "namespace cairn-witness"},
		"not there":              {"service:ci namespaces=\"cairn-witness\" " + other.line, true, "no such key"},
		"whose signature is bad": {line(`namespaces="cairn-witness" `), false, "does not hold"},
	} {
		s, err := ParseAllowed([]byte(c.lines)).Witness(public.Fingerprint(), func(k ed25519.PublicKey) bool { return c.holds && k != nil })
		if c.want == "" && (err != nil || s.Actor != "service:ci") || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, %v", name, s.Actor, err)
		}
	}
	made := ParseAllowed([]byte(Line("service:ci", public, WitnessNamespace, time.Time{}, time.Time{})))
	if len(made.Signers) != 1 || !made.Signers[0].Witness || !made.Signers[0].Others || !made.Has(made.Signers[0]) {
		t.Errorf("the line that is written: %+v", made.Signers)
	}
}

// A private key that others can read signs nothing, as with ssh.
func TestKeyOpenToOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the bits of the mode say nothing here")
	}
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	block, err := ssh.MarshalPrivateKey(private, "")
	path := keyFile(t, block, err)
	for mode, fine := range map[os.FileMode]bool{0o600: true, 0o400: true, 0o640: false, 0o604: false, 0o620: false, 0o666: false} {
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := OpenRaw(path, "", ""); (err == nil) != fine || !fine && record.CodeOf(err) != record.InvalidInput {
			t.Errorf("mode %04o: %v", mode, err)
		}
	}
}
