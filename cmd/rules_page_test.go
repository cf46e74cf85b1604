package cmd

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
)

const rulesIntro = `# Rules

These are the rules that ` + "`cairn check`" + ` holds a record against, and ` + "`cairn doctor`" + ` those of them that need no history.
A finding says what is wrong, where, and how to fix it. It fails the check if it is as grave as ` + "`--fail-on`" + `, which
is error unless told.

The severity here is the greatest that a rule gives. ` + "`rules`" + ` in config.yaml sets another, and off drops the findings:

    rules: {evidence-unhashed: off, command-changed: warning}

Ids are stable: none is ever given a second meaning.

`

// about says what the rules of a group have in common.
var about = map[proof.Group]string{
	proof.FileGroup:    "A file is the record or the config that it should be.",
	proof.GraphGroup:   "Dependencies and parents lead somewhere, and in no circle.",
	proof.GateGroup:    "A closed task has passed its checks, and the record says how. Evidence belongs to the moment of the close: later commits do not make it stale.",
	proof.HistoryGroup: "What a change does to the record is accounted for by entries, and entries are only ever appended. These rules need a base.",
	proof.TrustGroup:   "What whoever reviews a change should look at. These rules need a base.",
	proof.HygieneGroup: "What is harmless and most likely a mistake.",
	proof.RunGroup:     "What `cairn check --run` shows. Nothing is run without it.",
}

func rulesPage() string {
	var b strings.Builder
	b.WriteString(generatedMark + rulesIntro)
	b.WriteString(rulesTable())
	for _, group := range proof.Groups {
		fmt.Fprintf(&b, "## Rules about: %s\n\n%s\n\n", group, about[group])
		for _, rule := range proof.Rules {
			if rule.Group == group {
				fmt.Fprintf(&b, "### %s\n\n%s\n\n**%s.** To fix it: %s\n\n", rule.ID, sentence(rule.Summary), rule.Severity, withStop(rule.Fix))
			}
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func rulesTable() string {
	rows := [][]string{{"rule", "about", "severity", "what it finds"}}
	for _, rule := range proof.Rules {
		rows = append(rows, []string{fmt.Sprintf("[%s](#%s)", rule.ID, rule.ID), string(rule.Group), string(rule.Severity), rule.Summary})
	}
	return markdown(rows)
}

func withStop(text string) string { return strings.TrimSuffix(text, ".") + "." }

// A group that nobody describes has an empty section.
func TestEveryGroupIsDescribed(t *testing.T) {
	for _, group := range proof.Groups {
		if about[group] == "" {
			t.Errorf("the rules of %s are about nothing", group)
		}
	}
}

// sentence begins with a capital letter and ends with a full stop.
func sentence(text string) string {
	text = strings.ToUpper(text[:1]) + text[1:]
	return strings.TrimSuffix(text, ".") + "."
}
