package report

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/jstemmer/go-junit-report/v2/junit"
)

// junit writes a suite for each group of rules. A rule without findings is a case that passed, so that a report is
// never empty; a rule with findings has a case for each file. Findings that do not fail the check are in the output of
// their case. The commands that were run are cases of a suite of their own.
func (r Report) junit(b *bytes.Buffer) error {
	all := junit.Testsuites{Name: "cairn check"}
	for _, group := range proof.Groups {
		if group != proof.RunGroup {
			all.AddSuite(r.suite(group))
		}
	}
	if len(r.Ran) > 0 {
		all.AddSuite(r.commands())
	}
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>` + "\n")
	return all.WriteXML(b)
}

func (r Report) suite(group proof.Group) junit.Testsuite {
	suite := junit.Testsuite{Name: string(group), Time: seconds(0)}
	for _, rule := range proof.Rules {
		if rule.Group != group {
			continue
		}
		cases := r.cases(rule)
		if len(cases) == 0 {
			cases = []junit.Testcase{{Name: string(rule.ID), Classname: class(group)}}
		}
		for _, c := range cases {
			suite.AddTestcase(c)
		}
	}
	return suite
}

// cases returns a case for each file that a rule has findings in.
func (r Report) cases(rule proof.Rule) []junit.Testcase {
	var out []junit.Testcase
	found := slices.DeleteFunc(slices.Clone(r.Findings), func(f proof.Finding) bool { return f.Rule != rule.ID })
	for len(found) > 0 {
		n := slices.IndexFunc(found, func(f proof.Finding) bool { return f.Path != found[0].Path })
		if n < 0 {
			n = len(found)
		}
		out = append(out, r.testcase(rule, found[:n]))
		found = found[n:]
	}
	return out
}

// testcase is the findings of a rule in one file. The first that fails the check gives the failure its message.
func (r Report) testcase(rule proof.Rule, found []proof.Finding) junit.Testcase {
	c := junit.Testcase{Name: string(rule.ID) + " " + harmless.Line(r.inRepo(found[0])), Classname: class(rule.Group)}
	var failing, passing strings.Builder
	for _, f := range found {
		out := &passing
		if r.Fails(f) {
			out = &failing
			if c.Failure == nil {
				c.Failure = &junit.Result{Message: harmless.Line(f.Message), Type: string(f.Severity)}
			}
		}
		fmt.Fprintf(out, "%s: %s: %s\n", line(r.inRepo(f), f.Line), f.Severity, described(f))
	}
	if c.Failure != nil {
		c.Failure.Data = failing.String()
	}
	if passing.Len() > 0 {
		c.SystemOut = &junit.Output{Data: passing.String()}
	}
	return c
}

func (r Report) commands() junit.Testsuite {
	suite := junit.Testsuite{Name: string(proof.RunGroup)}
	var total float64
	for _, ran := range r.Ran {
		total += ran.Duration.Seconds()
		c := junit.Testcase{
			Name: names(ran) + ": " + harmless.Line(ran.Desc), Classname: class(proof.RunGroup), Time: seconds(ran.Duration.Seconds()),
		}
		if !ran.Passed {
			c.Failure = &junit.Result{Message: harmless.Line(ran.Summary), Type: string(proof.CheckFailed.ID), Data: harmless.Text(ran.Output)}
		}
		suite.AddTestcase(c)
	}
	suite.Time = seconds(total)
	return suite
}

// named is how many tasks of a command names lists.
const named = 3

// names lists the tasks of a command, the first ones by id.
func names(ran Ran) string {
	var ids []string
	for _, id := range ran.Tasks[:min(len(ran.Tasks), named)] {
		ids = append(ids, harmless.Line(string(id)))
	}
	return strings.Join(ids, ", ") + record.AndMore(len(ran.Tasks)-len(ids))
}

func class(group proof.Group) string { return "cairn." + string(group) }

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
