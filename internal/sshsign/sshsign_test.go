package sshsign

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/task"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

var at = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// pair is a key that was made for a test.
type pair struct {
	private crypto.Signer
	signer  ssh.Signer
	line    string // type and base64
}

func newPair(t *testing.T, private crypto.Signer, err error) pair {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromSigner(private)
	if err != nil {
		t.Fatal(err)
	}
	return pair{private, signer, strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))}
}

func newEd25519(t *testing.T) pair {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	return newPair(t, private, err)
}

func newRSA(t *testing.T, bits int) pair {
	t.Helper()
	t.Setenv("GODEBUG", "rsa1024min=0")
	private, err := rsa.GenerateKey(rand.Reader, bits)
	return newPair(t, private, err)
}

func newECDSA(t *testing.T) pair {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	return newPair(t, private, err)
}

func (p pair) sign(t *testing.T, message, namespace string) string {
	t.Helper()
	sig, err := sshsig.Sign(strings.NewReader(message), p.signer, sshsig.HashSHA512, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(sig.Marshal())
}

// write puts the two halves into a folder as ssh-keygen does.
func (p pair) write(t *testing.T, dir string) (private string) {
	t.Helper()
	block, err := ssh.MarshalPrivateKey(p.private, "")
	if err != nil {
		t.Fatal(err)
	}
	private = filepath.Join(dir, "key")
	for path, content := range map[string][]byte{private: pem.EncodeToMemory(block), private + ".pub": []byte(p.line + " ada\n")} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return private
}

func TestAllowedSigners(t *testing.T) {
	key := newEd25519(t)
	for name, row := range map[string]struct {
		line    string
		problem string // "" for a line that is understood
		grants  string
	}{
		"a key":                           {line: "human:ada " + key.line, grants: "human:ada ssh-ed25519 SHA256:"},
		"a comment behind it":             {line: "human:ada " + key.line + " ada's laptop", grants: "human:ada"},
		"blanks and tabs":                 {line: " \thuman:ada \t" + key.line, grants: "human:ada"},
		"a namespace":                     {line: `human:ada namespaces="cairn" ` + key.line, grants: "human:ada"},
		"several namespaces":              {line: `human:ada NameSpaces="git,cairn" ` + key.line, grants: "human:ada"},
		"a span of time":                  {line: `human:ada valid-after="20260101Z",valid-before="20261231235959Z" ` + key.line, grants: "from 2026-01-01T00:00:00Z until 2026-12-31T23:59:59Z"},
		"a service":                       {line: "service:release " + key.line, grants: "service:release"},
		"another namespace":               {line: `human:ada namespaces="git" ` + key.line, grants: "human:ada"},
		"nothing but a principal":         {line: "human:ada", problem: "there is no key"},
		"a mail address":                  {line: "ada@example.com " + key.line, problem: "one actor"},
		"two principals":                  {line: "human:ada,human:bob " + key.line, problem: "one actor"},
		"a pattern":                       {line: "human:* " + key.line, problem: "one actor"},
		"a quoted principal":              {line: `"human:ada" ` + key.line, problem: "one actor"},
		"an authority":                    {line: "human:ada cert-authority " + key.line, problem: "cert-authority"},
		"a namespace that is a pattern":   {line: `human:ada namespaces="*" ` + key.line, problem: "patterns"},
		"an option nobody knows":          {line: `human:ada never="1" ` + key.line, problem: "never"},
		"an option twice":                 {line: `human:ada valid-before="20250101Z",valid-before="20300101Z" ` + key.line, problem: "twice"},
		"options that run together":       {line: `human:ada namespaces="cairn"valid-before="20300101Z" ` + key.line, problem: "comma"},
		"a comma behind the last option":  {line: `human:ada namespaces="cairn", ` + key.line, problem: "comma"},
		"a quote that is not closed":      {line: `human:ada namespaces="cairn ` + key.line, problem: "not closed"},
		"a time of this machine":          {line: `human:ada valid-before="20300101" ` + key.line, problem: "Z"},
		"a time that is none":             {line: `human:ada valid-before="20301301Z" ` + key.line, problem: "not a time"},
		"another type than the key's":     {line: "human:ada ssh-rsa " + strings.Fields(key.line)[1], problem: "type"},
		"half a key":                      {line: "human:ada " + key.line[:40], problem: "key"},
		"an RSA key of 1024 bits":         {line: "human:ada " + newRSA(t, 1024).line, problem: "too weak"},
		"an RSA key of 2048 bits":         {line: "human:ada " + newRSA(t, 2048).line, grants: "human:ada ssh-rsa"},
		"an ECDSA key":                    {line: "human:ada " + newECDSA(t).line, grants: "ecdsa-sha2-nistp256"},
		"a line longer than any key":      {line: "human:ada " + key.line + strings.Repeat(" ", 10) + strings.Repeat("x", maxLine), problem: "longer"},
		"a key of the first version":      {line: "human:ada 1024 35 1234567890", problem: "not understood"},
		"a certificate in place of a key": {line: "human:ada " + certificate(t, key), problem: "do not count"},
	} {
		t.Run(name, func(t *testing.T) {
			a := ParseAllowed([]byte("# a comment\n\n" + row.line + "\r\n"))
			switch {
			case len(a.Signers)+len(a.Problems) != 1:
				t.Fatalf("%d signers and %d problems", len(a.Signers), len(a.Problems))
			case row.problem == "" && len(a.Problems) == 1:
				t.Errorf("a problem: %s", a.Problems[0].Msg)
			case row.problem != "" && (len(a.Problems) == 0 || !strings.Contains(a.Problems[0].Msg, row.problem)):
				t.Errorf("read as %v and %v", a.Signers, a.Problems)
			case row.problem != "" && a.Problems[0].Line != 3:
				t.Errorf("in line %d", a.Problems[0].Line)
			case row.problem == "" && !strings.Contains(a.Signers[0].String(), row.grants):
				t.Errorf("grants %s", a.Signers[0])
			}
		})
	}
}

func certificate(t *testing.T, key pair) string {
	t.Helper()
	cert := &ssh.Certificate{Key: key.signer.PublicKey(), CertType: ssh.UserCert, ValidPrincipals: []string{"human:ada"}, ValidBefore: ssh.CertTimeInfinity}
	if err := cert.SignCert(rand.Reader, key.signer); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(cert)))
}

