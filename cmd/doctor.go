package cmd

import (
	"cmp"
	"context"
	"fmt"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/doctor"
	"github.com/cairn-tasks/cairn/internal/work"
)

// exitFindings is the exit number of check and doctor if something is wrong.
const exitFindings = 1

// doctorResult is what doctor found, and repaired. Under one number of Schema, fields are only added.
type doctorResult struct {
	Schema    int                    `json:"schema"`
	Workspace string                 `json:"workspace"`
	Healthy   bool                   `json:"healthy"` // nothing is wrong, or all of it was repaired
	Summary   map[proof.Severity]int `json:"summary"`
	Findings  []doctor.Finding       `json:"findings"`
}

// repairResult is a finding that is none any more.
type repairResult struct{ doctor.Finding }

type doctorIn struct {
	Fix    bool `json:"fix,omitempty" doc:"make the changes that are shown, after you agree; nothing is lost by any of them"`
	DryRun bool `json:"dry_run,omitempty" doc:"show what --fix would do, and change nothing"`
	Yes    bool `json:"yes,omitempty" doc:"do not ask"`
}

func doctorCommands() []command {
	return []command{declare(command{
		name:  "doctor",
		usage: "Examine the workspace and this clone of it; say what is wrong and repair what is safe to repair.",
		group: "workspace",
		about: "It looks for entries that an editor saved over or git replaced, broken files, leftovers of killed writers, claims and sessions without\n" +
			"heartbeats, and how git, the merge driver, trust and signing are set up. Each finding says what to do about it. It exits\n" +
			"with 1 if there are errors or warnings left, and with 0 if there are notices only.",
	}, runDoctor)}
}

func runDoctor(ctx context.Context, c *call, in doctorIn) error {
	w, s, err := c.open(ctx)
	if err != nil {
		return err
	}
	work.Sweep(ctx, s)
	findings, err := doctor.Visit{Store: s, Actor: w.Actor(), Now: c.Now, Home: c.home(), ConfigDir: w.ConfigDir, Spell: catalogue.CommandLine}.Examine(ctx)
	if err != nil {
		return err
	}
	if !c.json {
		c.show(resultOf(s.Root, findings))
	}
	var failed error
	if in.Fix && !in.DryRun {
		failed = c.repair(ctx, findings, in.Yes)
	}
	r := resultOf(s.Root, findings)
	if !r.Healthy {
		c.exit = exitFindings
	}
	if c.json && failed == nil {
		c.printJSON(r)
	}
	return failed
}

// repair makes the changes that were shown, all of them even if one fails. It returns the first failure.
func (p *call) repair(ctx context.Context, findings []doctor.Finding, yes bool) (failed error) {
	if fixable(findings) == 0 {
		return nil
	}
	if err := p.agree(ctx, yes, "cairn doctor --fix --yes makes the changes"); err != nil {
		return err
	}
	for i := range findings {
		f := &findings[i]
		if !f.Fixable {
			continue
		}
		if err := f.Repair(ctx); err != nil {
			failed = cmp.Or(failed, err)
		} else if !p.json {
			p.show(repairResult{*f})
		}
	}
	return failed
}

func fixable(findings []doctor.Finding) int {
	n := 0
	for _, f := range findings {
		if f.Fixable {
			n++
		}
	}
	return n
}

func resultOf(root string, findings []doctor.Finding) doctorResult {
	r := doctorResult{Schema: 1, Workspace: root, Healthy: true, Findings: append([]doctor.Finding{}, findings...)}
	r.Summary = map[proof.Severity]int{proof.Error: 0, proof.Warning: 0, proof.Notice: 0}
	for _, f := range findings {
		r.Summary[f.Severity]++
		r.Healthy = r.Healthy && !f.Matters()
	}
	return r
}

func (r doctorResult) Verdict() string {
	if r.Summary[proof.Error]+r.Summary[proof.Warning] == 0 {
		return "healthy"
	}
	text := fmt.Sprintf("errors: %d, warnings: %d", r.Summary[proof.Error], r.Summary[proof.Warning])
	if n := fixable(r.Findings); n > 0 {
		text += fmt.Sprintf("; cairn doctor --fix repairs %d", n)
	}
	return text
}
