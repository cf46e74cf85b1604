package sshsign

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh/agent"
)

// Tool signs with one key: through the agent if that has the key, else with ssh-keygen, which finds the private key
// beside the public one and asks for a passphrase or a touch.
type Tool struct {
	Key     PublicKey
	Program string    // signs in place of both, called as ssh-keygen; from the user's own config. "" for none
	Socket  string    // of the agent; "" for none
	Say     io.Writer // messages to the person at the terminal, such as what a program waits for
}

// Keygen is the program that signs if no agent has the key.
const Keygen = "ssh-keygen"

// Sign returns the signature of a message, on one line. It returns FORBIDDEN if the agent, the program or the person
// refused, and ctx's error if it ended.
func (t Tool) Sign(ctx context.Context, message []byte) (string, error) {
	raw, err := t.sign(ctx, message)
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil {
		return "", err
	}
	sig := base64.StdEncoding.EncodeToString(raw)
	made, err := parse(sig)
	if err == nil && !bytes.Equal(made.PublicKey.Marshal(), t.Key.key.Marshal()) {
		err = errors.New("it is by another key")
	}
	if err == nil && sshsig.Verify(bytes.NewReader(message), made, t.Key.key, made.HashAlgorithm, task.SignatureNamespace) != nil {
		err = task.ErrOtherMessage
	}
	if err != nil {
		return "", record.Errorf(record.Forbidden, "the signature that was made does not hold: %w", err).
			WithHint("ssh-keygen -Y sign -n cairn -f %s FILE shows whether the key signs at all", t.keyName())
	}
	return sig, nil
}

func (t Tool) keyName() string {
	if t.Key.file != "" {
		return t.Key.file
	}
	return "KEY"
}

func (t Tool) sign(ctx context.Context, message []byte) ([]byte, error) {
	if t.Program == "" && t.Socket != "" {
		if raw, ok, err := t.withAgent(ctx, message); ok {
			return raw, err
		}
	}
	return t.withProgram(ctx, message)
}

// withAgent reports whether there is an agent that has the key.
func (t Tool) withAgent(ctx context.Context, message []byte) (raw []byte, has bool, err error) {
	conn, err := (&net.Dialer{Timeout: 5 * time.Second}).DialContext(ctx, "unix", t.Socket)
	if err != nil {
		return nil, false, nil //nolint:nilerr // no agent listens; ssh-keygen signs
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil, false, nil //nolint:nilerr // it is no agent
	}
	for _, s := range signers {
		if !bytes.Equal(s.PublicKey().Marshal(), t.Key.key.Marshal()) {
			continue
		}
		if strings.HasPrefix(s.PublicKey().Type(), "sk-") {
			t.Tell("touch the key to sign")
		}
		made, err := sshsig.Sign(bytes.NewReader(message), s, sshsig.HashSHA512, task.SignatureNamespace)
		if err != nil {
			return nil, true, record.Errorf(record.Forbidden, "the agent has the key %s and did not sign: %w", t.Key.Fingerprint(), err).
				WithHint("confirm when the agent, or the key, asks; ssh-add -l lists what it has")
		}
		return made.Marshal(), true, nil
	}
	return nil, false, nil
}

// Tell prints a line for the person who signs.
func (t Tool) Tell(format string, args ...any) {
	if t.Say != nil {
		_, _ = fmt.Fprintf(t.Say, "cairn: "+format+"\n", args...)
	}
}

// withProgram runs ssh-keygen -Y sign, or the program in its place. Its messages about passphrases and touches go to
// the person; it reads a passphrase from the terminal itself.
func (t Tool) withProgram(ctx context.Context, message []byte) ([]byte, error) {
	program := t.Program
	if program == "" {
		program = Keygen
	}
	if strings.ContainsAny(program, `/\`) && !filepath.IsAbs(program) {
		return nil, record.Errorf(record.InvalidInput, "gpg.ssh.program is %q, which is no full path", clip(program)).
			WithHint("give its full path in your own git config")
	}
	path, err := exec.LookPath(program)
	if err != nil {
		return nil, record.Errorf(record.IO, "signing needs %s: %w", program, err).
			WithHint("install OpenSSH; or add the key to an agent: ssh-add %s", t.keyName())
	}
	args := []string{"-Y", "sign", "-n", task.SignatureNamespace, "-f"}
	if t.Key.file != "" {
		args = append(args, t.Key.file)
	} else {
		file, remove, err := t.keyFile()
		if err != nil {
			return nil, err
		}
		defer remove()
		args = append(args, file, "-U") // the agent has the private key
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = bytes.NewReader(message)
	cmd.WaitDelay = time.Second
	var said bytes.Buffer
	cmd.Stderr = &said
	if t.Say != nil {
		cmd.Stderr = io.MultiWriter(&said, t.Say)
	}
	out, err := cmd.Output()
	if err != nil {
		return nil, record.Errorf(record.Forbidden, "%s did not sign: %s", filepath.Base(path), lastLine(said.String(), err)).
			WithHint("the private key must lie beside %s, or an agent must have it: ssh-add -l lists what it has", t.keyName())
	}
	block, _ := pem.Decode(out)
	if block == nil || block.Type != sshsig.PEMType {
		return nil, record.Errorf(record.Forbidden, "%s printed no signature", filepath.Base(path)).
			WithHint("gpg.ssh.program must do as ssh-keygen -Y sign does")
	}
	return block.Bytes, nil
}

// keyFile writes a public key into a file for ssh-keygen, if there is none.
func (t Tool) keyFile() (path string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "cairn-sign-")
	if err == nil {
		path = filepath.Join(dir, "key.pub")
		err = os.WriteFile(path, []byte(t.Key.Line()+"\n"), 0o600)
	}
	if err != nil {
		return "", nil, record.Errorf(record.IO, "a temporary file for the key: %w", err)
	}
	return path, func() { _ = os.RemoveAll(dir) }, nil
}

// lastLine is the last line that a program printed, or else its exit status.
func lastLine(said string, err error) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	if last := strings.TrimSpace(lines[len(lines)-1]); last != "" {
		return last
	}
	return err.Error()
}
