//go:build linux

package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/sandbox"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/executor/executortest"
)

// boxed gives a workspace the executor mine, a coding agent that carries out orders in a sandbox.
func (w workspace) boxed(t *testing.T, row string, orders ...string) {
	t.Helper()
	cmd, _ := json.Marshal([]string{executortest.Fake(t), "claude"})
	env, _ := json.Marshal("fake: " + strings.Join(orders, "\nfake: "))
	config := fmt.Sprintf("sandbox: {jobs: system}\nexecutors:\n  mine: {dialect: claude, cmd: %s, env: {FAKE_AGENT: %s, %s: '1'}%s}\n", cmd, env, programVar, row)
	if err := os.WriteFile(filepath.Join(w.home, ".config", "cairn", "config.yaml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tryAll runs each line of a file, and writes down those that exit with 0.
const tryAll = `while IFS= read -r way; do
	if timeout 20 sh -c "$way" >/dev/null 2>&1 </dev/null; then printf '%s\n' "$way" >> escaped.txt; fi
done < ways.txt
`

// nested makes a repository in the work tree whose config names a filter, which git outside must not start.
const nested = `git init -q nested && cd nested && echo '* filter=x' > .gitattributes && echo a > f && git add . && git commit -qm n && git config filter.x.clean 'touch HOMEDIR/filtered; cat' && cd .. && git add nested && sleep 1 && echo bb > nested/f`

// An agent in a sandbox edits, commits and hands over by its MCP server, and gets out by none of the ways that it tries.
// Each way exits with 0 only if it got out.
func TestSlowHostileAgentInABox(t *testing.T) {
	slowtest.Skip(t)
	if _, err := sandbox.Can(); err != nil {
		t.Skip(err)
	}
	w := newJobs(t, 3, "", "worktree_setup: test ! -e "+`"$HOME/private" && echo set >set-up.txt`)
	agent, err := net.Listen("unix", filepath.Join(w.home, "agent.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = agent.Close() }()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("%d.%d", 300, os.Getpid())
	git := filepath.Join(w.dir, ".git")
	own := git + "/worktrees/$(basename $(sed 's/^gitdir: //' .git))"
	in := strings.NewReplacer("HOMEDIR", w.home, "REPO", w.dir, "GIT", git, "OWN", own, "PORT", fmt.Sprint(server.Addr().(*net.TCPAddr).Port), "MARK", mark)
	ways := []string{
		// of the user and the system
		"cat HOMEDIR/private", "ls HOMEDIR/.ssh/id", "echo x > HOMEDIR/other/file && ls HOMEDIR/private", "cat HOMEDIR/.config/cairn/config.yaml", "ls HOMEDIR/.local/state/cairn/*",
		"echo x > /etc/cairn-hostile", "touch /cairn-hostile", ": >> /etc/hosts", "ln -s HOMEDIR/private link && cat link", "test -S HOMEDIR/agent.sock",
		"python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"HOMEDIR/agent.sock\")'", "perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(\"HOMEDIR/agent.sock\") or exit 1'",
		"test -n \"$SSH_AUTH_SOCK\"", "test -n \"$SECRET_TOKEN\"", "ls /run | grep -q .", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT'", "curl -sS -m 3 http://127.0.0.1:PORT", "test $(wc -l < /proc/net/dev) -gt 3",
		"kill -0 " + fmt.Sprint(os.Getpid()), "mount -t tmpfs none /mnt", "umount GIT/config", "unshare -Ur true", "cat /proc/1/environ | tr '\\0' '\\n' | grep -q SECRET",
		// of the record, the live state and the claims
		"echo x > REPO/.cairn/tasks/T-2.md", "echo x >> .cairn/tasks/T-2.md", "echo x >> .cairn/tasks/T-1.md", "rm .cairn/tasks/T-2.md", "mv .cairn c", "echo 'prefix: X' > .cairn/config.yaml", "sed -i s/backlog/done/ .cairn/tasks/T-2.md",
		"find GIT/cairn -name 'T-*' | grep -q .", "find GIT/cairn -name state.json | grep -q .", "find GIT/cairn -name events.jsonl | grep -q .", "mkdir -p GIT/cairn/eve", "echo x > GIT/cairn/claim",
		"$CAIRN claim T-2", "$CAIRN -C REPO claim T-2", "$CAIRN -C REPO note T-2 hello", "$CAIRN job cancel $CAIRN_JOB", "for d in GIT/cairn/*/jobs/*; do echo x > $d/prompt.md && exit 0; done; exit 1",
		// of git
		"git config alias.x '!true'", "git config --worktree core.hooksPath /tmp", "echo '[alias]' >> GIT/config", "mv GIT/config GIT/c", "rm GIT/config", "echo x > GIT/hooks/post-commit", "mkdir GIT/hooks/x", "echo x > GIT/info/attributes",
		"git update-ref refs/heads/main HEAD", "git branch -f main HEAD", "git branch eve", "git branch -D other", "git update-ref refs/heads/cairn/T-2 HEAD", "echo x > GIT/refs/heads/cairn/T-2", "rm GIT/refs/heads/cairn/T-2", "git tag eve", "git update-ref refs/remotes/origin/main HEAD",
		"echo x > GIT/HEAD", "echo x > GIT/packed-refs", "echo x > z; git add z; git stash push -q; r=$?; git reset -q; rm -f z; exit $r", "echo gitdir: /tmp > .git", "rm .git", "mv .git g", "echo /tmp > OWN/commondir", "rm OWN/commondir", "rm OWN/config.worktree", "printf '[core]\\n\\tfsmonitor = false\\n' > OWN/config.worktree", "echo /tmp > OWN/gitdir",
		"rm GIT/objects/pack/*.idx", "echo /tmp > GIT/objects/info/alternates", "git worktree add /tmp/eve", "git worktree prune && git worktree list | grep -q prunable", "git gc -q && test ! -e GIT/refs/heads/main",
	}
	if len(ways) < 40 {
		t.Fatalf("there are %d ways", len(ways))
	}
	for path, text := range map[string]string{
		filepath.Join(w.home, "private"): "PRIVATE", filepath.Join(w.home, ".ssh", "id"): "PRIVATE", filepath.Join(w.home, "other", "file"): "theirs",
		filepath.Join(w.dir, "ways.txt"): in.Replace(strings.Join(ways, "\n")) + "\n", filepath.Join(w.dir, "try.sh"): tryAll,
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w.git(t, "add", "--all")
	w.git(t, "commit", "--quiet", "--message=ways")
	w.git(t, "gc", "--quiet")
	w.git(t, "branch", "other")
	w.git(t, "branch", "cairn/T-2")
	before := w.git(t, "for-each-ref", "--format=%(refname) %(objectname)")
	config, _ := os.ReadFile(filepath.Join(git, "config"))
	w.cairn(t, "trust", "--yes")
	w.boxed(t, ", network: false",
		"shell CAIRN="+self+" sh try.sh", "write wall.txt raised", "shell git add --all && git commit --quiet -m raised", "shell (setsid sleep "+mark+" >/dev/null 2>&1 &)",
		"append wall.txt higher", "call note {\"id\":\"T-1\",\"text\":\"over MCP\"}", "finish raised it")
	one := parseJob(t, w.cairn(t, "job", "start", "T-1", "--executor", "mine", "--foreground", "--json"))
	if one.State != "SUCCEEDED" || one.Summary != "raised it" {
		t.Fatalf("%+v\n%s", one, w.cairn(t, "job", "logs", one.Job))
	}
	if out, err := exec.Command("git", "-C", w.dir, "show", "cairn/T-1:escaped.txt").Output(); err == nil {
		t.Errorf("it got out:\n%s", out)
	}
	if got := w.git(t, "show", "cairn/T-1:wall.txt", "cairn/T-1:set-up.txt"); got != "raised\nhigher\nset\n" {
		t.Errorf("the branch has %q", got)
	}
	if log := w.git(t, "log", "--format=%an %s", "cairn/T-1"); !strings.Contains(log, "shah raised\n") {
		t.Errorf("its own commit is not there:\n%s", log)
	}
	if after := w.git(t, "for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/main", "refs/heads/other", "refs/heads/cairn/T-2", "refs/tags", "refs/remotes"); !strings.Contains(before, strings.TrimSpace(after[strings.Index(after, "refs/heads/main"):])) {
		t.Errorf("the refs were\n%s\nand are\n%s", before, after)
	}
	for path, want := range map[string]string{filepath.Join(git, "config"): string(config), filepath.Join(w.home, "other", "file"): "theirs"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s is %q now (%v)", path, got, err)
		}
	}
	left, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range left {
		if src, _ := os.ReadFile(file); strings.Contains(string(src), "sleep\x00"+mark) {
			t.Errorf("%s goes on", file)
		}
	}
	if record := w.git(t, "show", "cairn/T-1:.cairn/tasks/T-1.md"); !strings.Contains(record, "over MCP") {
		t.Errorf("what it said over MCP is not there:\n%s", record)
	}

	// Nor does git start outside what the config of a repository within the work tree names.
	w.boxed(t, "", "shell "+in.Replace(nested), "finish raised it")
	start := w.command(t, "job", "start", "T-3", "--executor", "mine", "--foreground", "--json")
	out, _ := start.Output() // what is in a repository within is not committed, so the job fails
	one = parseJob(t, string(out))
	if one.State != "FAILED" || one.Reason != "CHECKS_FAILED" {
		t.Errorf("%+v", one)
	}
	w.git(t, "-C", one.Worktree, "status")
	w.git(t, "-C", one.Worktree, "diff")
	if _, err := os.Stat(filepath.Join(w.home, "filtered")); err == nil {
		t.Error("git started a filter of the program's own outside")
	}
}
