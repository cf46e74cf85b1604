package cmd

import (
	"context"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/doctor"
	"github.com/urfave/cli/v3"
)

// exitFindings is the exit number of doctor where something is wrong.
const exitFindings = 1

// doctorResult is what doctor found, and repaired. Schema is the number of the promise that fields are only ever added.
type doctorResult struct {
	Schema    int                    `json:"schema"`
	Workspace string                 `json:"workspace"`
	Healthy   bool                   `json:"healthy"` // nothing is wrong, or no longer
	Summary   map[proof.Severity]int `json:"summary"`
	Findings  []doctor.Finding       `json:"findings"`
}

func (p *program) doctorCommand() *cli.Command {
	return &cli.Command{
		Name:     "doctor",
		Usage:    "Examine the workspace and this clone of it; say what is wrong and repair what is safe to repair.",
		Category: "workspace",
		Description: "It looks for entries that an editor saved over or git replaced, broken files, leftovers of killed writers, claims and sessions without\n" +
			"a sign of life, and how git, the merge driver, trust and signing are set up. Each finding says what to do about it. It exits\n" +
			"with 1 if there are errors or warnings left, and with 0 if there are notices only.",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "fix", Local: true, Usage: "make the changes that are shown, once that is agreed to; nothing is lost by any of them"},
			&cli.BoolFlag{Name: "dry-run", Local: true, Usage: "show what --fix would do, and change nothing"},
			&cli.BoolFlag{Name: "yes", Local: true, Usage: "do not ask"},
		},
		Action: p.runDoctor,
	}
}

func (p *program) runDoctor(ctx context.Context, c *cli.Command) error {
	if err := noArguments(c); err != nil {
		return err
	}
	w, s, err := p.open(ctx, c)
	if err != nil {
		return err
	}
	findings, err := doctor.Visit{Store: s, Actor: w.Actor, Now: p.Now, Home: p.home()}.Examine(ctx)
	if err != nil {
		return err
	}
	if !p.json {
		p.renderFindings(findings)
	}
	var failed error
	if c.Bool("fix") && !c.Bool("dry-run") {
		failed = p.repair(ctx, findings, c.Bool("yes"))
	}
	r := resultOf(s.Root, findings)
	if !r.Healthy {
		p.exit = exitFindings
	}
	if p.json && failed == nil {
		p.printJSON(r)
	}
	return failed
}

// repair makes the changes that were shown. One that fails keeps no other from being made, and the first failure returns.
func (p *program) repair(ctx context.Context, findings []doctor.Finding, yes bool) error {
	n := fixable(findings)
	if n == 0 {
		return nil
	}
	if !yes {
		if err := p.agree(ctx, "cairn doctor --fix --yes makes the changes"); err != nil {
			return err
		}
	}
	var failed error
	for i := range findings {
		f := &findings[i]
		if !f.Fixable {
			continue
		}
		if err := f.Repair(ctx); err != nil {
			if failed == nil {
				failed = err
			}
			continue
		}
		if !p.json {
			p.printf("repaired %s\n", placeOf(*f))
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