func TestVerify(t *testing.T) {
	ada, bob, strong := newEd25519(t), newECDSA(t), newRSA(t, 2048)
	file := func(lines ...string) *Allowed { return ParseAllowed([]byte(strings.Join(lines, "\n") + "\n")) }
	everybody := file("human:ada "+ada.line, "human:bob "+bob.line, "human:rob "+strong.line)
	good := ada.sign(t, "message", "cairn")
	sha1, err := strong.private.(*rsa.PrivateKey).Sign(rand.Reader, make([]byte, 20), crypto.SHA1)
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		allowed *Allowed
		who     record.Actor
		message string
		sig     string
		at      time.Time
		says    string // "" if it holds
	}{
		"ed25519":             {everybody, "human:ada", "message", good, at, ""},
		"ecdsa":               {everybody, "human:bob", "message", bob.sign(t, "message", "cairn"), at, ""},
		"rsa":                 {everybody, "human:rob", "message", strong.sign(t, "message", "cairn"), at, ""},
		"another message":     {everybody, "human:ada", "another", good, at, task.ErrOtherMessage.Error()},
		"another namespace":   {everybody, "human:ada", "message", ada.sign(t, "message", "git"), at, `made for "git"`},
		"another actor":       {everybody, "human:bob", "message", good, at, "is that of human:ada"},
		"an unknown actor":    {everybody, "human:eve", "message", good, at, "is that of human:ada"},
		"a key nobody knows":  {file("human:ada " + bob.line), "human:ada", "message", good, at, "has no key"},
		"an empty file":       {file(), "human:ada", "message", good, at, "has no key"},
		"a key for git alone": {file(`human:ada namespaces="git" ` + ada.line), "human:ada", "message", good, at, "has no key"},
		"the last moment":     {file(`human:ada valid-before="20261121120000Z" ` + ada.line), "human:ada", "message", good, at, ""},
		"past the last one":   {file(`human:ada valid-before="20261121120000Z" ` + ada.line), "human:ada", "message", good, at.Add(time.Second), "did not count at"},
		"the first moment":    {file(`human:ada valid-after="20261121120000Z" ` + ada.line), "human:ada", "message", good, at, ""},
		"before the first":    {file(`human:ada valid-after="20261121120000Z" ` + ada.line), "human:ada", "message", good, at.Add(-time.Second), "did not count at"},
		"one of two spans":    {file(`human:ada valid-before="20200101Z" `+ada.line, "human:ada "+ada.line), "human:ada", "message", good, at, ""},
		"no base64":           {everybody, "human:ada", "message", "!" + good, at, "not base64"},
		"two lines":           {everybody, "human:ada", "message", good[:70] + "\n!" + good[70:], at, "not base64"},
		"a hull":              {everybody, "human:ada", "message", base64.StdEncoding.EncodeToString([]byte("SSHSIG")), at, "no SSH signature"},
		"longer than any":     {everybody, "human:ada", "message", strings.Repeat("A", task.MaxSignature+1), at, "longer"},
		"hashed with SHA-1":   {everybody, "human:rob", "message", raw(strong, "ssh-rsa", "sha512", sha1), at, "invalid signature format"},
		"an unknown hash":     {everybody, "human:rob", "message", raw(strong, "rsa-sha2-512", "md5", sha1), at, "unsupported hash"},
		"nothing signed":      {everybody, "human:rob", "message", raw(strong, "rsa-sha2-512", "sha512", nil), at, task.ErrOtherMessage.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			for range 2 { // the second time from memory
				err := row.allowed.Verify([]byte(row.message), row.sig, row.who, row.at)
				if row.says == "" && err != nil || row.says != "" && (err == nil || !strings.Contains(err.Error(), row.says)) {
					t.Errorf("%v", err)
				}
			}
		})
	}
	if err := everybody.Verify([]byte("another"), good, "human:ada", at); !errors.Is(err, task.ErrOtherMessage) {
		t.Errorf("%v is not ErrOtherMessage", err)
	}
}

