package cmd

import (
	"bytes"
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/cmd/terminal"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
)

// draft is a text that the user's editor changes, in a folder of the user's own, and a copy of what it was. Nothing
// that was typed is lost: one that cannot be written is kept, with the path told.
type draft struct {
	*program
	op      string      // the command that it is of, as its errors name it
	id      record.ID   // the task that it is about; "" for a new one
	goOn    string      // the command that goes on with what was kept
	without record.Call // what does the same without an editor
	base    string      // path of what the editor was given
	copy    string      // path of what the editor changes
}

func newDraft(p *program, s *store.Store, about string) (draft, error) {
	if p.stateDir() == "" {
		return draft{}, usage("there is no folder of your own to keep a copy in").WithHint("set HOME or XDG_STATE_HOME")
	}
	at := filepath.Join(p.stateDir(), "edit", filepath.Base(s.Root)+"-"+about)
	return draft{program: p, base: at + ".base.md", copy: at + ".md"}, nil
}

// inEditor lets the editor change a text until it can be landed, or the person gives up. What an earlier one left is
// gone on with, or discarded.
func (d draft) inEditor(ctx context.Context, discard bool, text func() ([]byte, error), land func(context.Context) error) error {
	if err := d.prepare(discard, text); err != nil {
		return err
	}
	for {
		if err := d.runEditor(ctx); err != nil {
			return d.kept(err)
		}
		err := land(ctx)
		if err == nil {
			return nil
		}
		if _, ok := terminal.Is(d.Stdin); !ok || d.json || ctx.Err() != nil {
			return d.kept(err)
		}
		d.tellError(strings.TrimSpace(d.op+" "+string(d.id))+": "+record.MessageOf(err), asError(err).Hint)
		if !d.again(ctx) {
			return d.kept(err)
		}
	}
}

// again asks whether to edit once more, until the answer is yes, no, or none at all, which is yes.
func (d draft) again(ctx context.Context) bool {
	for {
		screen.Fprintf(d.Stderr, "Edit it again? [Y/n] ")
		switch answer, err := terminal.ReadAnswer(ctx, d.Stdin); {
		case err != nil, answer == "n", answer == "no":
			return false
		case answer == "", answer == "y", answer == "yes":
			return true
		}
	}
}

// prepare makes the copy, if none was kept or it is discarded.
func (d draft) prepare(discard bool, text func() ([]byte, error)) error {
	if discard {
		d.forget()
	}
	if d.waits() {
		screen.Fprintf(d.Stderr, "cairn: goes on with the edit that was kept in %s\n", d.copy)
		return nil
	}
	first, err := text()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(d.copy), 0o700)
	}
	for _, name := range []string{d.base, d.copy} {
		if err == nil {
			err = os.WriteFile(name, first, 0o600)
		}
	}
	return err
}

// waits reports whether an earlier edit was kept.
func (d draft) waits() bool { return layout.Exists(d.copy) }

func (d draft) texts() (base, mine []byte, err error) {
	if base, err = os.ReadFile(d.base); err == nil {
		mine, err = layout.ReadInput(d.copy)
	}
	if err != nil {
		return nil, nil, record.Errorf(record.IO, "%w", err)
	}
	return base, mine, nil
}

// runEditor runs the editor on the copy. The words of the variable are read by the shell, as git does, so that an
// editor can have arguments.
func (d draft) runEditor(ctx context.Context) error {
	editor := cmp.Or(d.Getenv("VISUAL"), d.Getenv("EDITOR"))
	if _, terminal := terminal.Is(d.Stdin); editor == "" && !terminal {
		return usage("there is no terminal for an editor, and neither VISUAL nor EDITOR names one").
			WithHint("%s does it without one", d.without)
	}
	editor = cmp.Or(editor, "vi")
	words := []string{"sh", "-c", editor + ` "$@"`, "editor", d.copy}
	if runtime.GOOS == "windows" {
		words = append(strings.Fields(editor), d.copy)
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.Dir = d.Stdin, d.Stdout, d.Stderr, d.Dir
	if err := cmd.Run(); err != nil {
		return record.Errorf(record.IO, "the editor (%s) failed: %w", editor, err).WithHint("set VISUAL or EDITOR to an editor that is there; code needs --wait")
	}
	return nil
}

// kept adds to an error where the copy is, and removes one that nobody changed.
func (d draft) kept(err error) error {
	was, _ := os.ReadFile(d.base)
	is, readErr := os.ReadFile(d.copy)
	if readErr != nil || bytes.Equal(was, is) {
		d.forget()
		return err
	}
	said := *asError(err)
	hint := said.Hint.Spell(catalogue.CommandLine)
	return said.WithHint("%s; your edit is kept in %s; %s goes on with it, --discard drops it", hint, d.copy, d.goOn)
}

// done calls a verb with what the editor left, drops the copy, and prints the result.
func (d draft) done(ctx context.Context, v verbCommand, w *verb.Workspace, values map[string]any) error {
	in := newInput(d.program, nil, v.verb.Fields())
	in.values = values
	if err := in.completeIDs(ctx, w); err != nil {
		return err
	}
	out, err := v.callOnce(ctx, w, in)
	if err != nil {
		return err
	}
	d.forget()
	return d.result(ctx, v.verb, nil, out)
}

func (d draft) forget() {
	_ = os.Remove(d.base)
	_ = os.Remove(d.copy)
}
