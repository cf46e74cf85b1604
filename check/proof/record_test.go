package proof_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/snapshot"
	"github.com/cairn-tasks/cairn/task"
)

var taskless = proof.Rule{ID: "recipe-without-a-task", Group: proof.GraphGroup, Severity: proof.Warning, Summary: "a recipe is for no task", Fix: "give it a task"}

// recipe is a kind of record that only this test has: a recipe needs a task that exists.
var recipe = proof.Kind{
	Name:  "recipe",
	Rules: []proof.Rule{taskless},
	Judge: func(c *proof.Case) {
		if id, _ := c.Now.Value.(record.ID); !c.HasTask(id) {
			c.Report(taskless, proof.Path{"for"}, "is for %q, which does not exist", id)
		}
	},
}

// recipeFile is the file of a recipe with some entries.
func recipeFile(name, id string, of record.ID, log ...record.Entry) *proof.RecordFile {
	src := fmt.Sprintf("id: %s\nfor: %s\nprovenance:\n", id, of)
	for _, e := range log {
		src += fmt.Sprintf("  - {who: '%s', at: %s, did: %s}\n", e.Who, e.At.Format(time.RFC3339), e.Did)
	}
	return &proof.RecordFile{
		File: proof.File{Path: ".cairn/recipes/" + name + ".yaml", Src: []byte(src), Parse: snapshot.ParseYAML,
			Ref: record.Ref{Kind: recipe.Name, ID: name}, Head: record.Header{Ref: record.Ref{Kind: recipe.Name, ID: id}, Log: log}},
		Value: of,
	}
}

func recipes(files ...*proof.RecordFile) proof.Tree {
	return proof.Tree{
		Config:  proof.ConfigFile{Flow: kind.DefaultConfig().Flow},
		Tasks:   []*proof.TaskFile{{File: proof.File{Ref: record.ID("A-1").Ref(), Head: record.Header{Ref: record.ID("A-1").Ref()}}, Task: task.Task{ID: "A-1", Title: "Bake", Status: "backlog"}}},
		Records: files, Kinds: []proof.Kind{recipe},
	}
}

func noted(who record.Actor, minute int) record.Entry {
	return record.Entry{Who: who, At: noon.Add(time.Duration(minute) * time.Minute), Did: record.Noted}
}

// One declaration gives a new kind of record the rules that all records share, and its own beside them.
func TestAKindOfItsOwn(t *testing.T) {
	bread := recipeFile("bread", "bread", "A-1", noted("agent:a", 0), noted("agent:a", 1))
	unread := recipeFile("bread", "bread", "A-1")
	unread.Unread = &proof.FormatError{Rule: proof.DuplicateKey, Line: 2, Msg: "for stands twice", Err: fmt.Errorf("twice")}
	for name, test := range map[string]struct {
		now  []*proof.RecordFile
		base []*proof.RecordFile // nil for none
		want string
	}{
		"sound":                 {now: []*proof.RecordFile{bread}},
		"cannot be read":        {now: []*proof.RecordFile{unread}, want: "bread.yaml:2: error: duplicate-key"},
		"has another id":        {now: []*proof.RecordFile{recipeFile("bread", "cake", "A-1")}, want: "bread.yaml:1: error: id-mismatch"},
		"has a rule of its own": {now: []*proof.RecordFile{recipeFile("bread", "bread", "A-2")}, want: "bread.yaml:2: warning: recipe-without-a-task"},
		"differs in case": {
			now:  []*proof.RecordFile{bread, recipeFile("Bread", "Bread", "A-1")},
			want: "Bread.yaml:1: error: case-clash",
		},
		"is unchanged": {now: []*proof.RecordFile{bread}, base: []*proof.RecordFile{bread}},
		"is appended to": {
			now:  []*proof.RecordFile{recipeFile("bread", "bread", "A-1", noted("agent:a", 0), noted("agent:a", 1), noted("agent:b", 2))},
			base: []*proof.RecordFile{bread},
		},
		"is rewritten": {
			now:  []*proof.RecordFile{recipeFile("bread", "bread", "A-1", noted("agent:a", 0), noted("human:ann", 1))},
			base: []*proof.RecordFile{bread},
			want: "bread.yaml:3: error: provenance-rewritten",
		},
		"has an entry in the past": {
			now:  []*proof.RecordFile{recipeFile("bread", "bread", "A-1", noted("agent:a", 0), noted("agent:a", 1), noted("agent:b", -1))},
			base: []*proof.RecordFile{bread},
			want: "bread.yaml:6: error: provenance-rewritten",
		},
		"is from the future": {
			now:  []*proof.RecordFile{recipeFile("bread", "bread", "A-1", noted("agent:a", 3000))},
			base: []*proof.RecordFile{},
			want: "bread.yaml:4: error: time-ahead",
		},
		"is deleted": {base: []*proof.RecordFile{bread}, want: "bread.yaml:0: warning: record-deleted"},
	} {
		t.Run(name, func(t *testing.T) {
			found := proof.Judge(recipes(test.now...))
			if test.base != nil {
				change := proof.Compare(recipes(test.now...), recipes(test.base...))
				change.Newest = noon
				change.History = oneCommit{}
				found = change.Judge()
			}
			var got []string
			for _, f := range found {
				got = append(got, fmt.Sprintf("%s:%d: %s: %s", strings.TrimPrefix(f.Path, ".cairn/recipes/"), f.Line, f.Severity, f.Rule))
			}
			if strings.Join(got, "\n") != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// The config sets the severity of a rule that a kind of the tree brings, and no such rule is taken for a misspelt one.
func TestTheConfigKnowsTheRulesOfAKind(t *testing.T) {
	tree := recipes(recipeFile("bread", "bread", "A-2"))
	tree.Config.Severities = map[proof.RuleID]proof.Severity{"recipe-without-a-task": proof.Error}
	if got := proof.Judge(tree); len(got) != 1 || got[0].Severity != proof.Error {
		t.Errorf("got %+v", got)
	}
	loose := recipes(recipeFile("bread", "bread", "A-2"))
	loose.Config.Severities = map[proof.RuleID]proof.Severity{"recipe-without-a-task": proof.Off}
	change := proof.Compare(loose, tree)
	change.History = oneCommit{}
	got := change.Judge()
	if !slices.ContainsFunc(got, func(f proof.Finding) bool { return f.Rule == proof.ConfigLoosened.ID }) || got[len(got)-1].Severity != proof.Error {
		t.Errorf("got %+v", got)
	}
}

// oneCommit is the history of a change that one commit brought, of which nothing is known but its time.
type oneCommit struct{}

func (oneCommit) Committed(string, string) (has, known bool) { return }

func (oneCommit) BroughtBy(record.ID, record.Entry) (w proof.Written, ok bool) { return }

func (oneCommit) RecordBroughtBy(record.Ref, record.Entry) (proof.WrittenIn, bool) {
	return proof.WrittenIn{At: noon}, true
}

func (oneCommit) DefaultsAt(record.ID, record.Entry) (all []task.Check, known bool) { return }

func (oneCommit) FilesAt(record.ID, record.Entry) (fingerprint string, known bool) { return }

func (oneCommit) HeldSince(record.ID, record.Entry, string) (has, known bool) { return }

func (oneCommit) FilesSince(record.ID, *record.Entry, record.Entry) (proof.FileDiff, bool) {
	return proof.FileDiff{}, false
}

func (oneCommit) FilesUpTo(record.ID, record.Entry, string) (proof.FileDiff, bool) {
	return proof.FileDiff{}, false
}

func (oneCommit) Merged(record.ID, record.Entry) (m proof.Merge, known bool) { return }
