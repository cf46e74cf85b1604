// Package signtest gives tests keys that are always the same, and an agent that holds them, so that signing needs no
// program.
package signtest

import (
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// Key is the key of a name. Anybody can make it, so it proves nothing outside a test.
func Key(name string) ed25519.PrivateKey {
	seed := sha256.Sum256([]byte("a key for tests: " + name))
	return ed25519.NewKeyFromSeed(seed[:])
}

// Line is the public half of the key of a name, as it stands in files.
func Line(name string) string {
	signer, err := ssh.NewSignerFromSigner(Key(name))
	if err != nil {
		panic(err)
	}
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(signer.PublicKey())))
}

// Agent serves the keys of some names. What it listens on is to be SSH_AUTH_SOCK; stop ends it.
func Agent(names ...string) (socket string, stop func(), err error) {
	ring := agent.NewKeyring()
	for _, name := range names {
		if err := ring.Add(agent.AddedKey{PrivateKey: Key(name), Comment: name}); err != nil {
			return "", nil, err
		}
	}
	dir, err := os.MkdirTemp("", "k") // the path of a socket is short
	if err != nil {
		return "", nil, err
	}
	socket = filepath.Join(dir, "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	go serve(l, ring)
	return socket, func() { _ = l.Close(); _ = os.RemoveAll(dir) }, nil
}

func serve(l net.Listener, ring agent.Agent) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			_ = agent.ServeAgent(ring, conn)
			_ = conn.Close()
		}()
	}
}
