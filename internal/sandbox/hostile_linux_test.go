package sandbox_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sandbox"
)

// house is a repository below a home, with a box for its work tree.
type house struct {
	home, top, live string
	box             sandbox.Box
	env             []string
}

func newHouse(t *testing.T) house {
	t.Helper()
	if _, err := sandbox.Can(); err != nil {
		t.Skip(err)
	}
	home := t.TempDir()
	h := house{home: home, top: filepath.Join(home, "shop")}
	h.live = filepath.Join(h.top, ".git", "cairn")
	for path, content := range map[string]string{
		".ssh/id": "PRIVATE", ".netrc": "secret", "other/file": "theirs", "shop/code.txt": "code", "shop/.cairn/tasks/T-1.md": "task",
		"shop/.git/config": "[core]\n", "shop/.git/hooks/keep": "", "shop/.git/HEAD": "ref: refs/heads/main\n", "shop/.git/cairn/x/claim": "ada",
	} {
		at := filepath.Join(home, filepath.FromSlash(path))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	h.box = sandbox.Box{Write: []string{h.top}, Keep: []string{h.top + "/.git", h.top + "/.cairn"}, Hide: []string{h.live}, Home: home}
	h.env = append(os.Environ(), "HOME="+home, "SECRET_TOKEN=s3cret", "SSH_AUTH_SOCK="+home+"/agent.sock", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/bus")
	return h
}

// run runs a line in the box and reports whether it exits with 0.
func (h house) run(t *testing.T, line string) (bool, string) {
	t.Helper()
	argv, env, err := h.box.Command(line, h.top, h.env)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Second)
	defer stop()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env, cmd.Dir = env, h.top
	out, err := cmd.CombinedOutput()
	return err == nil, string(out)
}

// What a check does by right it can do.
func TestInTheBox(t *testing.T) {
	h := newHouse(t)
	for _, line := range []string{
		"cat code.txt && echo more >> code.txt && mkdir -p build && echo x > build/out", "mktemp", "echo x > /tmp/x && cat /tmp/x", "test \"$HOME\" && ls $HOME",
		"cat .cairn/tasks/T-1.md && cat .git/HEAD", "sh -c 'sleep 0 & wait'", "test -c /dev/null && echo x > /dev/null", "ls / /usr > /dev/null", "test -r /proc/self/status",
	} {
		if ok, out := h.run(t, line); !ok {
			t.Errorf("%s:\n%s", line, out)
		}
	}
	if src, _ := os.ReadFile(filepath.Join(h.top, "build", "out")); string(src) != "x\n" {
		t.Errorf("what it wrote is %q", src)
	}
}

// A hostile command tries its ways out. Each line exits with 0 only if it got out, and none leaves anything behind; one that
// gets out into the system writes there what was there before.
func TestHostileCommand(t *testing.T) {
	h := newHouse(t)
	socket, err := net.Listen("unix", filepath.Join(h.home, "agent.sock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = socket.Close() }()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close() }()
	port := server.Addr().(*net.TCPAddr).Port
	outside := filepath.Join("/var/tmp", fmt.Sprintf("cairn-hostile-%d", os.Getpid()))
	defer func() { _ = os.RemoveAll(outside) }()
	victim := exec.Command("sleep", "60")
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = victim.Process.Kill(); _ = victim.Wait() }()
	in := strings.NewReplacer("HOMEDIR", h.home, "TOP", h.top, "PORT", fmt.Sprint(port), "OUTSIDE", outside, "VICTIM", fmt.Sprint(victim.Process.Pid),
		"SELF", fmt.Sprint(os.Getpid()))
	ways := []string{
		"echo x > HOMEDIR/other/file && grep -q x HOMEDIR/other/file && test -e HOMEDIR/.netrc", "cat HOMEDIR/.ssh/id", "cat HOMEDIR/.netrc", "ls HOMEDIR/other/file",
		"echo x > /etc/cairn-hostile", "echo x > /usr/cairn-hostile", "touch /cairn-hostile", "mkdir /opt/cairn-hostile", ": >> /etc/hosts", "echo x > TOP/../escaped && test -e HOMEDIR/.netrc",
		"echo x > .git/hooks/post-commit", "echo '[alias]' >> .git/config", "rm .git/config", "mv .git gone", "rm -rf .git/hooks", "touch .git/index.lock", "echo x > .git/HEAD",
		"ln -s /tmp .git/cairn-link", "rmdir .git || mv TOP/.git/hooks TOP/.git/h", "chmod 777 .git/config",
		"echo x > .cairn/tasks/T-1.md", "rm .cairn/tasks/T-1.md", "mv .cairn c", "echo x > .cairn/tasks/T-2.md", "cat .git/cairn/x/claim", "mkdir -p .git/cairn/x", "echo eve > .git/cairn/claim",
		"ln -s HOMEDIR/.netrc link && cat link", "ln -s /etc/hosts l2 && : >> l2", "ln .git/config hard && echo x >> hard",
		"exec 3<>/dev/tcp/127.0.0.1/PORT", "bash -c 'exec 3<>/dev/tcp/127.0.0.1/PORT'", "python3 -c 'import socket; socket.create_connection((\"127.0.0.1\",PORT),3)'",
		"perl -MIO::Socket::INET -e 'IO::Socket::INET->new(\"127.0.0.1:PORT\") or exit 1'", "curl -sS -m 3 http://127.0.0.1:PORT", "test $(wc -l < /proc/net/dev) -gt 3",
		"perl -MIO::Socket::UNIX -e 'IO::Socket::UNIX->new(\"HOMEDIR/agent.sock\") or exit 1'", "test -S HOMEDIR/agent.sock", "test -n \"$SSH_AUTH_SOCK\"", "test -n \"$DBUS_SESSION_BUS_ADDRESS\"",
		"test -S /run/docker.sock -o -S /var/run/docker.sock", "ls /run | grep -q .", "test -n \"$SECRET_TOKEN\"", "env | grep -q s3cret", "tr '\\0' '\\n' < /proc/1/environ | grep -q s3cret",
		"kill -9 VICTIM", "kill -0 SELF", "ls /proc/VICTIM/exe && readlink /proc/VICTIM/exe | grep -q sleep", "cat /proc/VICTIM/environ | grep -q .", "test -e /proc/VICTIM/root/etc && cat /proc/VICTIM/root/HOMEDIR/.netrc", "ps ax | grep -v grep | grep -q 'sleep 60'",
		"mount -t tmpfs none /mnt", "mount -o remount,rw /", "mount --bind /tmp .git", "umount HOMEDIR", "umount .git", "unshare -Ur true", "unshare -Urm sh -c 'umount TOP/.git && echo x > TOP/.git/config'", "chroot / true",
		"su -c true nobody", "test -u /usr/bin/su && sudo -n true", "setpriv --reuid=0 --clear-groups mount -t tmpfs none /mnt", "grep -q 'NoNewPrivs:.0' /proc/self/status", "grep CapEff /proc/self/status | grep -qv 0000000000000000",
		"mknod d b 8 0", "dd if=/dev/sda of=/dev/null count=1", "dd if=/dev/mem of=/dev/null count=1", "cat /proc/sys/kernel/core_pattern > /tmp/c && cat /tmp/c > /proc/sys/kernel/core_pattern", "echo h > /proc/sysrq-trigger", "echo 1 > /proc/self/oom_score_adj && echo -1000 > /proc/self/oom_score_adj",
		"cat /sys/kernel/uevent_helper > /tmp/u && cat /tmp/u > /sys/kernel/uevent_helper", "hostname cairn-hostile && test \"$(cat /proc/sys/kernel/hostname)\" = x", "date -s \"$(date)\"", "systemd-run --user true", "crontab -l", "echo true | at now",
		"echo x > OUTSIDE && mountpoint -q /var/tmp && false", "nsenter -t 1 -m -- cat HOMEDIR/.netrc", "gdb -p VICTIM -batch", "strace -p VICTIM -o /dev/null & sleep 0.2; kill %1",
	}
	if len(ways) < 40 {
		t.Fatalf("there are %d ways", len(ways))
	}
	for _, way := range ways {
		if got, out := h.run(t, in.Replace(way)); got {
			t.Errorf("it got out: %s\n%s", in.Replace(way), out)
		}
	}
	for path, want := range map[string]string{".git/config": "[core]\n", ".git/HEAD": "ref: refs/heads/main\n", ".cairn/tasks/T-1.md": "task", ".git/cairn/x/claim": "ada", "../other/file": "theirs"} {
		if src, err := os.ReadFile(filepath.Join(h.top, path)); err != nil || string(src) != want {
			t.Errorf("%s is %q now, %v", path, src, err)
		}
	}
	for _, path := range []string{outside, "/etc/cairn-hostile", "/cairn-hostile", filepath.Join(h.home, "escaped")} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is there", path)
		}
	}
}

