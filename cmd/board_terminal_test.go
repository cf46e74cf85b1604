//go:build unix

package cmd_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// The board is driven here as a person drives it: the program, in a shell, in a real terminal, which tmux is.
// Nothing waits for a time: what is expected is looked for until it is there.

// tty is a terminal with a shell in it.
type tty struct {
	t      *testing.T
	dir    string // of the workspace
	socket string
	env    []string
	bin    string
}

// openTTY opens a terminal of a size, with a shell in a workspace that has the tasks of a shop.
func openTTY(t *testing.T, width, height int) *tty {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("CI needs tmux, in which the board is tested: ", err)
		}
		t.Skip("there is no tmux here, in which the board is tested")
	}
	short, err := os.MkdirTemp("", "tty") //nolint:usetesting // the path of a socket may not be long, and that of t.TempDir is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	w := &tty{t: t, dir: cmdtest.Shop(t), socket: filepath.Join(short, "s"), bin: boardBinary(t)}
	home := t.TempDir()
	w.env = []string{
		"PATH=" + filepath.Dir(w.bin) + ":" + os.Getenv("PATH"), "HOME=" + home, "XDG_STATE_HOME=" + home, "CAIRN_ACTOR=human:ada",
		"LC_ALL=C.UTF-8", "PS1=$ ", "ENV=", "TERM=screen-256color", "EDITOR=" + filepath.Join(short, "editor"), "TMPDIR=" + short, "TZ=UTC",
	}
	w.tmux("-u", "-f", os.DevNull, "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "-c", w.dir, "sh", "-i")
	t.Cleanup(func() { w.tmux("kill-server") })
	w.until("$")
	return w
}

// boardBinary builds the program.
func boardBinary(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "cairn")
	output(t, nil, "go", "build", "-o", bin, "./cairn")
	return bin
}

func (w *tty) tmux(args ...string) string {
	w.t.Helper()
	c := exec.Command("tmux", append([]string{"-S", w.socket}, args...)...) // at the end of a test its context is over
	c.Env = w.env
	out, err := c.CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// screen is what the terminal shows.
func (w *tty) screen() string {
	w.t.Helper()
	lines := strings.Split(w.tmux("capture-pane", "-p"), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n") + "\n"
}

// until waits for the screen to show all of some texts, and returns it.
func (w *tty) until(wants ...string) string {
	w.t.Helper()
	return w.untilSo(fmt.Sprintf("shows %q", wants), func(screen string) bool {
		for _, want := range wants {
			if !strings.Contains(screen, want) {
				return false
			}
		}
		return true
	})
}

func (w *tty) untilSo(what string, so func(screen string) bool) string {
	w.t.Helper()
	for deadline := time.Now().Add(slowtest.Patience); ; runtime.Gosched() {
		screen := w.screen()
		if so(screen) {
			return screen
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("the terminal never %s. It shows:\n%s", what, screen)
		}
	}
}

// press types keys by the names that tmux has for them.
func (w *tty) press(keys ...string) {
	w.t.Helper()
	w.tmux(append([]string{"send-keys"}, keys...)...)
}

// write types a text.
func (w *tty) write(text string) {
	w.t.Helper()
	w.tmux("send-keys", "-l", text)
}

// cairn runs the program beside the terminal.
func (w *tty) cairn(args ...string) string {
	w.t.Helper()
	return output(w.t, w.env, w.bin, append([]string{"-C", w.dir}, args...)...)
}

// board starts the board.
func (w *tty) board() {
	w.t.Helper()
	w.press("cairn board", "Enter")
	w.until("? help", "closed 3")
}

// prompt waits for the shell.
func (w *tty) prompt() {
	w.t.Helper()
	w.untilSo("has the shell back", func(screen string) bool { return screen == "$\n" || strings.HasSuffix(screen, "\n$\n") })
}

// whole reports that the terminal is as a shell wants it: lines are edited and echoed by the system, signals come from
// keys.
func (w *tty) whole() {
	w.t.Helper()
	w.prompt()
	w.press("stty -a > modes; echo se''en", "Enter")
	w.until("\nseen\n$")
	modes, err := os.ReadFile(filepath.Join(w.dir, "modes"))
	if err != nil {
		w.t.Fatal(err)
	}
	for _, mode := range []string{" icanon ", " echo ", "isig ", " icrnl ", "opost "} {
		if !strings.Contains(string(modes), mode) || strings.Contains(string(modes), "-"+strings.TrimSpace(mode)+" ") {
			w.t.Errorf("the terminal is left without%s:\n%s", mode, modes)
		}
	}
	w.press("clear", "Enter")
	w.untilSo("is clear", func(screen string) bool { return screen == "$\n" })
}

// golden compares a screen with the one that was looked at and kept.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the screen is not that of %s:\n%s", path, got)
	}
}

