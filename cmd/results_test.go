package cmd

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/doctor"
	"github.com/cairn-tasks/cairn/internal/setup"
	files "github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/internal/work/job"
	"github.com/cairn-tasks/cairn/internal/work/verb/jobs"
)

// What commands print for people, by the sections about their results.
func TestResultsOfCommands(t *testing.T) {
	finding := doctor.Finding{
		ID: "broken-file", Path: "a.md", Line: 3, Severity: proof.Error, Message: "bad", Fix: "mend it", Changes: []string{"- x"}, Fixable: true,
	}
	for _, c := range []struct {
		result any
		want   string
	}{
		{initResult{Workspace: "/w", Prefix: "W"}, "/w is a workspace already (prefix W)\nIt has tasks or commands that came from elsewhere: " +
			"cairn trust lists the commands before any of them runs.\n"},
		{initResult{Made: []string{"config.yaml"}, Outer: "/", MergeDriver: []string{"line"}, Trusted: true}, "wrote config.yaml\n" +
			"It lies in the workspace /; commands in this folder do not work on that one any longer.\nline\n" +
			"Next: cairn add 'what is to be done', and commit .cairn.\n"},
		{setupList{Clients: []client{{"codex", "Codex", true, "set up"}}, MergeDriver: "not"}, "NAME  STATE  -  WHAT\n" +
			"codex  set up  used here  Codex\nmerge-driver  not  -  merges of tasks, key by key\n\n" +
			"cairn setup NAME shows what it would write, and asks.\n"},
		{clientsResult{Steps: []setup.Step{{Path: "a", Note: "was left alone", About: "server"}, {Path: "b"}}}, "a: the server was left alone\nnothing to do\n"},
		{clientsResult{All: true, Steps: []setup.Step{{Path: "a", Link: "b", About: "server", State: setup.Own}}},
			"a (a link to b): server: set up, with settings of your own\n"},
		{texts{[]text{{"a", "server", "x\n"}, {"b", "hook", "y\n"}}}, "# a: server\nx\n\n# b: hook\ny\n"},
		{skillSyncResult{Changed: []string{"a", "b"}, Files: []files.File{{Path: "a", State: files.Current}, {Path: "c", State: files.Foreign}}},
			"wrote a\nremoved b\nc was written by somebody else, and is left alone\n"},
		{skillSyncResult{InSync: true}, "all skills are in place\n"},
		{trustResult{Workspace: "/w", Trusted: true}, "/w may run the commands of its checks on this machine\n"},
		{
			trustResult{Workspace: "/w", Trusted: true, From: "origin/main"},
			"/w may run the commands of its checks on this machine\nwhat the files of origin/main hold may run too\n",
		},
		{trustResult{Workspace: "/w"}, "/w may no longer run commands on this machine\n"},
		{consents{}, "no clone is trusted on this machine\n"},
		{signerList{Path: "p", Problems: []signersProblem{{3, "bad"}}}, "nobody's signature counts: p names no key\nline 3 grants nothing: bad\n"},
		{signerList{Signers: []signerRow{{Actor: "human:a", Type: "t", Fingerprint: "f", Until: time.Unix(0, 0).UTC(), Says: "yes"}}},
			"ACTOR  KEY  FROM  UNTIL  COUNTS\nhuman:a  t f  -  1970-01-01T00:00:00Z  yes\n"},
		{finds{Found: []find{{"beads", "x", "y"}}}, "found x: cairn import beads shows what it would make\n"},
		{resultOf("/w", []doctor.Finding{finding}), "error    broken-file  a.md:3\n         bad\n           - x\n         fix: mend it\n" +
			"errors: 1, warnings: 0; cairn doctor --fix repairs 1\n"},
		{resultOf("/w", nil), "healthy\n"},
		{repairResult{finding}, "repaired broken-file  a.md:3\n"},
		{workResult{}, "no task is ready for a job; cairn list shows the tasks, and who works on them\n"},
		{workResult{Jobs: []jobs.Job{{Task: "W-1", State: job.Succeeded}, {Task: "W-2", State: job.Succeeded}, {Job: "job-1", State: job.Failed}}},
			"cairn review show W-1 shows what there is to review\n" +
				"cairn job show job-1 shows what became of it, cairn job retry job-1 tries it again\n"},
		{versionResult{Version: "v1", Commit: "0123456789abcdef", Date: "today", Modified: true}, "cairn v1 (commit 0123456789ab of today, modified)\n"},
		{versionResult{Version: "v1"}, "cairn v1\n"},
	} {
		var out bytes.Buffer
		p := &program{Env: Env{Stdout: &out, Stderr: &out, Getenv: func(string) string { return "" }}}
		p.out = &output{to: &out}
		p.show(c.result)
		if got := out.String(); got != c.want {
			t.Errorf("%T:\n%s\nwant\n%s", c.result, got, strings.TrimRight(c.want, "\n"))
		}
	}
}