// No process is left, though it left its group and its session.
func TestNoProcessIsLeft(t *testing.T) {
	h := newHouse(t)
	mark := fmt.Sprintf("%d.%d", 300, os.Getpid())
	if ok, out := h.run(t, "(setsid sleep "+mark+" >/dev/null 2>&1 &) ; (nohup setsid sh -c 'sleep "+mark+"' >/dev/null 2>&1 &); sleep 0.2"); !ok {
		t.Fatal(out)
	}
	time.Sleep(100 * time.Millisecond)
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range all {
		if src, _ := os.ReadFile(file); strings.Contains(string(src), "sleep\x00"+mark) {
			t.Errorf("%s goes on", file)
		}
	}
}

// What the box shows beside the usual is what was said.
func TestShown(t *testing.T) {
	h := newHouse(t)
	h.box.Read, h.box.Env, h.box.Write = []string{h.home + "/other", h.home + "/none"}, []string{"SECRET_*"}, append(h.box.Write, h.home+"/.ssh")
	for line, want := range map[string]bool{
		"grep theirs $HOME/other/file": true, "echo x > $HOME/other/file": false, "test $SECRET_TOKEN = s3cret": true, "echo x > $HOME/.ssh/new": true, "cat $HOME/.netrc": false,
	} {
		if ok, out := h.run(t, line); ok != want {
			t.Errorf("%s: %v\n%s", line, ok, out)
		}
	}
}

