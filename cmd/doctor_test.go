package cmd

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/doctor"
)

// inStory reports whether a story about doctor shows a finding of a kind, with its severity.
func inStory(t *testing.T, id proof.RuleID, severity proof.Severity) bool {
	form := regexp.MustCompile(fmt.Sprintf(`(?m)^stdout '\^%-7s  %s\b`, severity, id))
	for _, s := range stories(t) {
		if strings.HasPrefix(s.name, "doctor-") && form.MatchString(strings.Join(s.lines, "\n")) {
			return true
		}
	}
	return false
}

func TestEveryFindingHasAStory(t *testing.T) {
	if len(doctor.Rules) == 0 {
		t.Fatal("there are no kinds of findings")
	}
	for _, k := range doctor.Rules {
		if !inStory(t, k.ID, k.Severity) {
			t.Errorf("no story shows the finding %s as %s", k.ID, k.Severity)
		}
	}
}

// The rules of proof have stories of their own; a story of doctor shows that it applies them. No kind has the name of a
// rule.
func TestDoctorAsksTheRules(t *testing.T) {
	shown := false
	for _, r := range proof.Rules {
		shown = shown || inStory(t, r.ID, r.Severity)
		for _, k := range doctor.Rules {
			if k.ID == r.ID {
				t.Errorf("%s is a rule and a kind", k.ID)
			}
		}
	}
	if !shown {
		t.Error("no story of doctor shows a rule")
	}
}