// The board fits a narrow terminal and a wide one, and quitting leaves the screen as it was.
func TestSlowBoardInATerminal(t *testing.T) {
	slowtest.Skip(t)
	for _, width := range []int{60, 200} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			w := openTTY(t, width, 34)
			w.press("echo before", "Enter")
			w.until("\nbefore\n$")
			w.press("cairn board")
			w.until("$ cairn board")
			before := w.screen()
			w.press("Enter")
			w.until("? help", "closed 3", "▌")
			golden(t, fmt.Sprintf("board-%d.golden", width), w.screen())
			w.press("q")
			w.untilSo("is as before", func(screen string) bool {
				return strings.HasPrefix(screen, before) && strings.HasSuffix(screen, "\n$\n")
			})
			w.whole()
		})
	}
}

// A person moves, claims, notes, adds and finds tasks; gates refuse; what others do shows by itself; the window may
// change.
func TestSlowADayAtTheBoard(t *testing.T) {
	slowtest.Skip(t)
	w := openTTY(t, 120, 34)
	w.board()
	w.press("j", ">")
	w.until("waits for SHOP-1", "hint: cairn show SHOP-1") // refused by the gate
	w.press("g", "c")
	w.until("SHOP-3 claimed", "@ada")
	w.press("u")
	w.until("is taken back")
	w.press(">")
	w.until("SHOP-3 started", "@ada")
	if got := w.cairn("show", "SHOP-3"); !strings.Contains(got, "in_progress") || !strings.Contains(got, "human:ada") {
		t.Errorf("the file says:\n%s", got)
	}
	w.press("n")
	w.write("talked to Bob")
	w.press("Enter")
	w.until("SHOP-3 noted")
	w.press("Enter")
	w.until("History", "talked to Bob")
	w.press("q")
	w.press("a")
	w.write("Count the stock")
	w.press("Enter")
	w.until("created", "Count the stock")
	w.cairn("create", "Somebody else was here")
	w.until("Somebody else was here")
	w.cairn("transition", "SHOP-1", "in_review")
	w.until("in_review 2")
	w.press("/")
	w.write("stock")
	w.untilSo("filters as one types", func(screen string) bool {
		return strings.Contains(screen, "backlog 2 ") && !strings.Contains(screen, "SHOP-1")
	})
	w.press("Escape")
	w.until("Somebody else was here")
	w.tmux("resize-window", "-x", "60", "-y", "20")
	w.until("│ in_progress", "backlog 5 ")
	w.tmux("resize-window", "-x", "200", "-y", "40")
	w.until("│ in_review", "│ closed")
	w.press("q")
	w.whole()
}