// A home in the work tree cannot be hidden, so nothing runs.
func TestHomeInTheWorkTree(t *testing.T) {
	h := newHouse(t)
	h.box.Write = []string{h.home}
	if argv, _, err := h.box.Command("true", h.top, nil); record.CodeOf(err) != record.NoSandbox || argv != nil {
		t.Errorf("%v, %v", argv, err)
	}
}

// Without the program nothing runs outside of a box instead, nor with one of the command's own.
func TestNoMeans(t *testing.T) {
	h := newHouse(t)
	program, _ := sandbox.Can()
	t.Setenv("PATH", t.TempDir())
	if argv, _, err := h.box.Command("true", h.top, nil); record.CodeOf(err) != record.NoSandbox || argv != nil {
		t.Errorf("without: %v, %v", argv, err)
	}
	fake := filepath.Join(h.top, "bwrap")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", h.top)
	if argv, _, err := h.box.Command("true", h.top, nil); record.CodeOf(err) != record.NoSandbox || argv != nil {
		t.Errorf("with its own: %v, %v", argv, err)
	}
	t.Setenv("PATH", filepath.Dir(program))
	if argv, _, err := h.box.Command("true", h.top, nil); err != nil || !slices.Contains(argv, "--disable-userns") {
		t.Errorf("with it: %v, %v", argv, err)
	}
}
