package store

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/store/internal/atomicfile"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// The lines that name the merge driver for the files of a workspace. Patterns are relative to the folder of .gitattributes.
const (
	sectionBegin = "# cairn: begin; cairn setup merge-driver --remove takes these lines out"
	sectionEnd   = "# cairn: end"
)

var sectionLines = []string{sectionBegin, ".cairn/**/*.md merge=cairn", ".cairn/**/*.yaml merge=cairn", sectionEnd}

const driverKey = "merge.cairn.driver"

// driverConfig is what git has to know of the driver. It stands in a clone's own config, which no clone inherits.
var driverConfig = []struct{ key, value string }{
	{"merge.cairn.name", "cairn: merge tasks key by key"},
	{driverKey, "cairn merge-driver %O %A %B %L %P"},
}

// MergeSetup is what installing or removing the merge driver would change. It holds no change that is made already.
type MergeSetup struct {
	layout Layout
	attrs  *string // the new content of .gitattributes; nil if it stays as it is
	config []struct{ key, value string }
	Lines  []string // the changes as a person reads them
}

// MergeDriver is how far the merge driver is installed in a clone. It takes both halves.
type MergeDriver struct {
	Attributes bool   // git is told to merge the files of this workspace with it
	Command    string // what this clone's config, or the user's, has git run; "" if nothing
	Installed  bool   // the clone's own config names a command
}

// MergeDriver asks git. Outside git there is none.
func (l Layout) MergeDriver(ctx context.Context) (d MergeDriver, err error) {
	if l.Repo == nil {
		return d, nil
	}
	attr, err := l.Repo.Attribute(ctx, "merge", slashRel(l.Worktree, l.task("ANY-1")))
	if err != nil {
		return d, err
	}
	own, err := l.Repo.Config(ctx, driverKey)
	if err != nil {
		return d, err
	}
	d.Attributes, d.Installed = attr == "cairn", own != ""
	d.Command, err = l.Repo.ConfigAnywhere(ctx, driverKey)
	return d, err
}

// PlanMergeDriver says what installing the merge driver in a clone would change, or removing it. It writes nothing. Outside
// git there is nothing to merge, which is INVALID_INPUT.
func (l Layout) PlanMergeDriver(ctx context.Context, remove bool) (*MergeSetup, error) {
	if l.Repo == nil {
		return nil, task.Errorf(task.InvalidInput, "%s is not in a git repository", l.Root).WithHint("git init makes it one")
	}
	p := &MergeSetup{layout: l}
	if err := p.planAttributes(remove); err != nil {
		return nil, err
	}
	return p, p.planConfig(ctx, remove)
}

func (p *MergeSetup) planAttributes(remove bool) error {
	have, err := readRegular(p.file())
	if err != nil && !isMissing(err) {
		return ioError(err)
	}
	section := sectionLines
	if remove {
		section = nil
	}
	if want := withSection(string(have), section); want != string(have) {
		p.attrs = &want
		p.list(slashRel(p.layout.Root, p.file()), sectionLines, remove)
	}
	return nil
}

func (p *MergeSetup) planConfig(ctx context.Context, remove bool) error {
	for _, c := range driverConfig {
		have, err := p.layout.Repo.Config(ctx, c.key)
		if err != nil {
			return err
		}
		line := c.key + "=" + c.value
		if remove {
			c.value = ""
		}
		if have != c.value {
			p.config = append(p.config, c)
			p.list("git config", []string{line}, remove)
		}
	}
	return nil
}

func (p *MergeSetup) list(where string, lines []string, remove bool) {
	sign := "+ "
	if remove {
		sign = "- "
	}
	for _, line := range lines {
		p.Lines = append(p.Lines, where+": "+sign+line)
	}
}

func (p *MergeSetup) file() string { return filepath.Join(p.layout.Root, ".gitattributes") }

// Apply makes the changes. A .gitattributes that is left empty goes.
func (p *MergeSetup) Apply(ctx context.Context) error {
	if p.attrs != nil {
		if err := p.writeAttributes(*p.attrs); err != nil {
			return ioError(err)
		}
	}
	for _, c := range p.config {
		if err := p.layout.Repo.SetConfig(ctx, c.key, c.value); err != nil {
			return err
		}
	}
	return nil
}

func (p *MergeSetup) writeAttributes(text string) error {
	if text == "" {
		return disk.RemoveFile(p.file())
	}
	return atomicfile.Write(p.file(), []byte(text), 0o644)
}

// withSection puts the section in place of the one that is there, or at the end. No section takes it out. Nothing else is
// touched.
func withSection(text string, section []string) string {
	eol := "\n"
	if strings.Contains(text, "\r\n") {
		eol = "\r\n"
	}
	lines := ""
	for _, line := range section {
		lines += line + eol
	}
	before, rest, found := strings.Cut(text, sectionBegin)
	if !found {
		if lines != "" && text != "" && !strings.HasSuffix(text, "\n") {
			text += eol
		}
		return text + lines
	}
	_, after, closed := strings.Cut(rest, sectionEnd)
	if !closed {
		return text // somebody has taken it apart; their file
	}
	return before + lines + strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n")
}
