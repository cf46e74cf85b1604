package store

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// The lines that name the merge driver for the files of a workspace. Patterns are relative to the folder of
// .gitattributes.
const (
	sectionBegin = "# cairn: begin; cairn setup merge-driver --remove takes these lines out"
	sectionEnd   = "# cairn: end"
)

var sectionLines = []string{sectionBegin, ".cairn/**/*.md merge=cairn", ".cairn/**/*.yaml merge=cairn", sectionEnd}

const driverKey = "merge.cairn.driver"

// driverConfig is the config of the driver. It belongs into each clone's own config, since cloning does not copy it.
var driverConfig = []struct{ key, value string }{
	{"merge.cairn.name", "cairn: merge tasks key by key"},
	{driverKey, "cairn merge-driver %O %A %B %L %P"},
}

// MergeSetup is the changes that installing or removing the merge driver would make.
type MergeSetup struct {
	Lines []string // the changes, for people
	apply []func(context.Context) error
}

// MergeDriver says whether the merge driver is installed in a clone. It needs both the attributes and the config.
type MergeDriver struct {
	Attributes bool   // .gitattributes names it for the files of this workspace
	Command    string // of the driver in git's config, that of the user included; "" if there is none
	Installed  bool   // the clone's own config has a command
}

// MergeDriverOf reads how the merge driver is installed. Outside git it is not.
func MergeDriverOf(ctx context.Context, l layout.Layout) (d MergeDriver, err error) {
	if l.Repo == nil {
		return d, nil
	}
	d.Attributes = true
	for _, name := range []string{kind.Tasks.File("ANY-1"), kind.Tasks.FileIn(kind.Tasks.RestIn("2026-01"), "ANY-1")} {
		attr, err := l.Repo.Config().Attribute(ctx, "merge", layout.SlashRel(l.Worktree, l.Abs(name)))
		if err != nil {
			return d, err
		}
		d.Attributes = d.Attributes && attr == "cairn"
	}
	own, err := l.Repo.Config().Own(ctx, driverKey)
	if err != nil {
		return d, err
	}
	d.Installed = own != ""
	d.Command, err = l.Repo.Config().Get(ctx, driverKey)
	return d, err
}

// PlanMergeDriver returns what installing the merge driver in a clone, or removing it, would change. It writes nothing.
// Outside git it returns INVALID_INPUT.
func PlanMergeDriver(ctx context.Context, l layout.Layout, remove bool) (*MergeSetup, error) {
	if l.Repo == nil {
		return nil, record.Errorf(record.InvalidInput, "%s is not in a git repository", l.Root).WithHint("git init makes it one")
	}
	p, sign, section := &MergeSetup{}, "+ ", sectionLines
	if remove {
		sign, section = "- ", nil
	}
	add := func(where string, lines []string, apply func(context.Context) error) {
		for _, line := range lines {
			p.Lines = append(p.Lines, where+": "+sign+line)
		}
		p.apply = append(p.apply, apply)
	}
	file := filepath.Join(l.Root, ".gitattributes")
	have, err := layout.ReadFile(file)
	if err != nil && !problem.Missing(err) {
		return nil, problem.IO(err)
	}
	if want := withSection(string(have), section); want != string(have) {
		add(layout.SlashRel(l.Root, file), sectionLines, func(context.Context) error {
			if want == "" {
				return problem.IO(disk.RemoveFile(file))
			}
			return problem.IO(atomicfile.Write(file, []byte(want), 0o644))
		})
	}
	for _, c := range driverConfig {
		have, err := l.Repo.Config().Own(ctx, c.key)
		if err != nil {
			return nil, err
		}
		want := c.value
		if remove {
			want = ""
		}
		if have != want {
			add("git config", []string{c.key + "=" + c.value}, func(ctx context.Context) error {
				return l.Repo.Config().Set(ctx, c.key, want)
			})
		}
	}
	return p, nil
}

// Apply makes the changes. It removes a .gitattributes that becomes empty.
func (p *MergeSetup) Apply(ctx context.Context) error {
	for _, apply := range p.apply {
		if err := apply(ctx); err != nil {
			return err
		}
	}
	return nil
}

// WithMergeDriver is a .gitattributes with the lines that name the merge driver for the files of the workspace beside it.
func WithMergeDriver(attributes string) string { return withSection(attributes, sectionLines) }

// withSection replaces the section in a text, or appends it; an empty one removes it. The rest of the text stays as it
// is.
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
		return text // a person has changed the section
	}
	return before + lines + strings.TrimPrefix(strings.TrimPrefix(after, "\r"), "\n")
}
