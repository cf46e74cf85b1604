package cmd

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cairn-tasks/cairn/cmd/screen"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/layout"
)

// draft is a text that the user's editor changes, in a folder of the user's own, and a copy of what it was. Nothing
// that was typed is lost: one that cannot be written is kept, with the path told.
type draft struct {
	*program
	op      string      // the command that it is of, as its errors name it
	id      record.ID   // the task that it is about; "" for a new one
	anew    string      // the command that begins anew
	goOn    string      // the command that goes on with what was kept
	without record.Call // what does the same without an editor
	base    string      // path of what the editor was given
	copy    string      // path of what the editor changes
}

// newDraft names the files of a draft about something in a workspace.
func (p *program) newDraft(s *store.Store, about string) (draft, error) {
	if p.stateDir() == "" {
		return draft{}, usage("there is no folder of your own to keep a copy in").WithHint("set HOME or XDG_STATE_HOME")
	}
	at := filepath.Join(p.stateDir(), "edit", filepath.Base(s.Root)+"-"+about)
	return draft{program: p, base: at + ".base.md", copy: at + ".md"}, nil
}

// edit lets the editor change a text until it can be landed, or the person gives up. With again it goes on with the
// text that was kept.
func (d draft) edit(ctx context.Context, again bool, text func() ([]byte, error), land func(context.Context) error) error {
	if err := d.prepare(again, text); err != nil {
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
		if _, ok := isTerminal(d.Stdin); !ok || d.json || ctx.Err() != nil {
			return d.kept(err)
		}
		screen.Fprintf(d.Stderr, "cairn: %s: %s\n", strings.TrimSpace(d.op+" "+string(d.id)), record.MessageOf(err))
		if hint := asError(err).Hint; !hint.Empty() {
			screen.Fprintf(d.Stderr, "hint: %s\n", hint.Spell(catalogue.CommandLine))
		}
		d.printf("Edit it again? [Y/n] ")
		answer, askErr := readAnswer(ctx, d.Stdin)
		if askErr != nil || answer == "n" || answer == "no" {
			return d.kept(err)
		}
	}
}

// prepare makes the copy, or finds the one that was kept.
func (d draft) prepare(again bool, text func() ([]byte, error)) error {
	_, err := os.Lstat(d.copy)
	switch {
	case again && errors.Is(err, fs.ErrNotExist):
		return usage("no copy of it was kept").WithHint("%s begins anew", d.anew)
	case again:
		return nil
	case err == nil:
		return usage("an edit of it was kept in %s", d.copy).WithHint("%s goes on with it; delete that file to begin anew", d.goOn)
	}
	first, err := text()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(d.copy), 0o700)
	}
	if err == nil {
		err = os.WriteFile(d.base, first, 0o600)
	}
	if err == nil {
		err = os.WriteFile(d.copy, first, 0o600)
	}
	return err
}

// texts are what the editor was given and what it left.
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
	editor := d.Getenv("VISUAL")
	if editor == "" {
		editor = d.Getenv("EDITOR")
	}
	if _, terminal := isTerminal(d.Stdin); editor == "" && !terminal {
		return usage("there is no terminal for an editor, and neither VISUAL nor EDITOR names one").
			WithHint("%s does it without one", d.without)
	}
	if editor == "" {
		editor = "vi"
	}
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
	hint := said.Hint
	return said.WithHint("%s; your edit is kept in %s; %s goes on with it", hint.Spell(catalogue.CommandLine), d.copy, d.goOn)
}

func (d draft) forget() {
	_ = os.Remove(d.base)
	_ = os.Remove(d.copy)
}
