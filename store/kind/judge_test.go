package kind_test

import (
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/kind"
)

// The pages and the reports list proof.Rules, and a tree is judged by the rules of the table: both have the rules of
// every kind.
func TestRulesOfEveryKindAreListed(t *testing.T) {
	rules := 0
	for _, k := range kind.Kinds() {
		of, _ := k.Proof()
		for _, rule := range of.Rules {
			rules++
			if !slices.Contains(proof.Rules, rule) {
				t.Errorf("%s of a %s is not in proof.Rules", rule.ID, k.Name)
			}
		}
	}
	if rules == 0 {
		t.Error("no kind has a rule")
	}
}
