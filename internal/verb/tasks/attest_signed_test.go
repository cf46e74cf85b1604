package tasks_test

import (
	"bytes"
	"crypto/rand"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
	"github.com/cairn-tasks/cairn/store"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// slow is an agent in which something happens before it signs, as if a person took their time.
type slow struct {
	agent.Agent
	meanwhile func()
}

func (s slow) Sign(key ssh.PublicKey, data []byte) (*ssh.Signature, error) {
	s.meanwhile()
	return s.Agent.Sign(key, data)
}

// signing is a workspace outside git in which human:ada may sign, and one task with a check that needs it.
func signing(t *testing.T, meanwhile func(w *verb.Workspace, id record.ID)) (w *verb.Workspace, id record.ID, said *bytes.Buffer) {
	t.Helper()
	dir := t.TempDir()
	layout, _, err := store.Init(dir, "T")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(layout.SignersFile(), []byte("human:ada "+signtest.Line("ada")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)
	w = &verb.Workspace{Dir: dir, StateDir: t.TempDir(), Actor: verb.As("human:ada"), Rights: verb.Rights{Profile: verb.Maintainer}, Rand: rand.Reader,
		Now: func() time.Time { now = now.Add(time.Minute); return now }}
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "Pay wages", "checks": []any{verbtest.Args{"desc": "read", "type": "manual", "by": "signed"}}})
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: signtest.Key("ada")}); err != nil {
		t.Fatal(err)
	}
	socketDir, err := os.MkdirTemp("", "k") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(socketDir) })
	l, err := net.Listen("unix", filepath.Join(socketDir, "s"))
	if err != nil {
		t.Skipf("no sockets here: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	plain := *w
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				_ = agent.ServeAgent(slow{ring, func() { meanwhile(&plain, made.ID) }}, conn)
				_ = conn.Close()
			}()
		}
	}()
	key, err := sshsign.FindKey(signtest.Line("ada"), "")
	if err != nil {
		t.Fatal(err)
	}
	said = &bytes.Buffer{}
	w.Signer = &sshsign.Tool{Key: key, Socket: l.Addr().String(), Say: said}
	return w, made.ID, said
}

// What is written while a person signs is kept, and they are asked to sign again; but not for ever.
func TestTaskThatChangesWhileItIsSigned(t *testing.T) {
	for name, row := range map[string]struct {
		notes int // written while it is signed, one each time
		code  record.Code
		sigs  int // how often it was signed
	}{
		"nothing happens":   {0, "", 1},
		"a note comes":      {1, "", 2},
		"two notes come":    {2, "", 3},
		"notes keep coming": {9, record.Conflict, 3},
	} {
		t.Run(name, func(t *testing.T) {
			signed := 0
			w, id, said := signing(t, func(w *verb.Workspace, id record.ID) {
				if signed++; signed <= row.notes {
					if _, err := verb.Do(t.Context(), w, tasks.Note, tasks.NoteIn{ID: verb.RecordID(id), Text: "meanwhile"}); err != nil {
						t.Error(err)
					}
				}
			})
			out, err := verb.Do(t.Context(), w, tasks.Attest, tasks.AttestIn{ID: id, Check: "read", Pass: new(true)})
			if record.CodeOf(err) != row.code || signed != row.sigs {
				t.Fatalf("signed %d times: %v", signed, err)
			}
			if again := strings.Count(said.String(), "once more"); again != row.sigs-1 {
				t.Errorf("the person is asked again %d times:\n%s", again, said)
			}
			if row.code != "" {
				return
			}
			last := out.Provenance[len(out.Provenance)-1]
			if last.Signed != "true" || last.Did != record.Attested || len(out.Provenance) != 2+row.notes {
				t.Errorf("the record is %+v", out.Provenance)
			}
			if _, err := verb.Do(t.Context(), w, tasks.Transition, tasks.TransitionIn{ID: id, To: "done"}); err != nil {
				t.Errorf("outside git what is signed counts: %v", err)
			}
		})
	}
}

// A check that is changed while it is signed is not settled by what was signed.
func TestCheckThatChangesWhileItIsSigned(t *testing.T) {
	w, id, _ := signing(t, func(w *verb.Workspace, id record.ID) {
		checks := []tasks.CheckIn{{Desc: "read", Type: "manual", By: "signed human:bob"}}
		if _, err := verb.Do(t.Context(), w, tasks.Update, tasks.UpdateIn{ID: verb.RecordID(id), Checks: &checks}); err != nil {
			t.Error(err)
		}
	})
	if out, err := verb.Do(t.Context(), w, tasks.Attest, tasks.AttestIn{ID: id, Check: "read", Pass: new(true)}); record.CodeOf(err) != record.Forbidden {
		t.Errorf("%+v, %v", out.Checks, err)
	}
}

// A signed call that is made again under its key is not signed again.
func TestSignedCallUnderAKey(t *testing.T) {
	signed := 0
	w, id, _ := signing(t, func(*verb.Workspace, record.ID) { signed++ })
	attest, _ := catalogue.Named("attest")
	for range 2 {
		out, err := attest.Call(t.Context(), w, []byte(`{"id": "`+string(id)+`", "check": "read", "pass": true, "idempotency_key": "k"}`))
		if err != nil || out.(verb.Task).Provenance[1].Signed != "true" {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	if signed != 1 {
		t.Errorf("signed %d times", signed)
	}
}