// A check that runs says so, and can be interrupted; nothing of it is kept. One that fails is a refusal.
func TestSlowChecksRunBesideTheBoard(t *testing.T) {
	slowtest.Skip(t)
	w := openTTY(t, 120, 30)
	w.cairn("trust", "--yes")
	slow := filepath.Join(w.dir, "slow")
	w.cairn("create", "Slow one", "--priority", "0", "--check", "it ends=touch "+slow+"; exec sleep 600")
	w.cairn("create", "Failing one", "--priority", "0", "--check", "it holds=echo out of stock; false")
	w.board()
	w.until("▌ Slow one")
	w.press("m", "4")
	w.until("esc interrupts", "it ends")
	w.untilSo("has the check running", func(string) bool { _, err := os.Stat(slow); return err == nil })
	w.press("j")
	w.until("▌ Failing one")
	w.press("Escape")
	w.until("interrupted: nothing was moved")
	w.press("m", "4")
	w.until("out of stock", "hint: ")
	w.press("q")
	w.whole()
}

// What only a person may confirm is asked on the terminal below the prompt, and the board comes back.
func TestSlowAttestingAtTheBoard(t *testing.T) {
	slowtest.Skip(t)
	w := openTTY(t, 120, 30)
	w.cairn("create", "Read the contract", "--priority", "0", "--manual", "a person has read it")
	w.board()
	w.press("t")
	w.write("0 pass all of it")
	w.press("Enter")
	w.until("To be done in the name of human:ada", "Type pass to confirm:")
	w.write("pass")
	w.press("Enter")
	w.until("attested", "? help")
	w.press("Enter")
	w.until("pass", "all of it")
	w.press("q", "q")
	w.whole()
}

// Ctrl-Z and a signal to stop give the shell its terminal back, and fg the board its own. Ctrl-C and SIGTERM end it.
func TestSlowStoppingTheBoard(t *testing.T) {
	slowtest.Skip(t)
	w := openTTY(t, 100, 30)
	stopped := func() {
		t.Helper()
		w.whole()
		w.press("fg", "Enter")
		w.until("? help", "▌")
	}
	w.press("set -m", "Enter")
	w.until("$ set -m\n$")
	w.board()
	w.press("C-z")
	stopped()
	pid := strings.TrimSpace(output(t, w.env, "sh", "-c", "pgrep -x -P $(tmux -S "+w.socket+" display-message -p '#{pane_pid}') cairn"))
	output(t, w.env, "kill", "-TSTP", pid)
	stopped()
	w.press("q")
	w.prompt()
	for _, end := range []func(){
		func() { w.press("C-c") },
		func() {
			pid := strings.TrimSpace(output(t, w.env, "sh", "-c", "pgrep -x -P $(tmux -S "+w.socket+" display-message -p '#{pane_pid}') cairn"))
			output(t, w.env, "kill", pid)
		},
	} {
		w.board()
		end()
		w.prompt()
		w.press("echo status $?", "Enter")
		w.until("status 130")
		w.whole()
	}
}

// With its input from elsewhere the board is text.
func TestSlowTheBoardAwayFromATerminal(t *testing.T) {
	slowtest.Skip(t)
	w := openTTY(t, 100, 40)
	w.press("cairn board < /dev/null; echo status $?", "Enter")
	w.until("backlog (4)", "closed (3)", "status 0")
}

// The editor has the terminal to itself, and gives it back.
func TestSlowEditingAtTheBoard(t *testing.T) {
	slowtest.Skip(t)
	w := openTTY(t, 120, 30)
	editor := "#!/bin/sh\nstty -a | grep -qw -e '-icanon' && exit 9\necho 'the editor is here'\nread answer\nsed -i 's/Take cards/Take cards and cash/' \"$1\"\n"
	for _, v := range w.env {
		if path, ok := strings.CutPrefix(v, "EDITOR="); ok {
			if err := os.WriteFile(path, []byte(editor), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	w.board()
	w.until("▌ Take cards")
	w.press("e")
	w.until("the editor is here")
	w.press("Enter")
	w.until("▌ Take cards and cash", "? help")
	w.press("j")
	w.until("▌ Ship it") // keys reach the board again
	w.press("q")
	w.whole()
}