// raw is the SSHSIG of whatever is put into it.
func raw(p pair, format, hash string, blob []byte) string {
	return base64.StdEncoding.EncodeToString(append([]byte("SSHSIG"), ssh.Marshal(struct {
		Version                                   uint32
		Key, Namespace, Reserved, Hash, Signature string
	}{1, string(p.signer.PublicKey().Marshal()), "cairn", "", hash, string(ssh.Marshal(ssh.Signature{Format: format, Blob: blob}))})...))
}

// Whatever bytes a signature holds, it is refused, and quickly.
func FuzzVerify(f *testing.F) {
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	signer, _ := ssh.NewSignerFromSigner(private)
	sig, _ := sshsig.Sign(strings.NewReader("message"), signer, sshsig.HashSHA512, "cairn")
	f.Add(sig.Marshal())
	f.Add([]byte("SSHSIG\x00\x00\x00\x01"))
	allowed := ParseAllowed(append([]byte("human:ada "), ssh.MarshalAuthorizedKey(signer.PublicKey())...))
	f.Fuzz(func(t *testing.T, raw []byte) {
		if allowed.Verify([]byte("another"), base64.StdEncoding.EncodeToString(raw), "human:ada", at) == nil {
			t.Error("it holds for what was never signed")
		}
	})
}

