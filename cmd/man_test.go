package cmd

import (
	"bytes"
	"os/exec"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/cmd/complete"
	"github.com/urfave/cli/v3"
)

// The manual page has each command and each of its flags, and groff finds nothing to complain about.
func TestManual(t *testing.T) {
	p := &program{Env: Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}}
	p.out = &output{to: p.Stdout}
	root := p.root()
	page := manual(root)
	var has func(c *cli.Command, around string)
	commands := 0
	has = func(c *cli.Command, around string) {
		name := around + c.Name
		_, part, ok := strings.Cut(page, "\n.SS "+roff(strings.TrimSpace(name+" "+c.ArgsUsage))+"\n")
		if !ok {
			t.Errorf("there is no %s", name)
			return
		}
		commands++
		part, _, _ = strings.Cut(part, "\n.SS ")
		for _, f := range c.Flags {
			if visible, ok := f.(cli.VisibleFlag); ok && !visible.IsVisible() {
				continue
			}
			if flag := roff(complete.Dashed(f.Names()[0])); f.Names()[0] != "help" && !strings.Contains(part, flag) {
				t.Errorf("%s has no %s", name, flag)
			}
		}
		for _, sub := range c.Commands {
			has(sub, name+" ")
		}
	}
	for _, c := range root.Commands {
		if !c.Hidden {
			has(c, "cairn ")
		}
	}
	if commands < 30 {
		t.Errorf("it has %d commands", commands)
	}
	for _, word := range peoplesTopics() {
		if !strings.Contains(page, "\n.SS "+roff(word)+": ") {
			t.Errorf("there is no topic %s", word)
		}
	}
	t.Run("groff", func(t *testing.T) { lintPage(t, page, "groff", "-man", "-Tutf8", "-ww", "-z") })
	t.Run("mandoc", func(t *testing.T) { lintPage(t, page, "mandoc", "-Tlint", "-Wwarning") })
}

// noDate is what mandoc misses: the page has no date, so that it changes only with the commands.
const noDate = "mandoc: <stdin>:1:13: WARNING: missing date, using \"\": TH\n"

// lintPage checks that a program has nothing to say about a manual page.
func lintPage(t *testing.T, page, name string, args ...string) {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed", name)
	}
	check := exec.Command(path, args...)
	check.Stdin = strings.NewReader(page)
	out, err := check.CombinedOutput()
	if said := strings.Replace(string(out), noDate, "", 1); said != "" || err != nil && len(out) == 0 {
		t.Errorf("%s says %v: %s", name, err, said)
	}
}

// What a description says is shown as it is, also where man(7) would take it for a request or an escape.
func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"plain":       "plain",
		".TH x":       `\&.TH x`,
		"a\n'quoted'": "a\n\\&'quoted'",
		"a → b":       `a \[u2192] b`,
		`a\nb --flag`: `a\enb \-\-flag`,
	} {
		if got := roff(text); got != want {
			t.Errorf("%q is written %q", text, got)
		}
	}
}
