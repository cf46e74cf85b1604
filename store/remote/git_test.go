//go:build unix

package remote_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// realClones makes clones of a bare repository with real git, an agent in each, and returns the repository too.
func realClones(t *testing.T, names ...record.Actor) (bare string, all []*clone) {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	first := storetest.NewRepo(t)
	s := storetest.NewAt(t, first)
	config := filepath.Join(first, ".cairn", "config.yaml")
	text, err := os.ReadFile(config)
	if err == nil {
		err = os.WriteFile(config, append(text, "claims_remote: origin\n"...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	storetest.CommitAll(t, s)
	bare = filepath.Join(t.TempDir(), "bare.git")
	storetest.Git(t, first, "clone", "-q", "--bare", ".", bare)
	for _, who := range names {
		dir := filepath.Join(t.TempDir(), "clone")
		storetest.Git(t, first, "clone", "-q", bare, dir)
		s, err := store.Open(dir, t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		one := &clone{t: t, s: s, who: who}
		one.Claims = remote.Open(remote.Options{
			Clone: s.Clone, Config: s.Config, Trusted: s.Trusted, Now: time.Now, Answer: 10 * time.Second,
		})
		all = append(all, one)
	}
	return bare, all
}

// hook gives a bare repository a hook.
func hook(t *testing.T, bare, name, script string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(bare, "hooks", name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
}

func unhook(t *testing.T, bare, name string) {
	t.Helper()
	if err := os.Remove(filepath.Join(bare, "hooks", name)); err != nil {
		t.Fatal(err)
	}
}

// The server dies once it has taken a push, before it says so.
func TestSlowGitLosesTheAnswer(t *testing.T) {
	slowtest.Skip(t)
	bare, all := realClones(t, "agent:ada", "agent:bea")
	a, b := all[0], all[1]
	hook(t, bare, "post-receive", "kill -9 $PPID")
	a.mustClaim(one)
	if !a.believes(one) {
		t.Errorf("it is %+v", a.hold(one))
	}
	unhook(t, bare, "post-receive")
	wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
	if b.Clone.State(one) != nil {
		t.Error("the loser has a claim")
	}
}

// The server refuses the second ref of a push, or dies at it.
func TestSlowGitStopsAtTheSecondRef(t *testing.T) {
	slowtest.Skip(t)
	for name, end := range map[string]string{"refuses": "exit 1", "dies": "kill -9 $PPID"} {
		t.Run(name, func(t *testing.T) {
			bare, all := realClones(t, "agent:ada", "agent:bea")
			a, b := all[0], all[1]
			hook(t, bare, "update", "case $1 in */PROJ-2) "+end+";; esac")
			wantCode(t, a.claim(one, two), record.Offline, "")
			if a.believes(one) || a.believes(two) || a.Clone.State(one) != nil {
				t.Errorf("it is %+v and %+v", a.hold(one), a.hold(two))
			}
			unhook(t, bare, "update")
			a.sync()
			b.mustClaim(one, two)
		})
	}
}

func TestSlowGitDeclinesTheNamespace(t *testing.T) {
	slowtest.Skip(t)
	bare, all := realClones(t, "agent:ada")
	hook(t, bare, "pre-receive", "while read old new ref; do case $ref in refs/cairn/*) exit 1;; esac; done")
	wantCode(t, all[0].claim(one), record.Offline, "pre-receive hook declined")
	found, err := all[0].Probe(t.Context())
	if err != nil || found.Allows() {
		t.Errorf("the probe finds %+v, %v", found, err)
	}
	wantCode(t, remote.Verdict(found, all[0].Config.Claims), record.Offline, "pre-receive hook declined")
}

func TestSlowGitPushesAMirror(t *testing.T) {
	slowtest.Skip(t)
	bare, all := realClones(t, "agent:ada", "agent:bea")
	a, b := all[0], all[1]
	a.mustClaim(one)
	storetest.Git(t, b.s.Root, "push", "-q", "--mirror", bare)
	if out := storetest.GitOutput(t, bare, "for-each-ref", "refs/cairn/claims"); out != "" {
		t.Fatalf("the mirror left %s", out)
	}
	a.sync()
	if !a.believes(one) || a.known().Put != 1 {
		t.Errorf("it is %+v, and %d were put back", a.hold(one), a.known().Put)
	}
	wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
}

// Nothing of the claims of others stays in the clone that a fetch of the user's own could fail over.
func TestSlowGitFetchesBesideClaims(t *testing.T) {
	slowtest.Skip(t)
	_, all := realClones(t, "agent:ada", "agent:bea")
	a, b := all[0], all[1]
	a.mustClaim(one)
	b.sync()
	if out := storetest.GitOutput(t, b.s.Root, "for-each-ref", "refs/cairn"); out != "" {
		t.Errorf("%s stays", out)
	}
	gone := filepath.Join(b.s.Root, ".git", "refs", "cairn", "remote", "claims")
	err := os.MkdirAll(gone, 0o755)
	if err == nil {
		err = os.WriteFile(filepath.Join(gone, "PROJ-2"), []byte(strings.Repeat("12", 20)+"\n"), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.sync()
	storetest.Git(t, b.s.Root, "fetch", "-q")
	if hold := b.hold(one); hold.Actor != "agent:ada" || hold.Clone == "" {
		t.Errorf("it is %+v", hold)
	}
}

// A whole clone is copied, and the first half goes on.
func TestSlowGitACopiedClone(t *testing.T) {
	slowtest.Skip(t)
	_, all := realClones(t, "agent:ada")
	a := all[0]
	a.mustClaim(one)
	dir := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(dir, os.DirFS(a.s.Root)); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := a.Options
	o.Clone = s.Clone
	b := &clone{t: t, s: s, who: "agent:ada", Claims: remote.Open(o)}
	if b.believes(one) {
		t.Errorf("before it asks the copy has %+v", b.hold(one))
	}
	wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
	a.sync()
	if !a.believes(one) || b.believes(one) {
		t.Errorf("the first has %+v, and the copy %+v", a.hold(one), b.hold(one))
	}
}

// Neither a server that wants credentials nor one that says nothing holds anybody up, and nobody is asked.
func TestSlowGitThatCannotAnswer(t *testing.T) {
	slowtest.Skip(t)
	locked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", `Basic realm="private"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(locked.Close)
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the system takes connections, and nobody answers
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	for url, limit := range map[string]time.Duration{
		locked.URL + "/x.git":                         10 * time.Second,
		"git://" + silent.Addr().String() + "/x.git":  500 * time.Millisecond,
		"http://" + silent.Addr().String() + "/x.git": 500 * time.Millisecond,
		"http://127.0.0.1:1/x.git":                    10 * time.Second,
		filepath.Join(t.TempDir(), "gone"):            10 * time.Second, // which git explains in many words
	} {
		t.Run(url, func(t *testing.T) {
			_, all := realClones(t, "agent:ada")
			a := all[0]
			storetest.Git(t, a.s.Root, "remote", "set-url", "origin", url)
			a.Answer = limit
			a.Claims = remote.Open(a.Options)
			begun := time.Now()
			wantCode(t, a.claim(one), record.Offline, "gave no answer")
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
			if a.believes(one) || a.Clone.State(one) != nil {
				t.Errorf("it is %+v", a.hold(one))
			}
			if _, err := a.Renew(t.Context()); record.CodeOf(err) != record.Offline {
				t.Errorf("ended with %v", err)
			}
			if o := a.known().OwnOf(one); o == nil || o.Sync != session.Asked {
				t.Errorf("what is not known is forgotten: %+v", o)
			}
			if said := a.known().Said; len(said) < 20 || strings.HasPrefix(said, ";") || strings.Contains(said, "access rights") {
				t.Errorf("it is said %q", said)
			}
		})
	}
}

// A claim counts where all clones ask: not what a fork, a mirror or a copy takes to which this clone pushes.
func TestSlowGitPushesElsewhere(t *testing.T) {
	slowtest.Skip(t)
	for name, aside := range map[string]func(bare, other string) []string{
		"one push URL":  func(_, other string) []string { return []string{"remote.origin.pushurl", other} },
		"pushInsteadOf": func(bare, other string) []string { return []string{"url." + other + ".pushInsteadOf", bare} },
		"a second URL":  func(_, other string) []string { return []string{"--add", "remote.origin.url", other} },
	} {
		t.Run(name, func(t *testing.T) {
			bare, all := realClones(t, "agent:ada", "agent:bob")
			other := filepath.Join(t.TempDir(), "other.git")
			storetest.Git(t, bare, "clone", "-q", "--bare", ".", other)
			a, b := all[0], all[1]
			storetest.Git(t, a.s.Root, append([]string{"config"}, aside(bare, other)...)...)
			b.mustClaim(one)
			wantCode(t, a.claim(one), record.AlreadyClaimed, "agent:bob")
			if a.believes(one) {
				t.Errorf("it is %+v", a.hold(one))
			}
			if name == "a second URL" {
				a.mustClaim(two)
				return
			}
			for range 2 {
				wantCode(t, a.claim(two), record.Offline, "pushed to another place")
			}
			b.mustClaim(two)
		})
	}
}

// Another URL for the same place is fine, such as one to read and one to write.
func TestSlowGitPushesByAnotherURL(t *testing.T) {
	slowtest.Skip(t)
	bare, all := realClones(t, "agent:ada", "agent:bob")
	a, b := all[0], all[1]
	storetest.Git(t, a.s.Root, "config", "remote.origin.pushurl", "file://"+bare)
	a.mustClaim(one)
	wantCode(t, b.claim(one), record.AlreadyClaimed, "agent:ada")
	if a.sync(); !a.believes(one) {
		t.Errorf("it is %+v", a.hold(one))
	}
}

// What git says of an address is kept without the credentials in it, whichever way they are there.
func TestSlowGitSaysNoCredentials(t *testing.T) {
	slowtest.Skip(t)
	for _, url := range []string{
		"git://ada:s3cret@127.0.0.1:1/x.git", "https://ada:s3cret@127.0.0.1:1/x.git", "https://127.0.0.1:1/x.git?access_token=s3cret", "/nowhere/ada:s3cret@x",
	} {
		_, all := realClones(t, "agent:ada")
		a := all[0]
		storetest.Git(t, a.s.Root, "remote", "set-url", "origin", url)
		err := a.claim(one)
		wantCode(t, err, record.Offline, "gave no answer")
		if said := a.known().Said; said == "" || strings.Contains(said+err.Error(), "s3cret") {
			t.Errorf("of %s it keeps %q, and says %v", url, said, err)
		}
	}
}