func TestFindKey(t *testing.T) {
	key := newEd25519(t)
	home := t.TempDir()
	private := key.write(t, home)
	empty := filepath.Join(home, "empty.pub")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	alone := filepath.Join(home, "alone")
	if src, err := os.ReadFile(private); err != nil || os.WriteFile(alone, src, 0o600) != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct{ said, refused string }{
		"a public file":                    {said: private + ".pub"},
		"a private file beside the public": {said: private},
		"below home":                       {said: "~/key.pub"},
		"words":                            {said: key.line},
		"words as git has them":            {said: "key::" + key.line},
		"a private file alone":             {said: alone, refused: "alone.pub is not there"},
		"a relative path":                  {said: "key.pub", refused: "full path"},
		"an option":                        {said: "-f", refused: "full path"},
		"a key of GPG":                     {said: "ABCDEF0123456789", refused: "full path"},
		"an empty file":                    {said: empty, refused: "0 lines"},
		"a folder":                         {said: home, refused: "not a regular file"},
		"nothing there":                    {said: private + ".nothing", refused: "no such file"},
		"broken words":                     {said: "ssh-ed25519 AAAA", refused: "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := FindKey(row.said, home)
			switch {
			case row.refused == "" && (err != nil || got.Line() != key.line):
				t.Errorf("%v, %v", got, err)
			case row.refused != "" && (record.CodeOf(err) != record.InvalidInput || !strings.Contains(strings.ToLower(err.Error()), row.refused)):
				t.Errorf("%v", err)
			}
		})
	}
	if _, err := ReadKey(private); record.CodeOf(err) != record.InvalidInput || !strings.Contains(err.Error(), "private") {
		t.Errorf("a private key is read: %v", err)
	}
}

// An agent that has the key signs, and nothing else is asked.
func TestSignWithAnAgent(t *testing.T) {
	for name, key := range map[string]pair{"ed25519": newEd25519(t), "rsa": newRSA(t, 2048), "ecdsa": newECDSA(t)} {
		t.Run(name, func(t *testing.T) {
			ring := agent.NewKeyring()
			if err := ring.Add(agent.AddedKey{PrivateKey: key.private}); err != nil {
				t.Fatal(err)
			}
			k, err := FindKey(key.line, "")
			if err != nil {
				t.Fatal(err)
			}
			tool := Tool{Key: k, Socket: serve(t, ring)}
			sig, err := tool.Sign(t.Context(), []byte("message"))
			if err != nil {
				t.Fatal(err)
			}
			if strings.ContainsAny(sig, "\r\n ") || len(sig) > task.MaxSignature {
				t.Errorf("the signature is not one line: %q", sig)
			}
			if err := ParseAllowed([]byte("human:ada "+key.line)).Verify([]byte("message"), sig, "human:ada", at); err != nil {
				t.Errorf("it does not hold: %v", err)
			}
			_ = ring.Lock([]byte("x"))
			t.Setenv("PATH", t.TempDir()) // and no ssh-keygen
			if _, err := tool.Sign(t.Context(), []byte("message")); err == nil {
				t.Error("a locked agent signs")
			}
		})
	}
}

func serve(t *testing.T, ring agent.Agent) (socket string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "a") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	l, err := net.Listen("unix", filepath.Join(dir, "s"))
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _ = agent.ServeAgent(ring, conn); _ = conn.Close() }()
		}
	}()
	return filepath.Join(dir, "s")
}

// needs skips a test where OpenSSH's own programs are missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not here", p)
		}
	}
}

func TestSlowSignWithKeygen(t *testing.T) {
	slowtest.Skip(t)
	needs(t, "ssh-keygen")
	for _, kind := range []string{"ed25519", "ecdsa", "rsa"} {
		t.Run(kind, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "id with a blank")
			if out, err := exec.Command("ssh-keygen", "-q", "-t", kind, "-N", "", "-f", path).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			for _, said := range []string{path, path + ".pub"} {
				k, err := FindKey(said, "")
				if err != nil {
					t.Fatal(err)
				}
				var told bytes.Buffer
				sig, err := Tool{Key: k, Say: &told}.Sign(t.Context(), []byte("message\n"))
				if err != nil {
					t.Fatalf("%v (%s)", err, &told)
				}
				if err := ParseAllowed([]byte("human:ada "+k.Line())).Verify([]byte("message\n"), sig, "human:ada", at); err != nil {
					t.Errorf("it does not hold: %v", err)
				}
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			k, err := FindKey(path+".pub", "")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (Tool{Key: k}).Sign(t.Context(), []byte("message\n")); record.CodeOf(err) != record.Forbidden {
				t.Errorf("without the private half: %v", err)
			}
		})
	}
}

