package cmd

import (
	"context"
	"runtime/debug"

	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/urfave/cli/v3"
)

// Who builds from files without a git history says what they are: go build -ldflags '-X
// github.com/cairn-tasks/cairn/cmd.builtCommit=...'.
var builtVersion, builtCommit, builtDate string

// Version is the version of the program: what the build said, else what the Go toolchain stamped: a tag, or "(devel)"
// for a build from a work tree.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	switch {
	case builtVersion != "":
		return builtVersion
	case ok && info.Main.Version != "":
		return info.Main.Version
	}
	return "(devel)"
}

// versionResult is what version prints. Schema is the version of all JSON output: under one number fields are only
// added.
type versionResult struct {
	Version  string `json:"version"`
	Schema   int    `json:"schema"`
	Format   int    `json:"format"`
	Commit   string `json:"commit,omitempty"`   // empty if the build knew none, as in go install of a version
	Date     string `json:"date,omitempty"`     // of the commit, as RFC 3339
	Modified bool   `json:"modified,omitempty"` // files differed from the commit
	Go       string `json:"go"`
}

// built is the version of this program, with the commit that it was built of.
func built() versionResult {
	v := versionResult{Version: Version(), Schema: 1, Format: kind.Format, Commit: builtCommit, Date: builtDate}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return v
	}
	v.Go = info.GoVersion
	if builtCommit != "" {
		return v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Date = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
	return v
}

func (v versionResult) String() string {
	text := "cairn " + v.Version
	if v.Commit == "" {
		return text
	}
	text += " (commit " + v.Commit[:min(len(v.Commit), 12)]
	if v.Date != "" {
		text += " of " + v.Date
	}
	if v.Modified {
		text += ", modified"
	}
	return text + ")"
}

// versionCommand is cairn version.
type versionCommand struct{ *program }

func (p versionCommand) command() *cli.Command {
	return &cli.Command{
		Name:     "version",
		Usage:    "Print the version, and the commit that it was built of.",
		Category: "workspace",
		Action: func(_ context.Context, c *cli.Command) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return p.print()
		},
	}
}

func (p versionCommand) print() error {
	if p.json {
		p.printJSON(built())
		return nil
	}
	p.printf("%s\n", built())
	return nil
}
