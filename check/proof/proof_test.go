package proof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/rogpeppe/go-internal/txtar"
)

// situation is one small tree of testdata, in the folder of the rule that it is about: a sentence, the files, and the
// findings.
type situation struct {
	rule    proof.RuleID
	name    string
	path    string
	archive *txtar.Archive
}

// want returns the file that holds the findings.
func (s situation) want() *txtar.File { return &s.archive.Files[len(s.archive.Files)-1] }

// fires reports whether the rule that the situation is about finds something in it.
func (s situation) fires() bool {
	return strings.Contains(string(s.want().Data), ": "+string(s.rule)+": ")
}

func situations(t testing.TB) []situation {
	t.Helper()
	paths, err := filepath.Glob("testdata/*/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no situations (%v)", err)
	}
	var out []situation
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil || len(a.Files) < 2 || a.Files[len(a.Files)-1].Name != "want" {
			t.Fatalf("%s has no files, or does not end with what it wants (%v)", path, err)
		}
		out = append(out, situation{
			rule: proof.RuleID(filepath.Base(filepath.Dir(path))), name: strings.TrimSuffix(filepath.Base(path), ".txtar"),
			path: path, archive: a,
		})
	}
	return out
}

// UPDATE=1 writes what is found into the situations.
func TestJudge(t *testing.T) {
	for _, s := range situations(t) {
		t.Run(string(s.rule)+"/"+s.name, func(t *testing.T) {
			got := list(judge(t, s.archive))
			if os.Getenv("UPDATE") != "" {
				s.want().Data = []byte(got)
				if err := os.WriteFile(s.path, txtar.Format(s.archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(s.want().Data); got != want {
				t.Errorf("%sgot\n%s\nwant\n%s", s.archive.Comment, got, want)
			}
		})
	}
}

// A rule that never fires, or that nothing passes, is not shown to work.
func TestEveryRuleHasSituations(t *testing.T) {
	fires, passes := map[proof.RuleID]bool{}, map[proof.RuleID]bool{}
	for _, s := range situations(t) {
		if !slices.ContainsFunc(proof.Rules, func(r proof.Rule) bool { return r.ID == s.rule }) {
			t.Errorf("%s is about a rule that does not exist", s.path)
		}
		if s.fires() {
			fires[s.rule] = true
		} else {
			passes[s.rule] = true
		}
	}
	for _, h := range histories(t, "cheats") {
		for _, rule := range proof.Rules {
			if h.finds(rule.ID) {
				fires[rule.ID], passes[rule.ID] = true, true // all honest histories pass every rule
			}
		}
	}
	for _, rule := range proof.Rules {
		if rule.Group == proof.RunGroup {
			continue // found by running commands, not by judging a tree
		}
		if !fires[rule.ID] || !passes[rule.ID] {
			t.Errorf("%s: a situation in which it fires: %v; one in which it does not: %v", rule.ID, fires[rule.ID], passes[rule.ID])
		}
	}
}

// Each rule is declared in full, and once.
func TestRules(t *testing.T) {
	seen := map[proof.RuleID]bool{}
	for _, rule := range proof.Rules {
		if seen[rule.ID] || rule.Group == "" || rule.Summary == "" || rule.Fix == "" || !slices.Contains(proof.Severities, rule.Severity) {
			t.Errorf("%+v is declared twice, or not in full", rule)
		}
		seen[rule.ID] = true
	}
	if len(seen) == 0 {
		t.Fatal("there are no rules")
	}
}

// judge writes the files of a situation to the disk and has the store read them. A situation without a config gets one
// with the settings of init that the rules depend on.
func judge(t testing.TB, a *txtar.Archive) []proof.Finding {
	t.Helper()
	root := t.TempDir()
	write(t, root, ".cairn/config.yaml", []byte("abandoned: [canceled]\n"))
	for _, f := range a.Files[:len(a.Files)-1] {
		write(t, root, f.Name, f.Data)
	}
	l, err := layout.At(root)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := storetest.Judge(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	return findings
}

func write(t testing.TB, root, name string, data []byte) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// list writes each finding on a line, and its fix on the next.
func list(findings []proof.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s:%d: %s: %s: %s\n  %s\n", strings.TrimPrefix(f.Path, ".cairn/"), f.Line, f.Severity, f.Rule, f.Message, f.Fix)
	}
	return b.String()
}
