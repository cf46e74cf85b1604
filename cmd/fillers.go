package cmd

import (
	"strings"

	"github.com/cairn-tasks/cairn/verb"
	"github.com/urfave/cli/v3"
)

// Two shapes of input want more of the command line than one flag a field: checks, and a verdict.

func checkFlags(f verb.Field) []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "check", Local: true, Usage: f.Doc + ", as `'DESC=COMMAND'`; may be repeated"},
		&cli.StringSliceFlag{Name: "manual", Local: true, Usage: "a check that a person attests, as `DESC`; may be repeated"},
	}
}

// checksFromFlags reads --check and --manual as the objects of a field. One empty --check clears the list.
func checksFromFlags(c *cli.Command, f verb.Field, in map[string]any) error {
	if !c.IsSet("check") && !c.IsSet("manual") {
		return nil
	}
	checks := []map[string]any{}
	for _, text := range cleared(c.StringSlice("check")) {
		desc, cmd, ok := strings.Cut(text, "=")
		if !ok || strings.TrimSpace(cmd) == "" {
			return usage("--check %q names no command", text).WithHint("--check 'tests pass=go test ./...'; --manual for one without a command")
		}
		checks = append(checks, map[string]any{"desc": strings.TrimSpace(desc), "cmd": strings.TrimSpace(cmd)})
	}
	for _, desc := range c.StringSlice("manual") {
		checks = append(checks, map[string]any{"desc": desc, "type": "manual"})
	}
	in[f.Name] = checks
	return nil
}

func verdictFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "pass", Local: true, Usage: "it is as the check demands"},
		&cli.BoolFlag{Name: "fail", Local: true, Usage: "it is not"},
	}
}

func verdictFromFlags(c *cli.Command, f verb.Field, in map[string]any) error {
	pass, fail := c.Bool("pass"), c.Bool("fail")
	if pass && fail {
		return usage("--pass and --fail exclude each other").WithHint("leave out the one that does not hold")
	}
	if !pass && !fail {
		if _, given := in[f.Name]; !given {
			return usage("says neither --pass nor --fail").WithHint("add the one that holds")
		}
		return nil
	}
	in[f.Name] = pass
	return nil
}