// A real agent signs with a key that is known by its words alone, both when asked itself and through ssh-keygen.
func TestSignWithOpenSSHsAgent(t *testing.T) {
	needs(t, "ssh-agent", "ssh-add", "ssh-keygen")
	if runtime.GOOS == "windows" {
		t.Skip("the agent is a service there")
	}
	dir, err := os.MkdirTemp("", "a") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	daemon := exec.Command("ssh-agent", "-D", "-a", socket)
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = daemon.Process.Kill(); _ = daemon.Wait() })
	for range 100 {
		if _, err := os.Stat(socket); err == nil {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Setenv("SSH_AUTH_SOCK", socket)
	key := newEd25519(t)
	private := key.write(t, dir)
	if out, err := exec.Command("ssh-add", "-q", private).CombinedOutput(); err != nil {
		t.Fatalf("ssh-add: %v: %s", err, out)
	}
	if err := os.Remove(private); err != nil {
		t.Fatal(err)
	}
	k, err := FindKey("key::"+key.line, "")
	if err != nil {
		t.Fatal(err)
	}
	for name, tool := range map[string]Tool{"asked itself": {Key: k, Socket: socket}, "through ssh-keygen": {Key: k}} {
		sig, err := tool.Sign(t.Context(), []byte("message"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := ParseAllowed([]byte("human:ada "+key.line)).Verify([]byte("message"), sig, "human:ada", at); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A program that signs with another key, or prints something else, is found out before anything is recorded.
func TestProgramThatSignsSomethingElse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it is a shell script")
	}
	key, other := newEd25519(t), newEd25519(t)
	k, err := FindKey(key.line, "")
	if err != nil {
		t.Fatal(err)
	}
	armored := func(sig string) string {
		raw, _ := base64.StdEncoding.DecodeString(sig)
		return string(pem.EncodeToMemory(&pem.Block{Type: sshsig.PEMType, Bytes: raw}))
	}
	for name, prints := range map[string]string{
		"another key":       armored(other.sign(t, "message", "cairn")),
		"another message":   armored(key.sign(t, "another", "cairn")),
		"another namespace": armored(key.sign(t, "message", "git")),
		"no signature":      "done\n",
		"nothing":           "",
	} {
		program := filepath.Join(t.TempDir(), "sign")
		script := fmt.Sprintf("#!/bin/sh\ncat > /dev/null\ncat <<'END'\n%sEND\n", prints)
		if err := os.WriteFile(program, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		if sig, err := (Tool{Key: k, Program: program}).Sign(t.Context(), []byte("message")); record.CodeOf(err) != record.Forbidden {
			t.Errorf("%s: %q, %v", name, sig, err)
		}
	}
	if _, err := (Tool{Key: k, Program: "./sign"}).Sign(t.Context(), []byte("message")); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("a program of the folder one stands in: %v", err)
	}
}

// Whatever a file says, reading it ends, and a line that grants something says so again when it is written and ended.
func FuzzParseAllowed(f *testing.F) {
	_, private, _ := ed25519.GenerateKey(rand.Reader)
	signer, _ := ssh.NewSignerFromSigner(private)
	line := string(ssh.MarshalAuthorizedKey(signer.PublicKey()))
	f.Add("human:ada " + line)
	f.Add("human:ada\tnamespaces=\"git,cairn\",valid-after=\"20260101Z\" " + line)
	f.Add("human:ada valid-before=\"20260101Z\",,x " + line)
	f.Add("human:ada \"\"=\" \" ")
	f.Fuzz(func(t *testing.T, text string) {
		a := ParseAllowed([]byte(text))
		lines := strings.SplitAfter(text, "\n")
		for _, s := range a.Signers {
			ended := ParseAllowed(EndLine([]byte(lines[s.Line-1]), at))
			if len(ended.Signers) != 1 || !ended.Signers[0].Before.Equal(at) || ended.Signers[0].Actor != s.Actor ||
				ended.Signers[0].Fingerprint() != s.Fingerprint() || !ended.Signers[0].After.Equal(s.After) || ended.Signers[0].Others != s.Others {
				t.Errorf("%q ends as %q", lines[s.Line-1], EndLine([]byte(lines[s.Line-1]), at))
			}
		}
	})
}
