package transfer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/verbtest"
)

type items = []verbtest.Args

func imported(t *testing.T, w *verb.Workspace, all items) transfer.ImportOut {
	t.Helper()
	out, err := verbtest.Call[transfer.ImportOut](t, w, "import", verbtest.Args{"source": "jira", "items": all})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func get(t *testing.T, w *verb.Workspace, id record.ID) verb.Task {
	t.Helper()
	out, err := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": id, "mode": "full"})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// configure adds lines to the config of a workspace.
func configure(t *testing.T, w *verb.Workspace, text string) {
	t.Helper()
	path := filepath.Join(w.Dir, ".cairn", "config.yaml")
	had, err := os.ReadFile(path)
	if err == nil {
		had = regexp.MustCompile(`(?m)^default_checks:.*\n`).ReplaceAll(had, nil)
		err = os.WriteFile(path, append(had, text...), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// lost are the fields that have no place, with their counts.
func lost(out transfer.ImportOut) map[string]int {
	fields := map[string]int{}
	for _, n := range out.NoPlace {
		fields[n.Field] = n.Count
	}
	return fields
}

// What was imported before is left as it is, even if it changed on either side; what is new may depend on it.
func TestImportTwice(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	first := imported(t, w, items{{"ref": "J-1", "title": "One"}, {"ref": "J-2", "title": "Two", "deps": []string{"J-1"}}})
	if first.Made != 2 || first.Deps != 1 {
		t.Fatalf("made %+v", first)
	}
	one := first.Tasks[0].ID
	if _, err := verbtest.Call[verb.Task](t, w, "update", verbtest.Args{"id": one, "title": "One, here"}); err != nil {
		t.Fatal(err)
	}
	second := imported(t, w, items{{"ref": "J-1", "title": "One, there"}, {"ref": "J-2", "title": "Two"}, {"ref": "J-3", "title": "Three", "deps": []string{"J-1"}, "parent": "J-2"}})
	if second.Made != 1 || second.Known != 2 {
		t.Fatalf("made %+v", second)
	}
	three := get(t, w, second.Tasks[0].ID)
	if !slices.Equal(three.Deps, []record.ID{one}) || three.Parent != first.Tasks[1].ID || get(t, w, one).Title != "One, here" {
		t.Errorf("it depends on %v, below %s", three.Deps, three.Parent)
	}
}

// Whatever an item says of itself, no check passes by an import, and nothing is done that the workspace's definition of
// done asks more of.
func TestAnImportPassesNoCheck(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	closed := items{{"ref": "J-1", "title": "One", "state": "done", "closed": "2026-01-02", "acceptance": []string{"it holds"}, "checks": []verbtest.Args{{"desc": "runs", "cmd": "false"}}}}
	one := get(t, w, imported(t, w, closed).Tasks[0].ID)
	if one.Status != "done" || len(one.Checks) != 0 || !strings.Contains(one.Body, "- it holds") || !strings.Contains(one.Body, "`false`") {
		t.Errorf("closed: %s with %v: %s", one.Status, one.Checks, one.Body)
	}
	if last := one.Provenance[len(one.Provenance)-1]; !strings.Contains(last.Text, "closed in jira, 2026-01-02; no check was run here") || len(last.Results) > 0 {
		t.Errorf("its last entry is %+v", last)
	}
	configure(t, w, "default_checks:\n  - desc: tests pass\n    cmd: go test ./...\n")
	out := imported(t, w, items{{"ref": "J-2", "title": "Two", "state": "done"}, {"ref": "J-3", "title": "Three"}})
	two, three := get(t, w, out.Tasks[0].ID), get(t, w, out.Tasks[1].ID)
	if two.Status != "canceled" || two.Checks[0].Result != record.Pending || len(three.Checks) != 1 {
		t.Errorf("with a definition of done: %s with %v, %v", two.Status, two.Checks, three.Checks)
	}
	if len(lost(out)) != 1 {
		t.Errorf("reported: %v", lost(out))
	}
}

// Circles and names of nothing are left out and reported, each where it is; the rest of the graph stays.
func TestEdgesOfAnImport(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	out := imported(t, w, items{
		{"ref": "a", "title": "a", "deps": []string{"b"}, "parent": "c"},
		{"ref": "b", "title": "b", "deps": []string{"c", "b"}, "state": "started"},
		{"ref": "c", "title": "c", "deps": []string{"a", "nowhere"}, "parent": "a", "related": []string{"b", "gone"}},
	})
	want := map[string]int{"dep that closes a circle": 1, "dep on itself": 1, "dep that is not in the source": 1, "parent that closes a circle": 1, "related that is not in the source": 1}
	if got := lost(out); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("reported %v, and not %v", got, want)
	}
	if out.Made != 3 || out.Deps != 2 || out.Parents != 1 || out.Links != 1 {
		t.Errorf("made %+v", out)
	}
	for _, m := range out.Tasks {
		if m.From == "b" && m.Status != "in_progress" {
			t.Errorf("what was started is %s", m.Status)
		}
	}
}

// Texts of strangers are made to fit: no control characters, no line too long, no description twice.
func TestTextsOfAnImport(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	long := strings.Repeat("wörd ", 300)
	out := imported(t, w, items{{
		"ref": "../../etc passwd", "title": "a\x1b[31m\nb " + long, "body": "x\x00\x07y\r\nz", "labels": []string{"a\nb", "a b", " "},
		"acceptance": []string{"same", "same", "\x1b"}, "comments": items{{"text": long + long}, {"text": " \n"}}, "assignee": "Élodie d'Ör", "due": "31.12.2026", "priority": "P9", "state": "parked",
		"created": "9999-01-01",
	}})
	one := get(t, w, out.Tasks[0].ID)
	switch {
	case strings.ContainsAny(one.Title+one.Body, "\x1b\x00\x07\r") || len(one.Title) > 500 || !strings.Contains(one.Body, "xy\nz"):
		t.Errorf("title %q, body %q", one.Title, one.Body)
	case fmt.Sprint(one.Labels) != "[a b]" || len(one.Checks) != 2 || one.Checks[1].Desc != "same (2)":
		t.Errorf("labels %q, checks %+v", one.Labels, one.Checks)
	case one.Assignee != "human:Élodie-d-Ör" || one.Due != "" || one.Urgency != 2 || one.Status != "backlog":
		t.Errorf("%s, %s, %d, %s", one.Assignee, one.Due, one.Urgency, one.Status)
	case one.Refs[0].Target != "jira:../../etc_passwd":
		t.Errorf("refs %+v", one.Refs)
	}
	for _, field := range []string{"due", "priority", "state", "the end of a title, which stands in the body"} {
		if lost(out)[field] != 1 {
			t.Errorf("%s is not reported: %v", field, lost(out))
		}
	}
}

// A dry run says what the import does and writes nothing.
func TestDryRunOfAnImport(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	in := verbtest.Args{"source": "jira", "dry_run": true, "items": items{{"ref": "J-1", "title": "One"}}}
	out, err := verbtest.Call[transfer.ImportOut](t, w, "import", in)
	if err != nil || !out.DryRun || out.Made != 1 || out.Tasks[0].ID != "" {
		t.Errorf("%+v, %v", out, err)
	}
	if again := imported(t, w, items{{"ref": "J-1", "title": "One"}}); again.Made != 1 {
		t.Errorf("after the dry run %+v", again)
	}
}

func TestItemsThatCannotBeImported(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	for want, in := range map[string]verbtest.Args{
		"source is \"a b\"":                          {"source": "a b", "items": items{{"ref": "1", "title": "x"}}},
		"items[1].ref is empty":                      {"source": "a", "items": items{{"ref": "1", "title": "x"}, {"ref": " ", "title": "x"}}},
		"items[1].ref is \"1\", and so is another's": {"source": "a", "items": items{{"ref": "1", "title": "x"}, {"ref": "1", "title": "y"}}},
	} {
		if _, err := verbtest.Call[transfer.ImportOut](t, w, "import", in); record.CodeOf(err) != record.InvalidInput || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, and not %s", err, want)
		}
	}
}

// A task is named by what it was called where it came from, alone or in a list; an id that is one here means that.
func TestImportedTasksByTheirOldNames(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	out := imported(t, w, items{{"ref": "PROJ-12", "title": "One"}, {"ref": "o/shop#706", "title": "Two"}, {"ref": "o/web#706", "title": "Three"}})
	one, two := out.Tasks[0].ID, out.Tasks[1].ID
	for _, name := range []string{"PROJ-12", "jira:PROJ-12", "proj-12", string(one)} {
		if got := get(t, w, record.ID(name)); got.ID != one {
			t.Errorf("%s is %s", name, got.ID)
		}
	}
	_, err := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": "#706"})
	if record.CodeOf(err) != record.AmbiguousID || !strings.Contains(err.Error(), "jira:o/shop#706") || !strings.Contains(err.Error(), "jira:o/web#706") {
		t.Errorf("#706: %v", err)
	}
	edited, err := verbtest.Call[verb.Task](t, w, "update", verbtest.Args{"id": "PROJ-12", "add_deps": []string{"shop#706"}, "parent": "o/web#706"})
	if err != nil || !slices.Equal(edited.Deps, []record.ID{two}) || edited.Parent != out.Tasks[2].ID {
		t.Errorf("%+v, %v", edited, err)
	}
	if _, err := verbtest.Call[verb.Task](t, w, "get", verbtest.Args{"id": "#707"}); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("#707: %v", err)
	}
	made, err := verbtest.Call[verb.Task](t, w, "create", verbtest.Args{"title": "Four", "deps": []string{"PROJ-12"}})
	if err != nil || !slices.Equal(made.Deps, []record.ID{one}) {
		t.Errorf("%+v, %v", made, err)
	}
}

// again imports, and returns what changed of the only task that did.
func again(t *testing.T, w *verb.Workspace, update, dry bool, item verbtest.Args) (transfer.ImportOut, string) {
	t.Helper()
	in := verbtest.Args{"source": "jira", "items": items{item}, "update": update, "dry_run": dry}
	out, err := verbtest.Call[transfer.ImportOut](t, w, "import", in)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, c := range out.Changed {
		for _, f := range c.Fields {
			one := f.Field + ": " + f.Here + " -> " + f.There
			if f.Kept != "" {
				one += " (" + f.Kept + ")"
			}
			said = append(said, one)
		}
	}
	return out, strings.Join(said, "; ")
}

// A second import tells by field what changed there since, and takes it over on request where nothing changed here; all
// of it in one entry.
func TestWhatChangedThereSince(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	item := func(more verbtest.Args) verbtest.Args {
		out := verbtest.Args{"ref": "J-1", "title": "One", "body": "Text.", "labels": []string{"a"}, "comments": items{{"text": "first"}}}
		for key, v := range more {
			out[key] = v
		}
		return out
	}
	id := imported(t, w, items{item(nil)}).Tasks[0].ID
	if _, said := again(t, w, true, false, item(nil)); said != "" || len(get(t, w, id).Provenance) != 3 {
		t.Errorf("nothing changed: %s", said)
	}
	if _, err := verbtest.Call[verb.Task](t, w, "update", verbtest.Args{"id": id, "title": "One, here", "priority": "1"}); err != nil {
		t.Fatal(err)
	}
	if _, said := again(t, w, false, false, item(nil)); said != "" {
		t.Errorf("only here it changed: %s", said)
	}
	there := item(verbtest.Args{"title": "One, there", "body": "More text.", "labels": []string{"b", "a"}, "due": "2026-12-24", "assignee": "lee",
		"state": "started", "comments": items{{"text": "first"}, {"text": "second"}}})
	want := "title: One, here -> One, there (it changed here too); status: backlog -> in_progress; labels: a -> a, b; assignee:  -> human:lee; " +
		"due:  -> 2026-12-24; body: Text. -> More text.; comments:  -> 1 more"
	for _, update := range []bool{false, true} {
		if _, said := again(t, w, update, true, there); said != want {
			t.Errorf("dry run: %s", said)
		}
	}
	before := get(t, w, id)
	if _, said := again(t, w, false, false, there); said != want || get(t, w, id).Rev != before.Rev {
		t.Errorf("without update: %s", said)
	}
	out, said := again(t, w, true, false, there)
	now := get(t, w, id)
	if said != want || out.Updated != 1 || len(now.Provenance) != len(before.Provenance)+2 {
		t.Errorf("updated %d, %d entries: %s", out.Updated, len(now.Provenance)-len(before.Provenance), said)
	}
	if now.Title != "One, here" || now.Status != "in_progress" || now.Body != "More text." || fmt.Sprint(now.Labels) != "[a b]" || now.Due != "2026-12-24" ||
		now.Assignee != "human:lee" || now.Urgency != 1 {
		t.Errorf("%+v", now)
	}
	if e := now.Provenance[len(before.Provenance)]; !strings.Contains(e.Text, "imported again from jira J-1: status, labels, assignee, due, body, comments; as it is here: title") {
		t.Errorf("it says %q", e.Text)
	}
	if _, said := again(t, w, true, false, there); said != "" {
		t.Errorf("told twice: %s", said)
	}
}

// Labels are compared one by one: what was added here stays, what was taken away here does not come again, and what the
// source has more or less since is taken over.
func TestLabelsOneByOne(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	item := func(labels ...string) verbtest.Args {
		return verbtest.Args{"ref": "J-1", "title": "One", "labels": labels}
	}
	id := imported(t, w, items{item("web", "slow", "old")}).Tasks[0].ID
	edit := verbtest.Args{"id": id, "add_labels": []string{"ours"}, "remove_labels": []string{"slow"}}
	if _, err := verbtest.Call[verb.Task](t, w, "update", edit); err != nil {
		t.Fatal(err)
	}
	if _, said := again(t, w, true, false, item("web", "slow", "old")); said != "" {
		t.Errorf("only here they changed: %s", said)
	}
	if _, said := again(t, w, true, false, item("web", "slow", "new")); said != "labels: old, ours, web -> new, ours, web" {
		t.Errorf("it says %q", said)
	}
	if _, said := again(t, w, true, false, item("web", "slow", "new")); said != "" {
		t.Errorf("told twice: %s", said)
	}
	if got := get(t, w, id).Labels; fmt.Sprint(got) != "[web ours new]" {
		t.Errorf("they are %q", got)
	}
	if _, said := again(t, w, true, false, item("slow")); said != "labels: new, ours, web -> ours" {
		t.Errorf("most of them gone, it says %q", said)
	}
}

// No gate is passed by an update, and nothing is taken from whoever is at work; the next import tries both again.
func TestAnUpdatePassesNoGate(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	open := verbtest.Args{"ref": "J-1", "title": "One", "acceptance": []string{"it holds"}}
	id := imported(t, w, items{open}).Tasks[0].ID
	closed := verbtest.Args{"ref": "J-1", "title": "One, done", "acceptance": []string{"it holds"}, "state": "done"}
	for range 2 {
		_, said := again(t, w, true, false, closed)
		if got := get(t, w, id); got.Status != "backlog" || got.Title != "One, done" || !strings.Contains(said, "status: backlog -> done (") {
			t.Fatalf("%s is %s: %s", got.Title, got.Status, said)
		}
	}
	if _, err := verbtest.Call[verb.Task](t, w, "attest", verbtest.Args{"id": id, "check": "it holds", "pass": true}); err != nil {
		t.Fatal(err)
	}
	if _, said := again(t, w, true, false, closed); get(t, w, id).Status != "done" {
		t.Errorf("attested, it is %s: %s", get(t, w, id).Status, said)
	}
}

// Edges of the source are added, and none that closes a circle; a body keeps the criteria that were written into it.
func TestEdgesAndBodiesOfAnUpdate(t *testing.T) {
	w := verbtest.NewWorkspace(t)
	first := imported(t, w, items{{"ref": "J-1", "title": "One", "body": "Text.", "state": "done", "acceptance": []string{"it holds"}}, {"ref": "J-2", "title": "Two"},
		{"ref": "J-3", "title": "Three", "deps": []string{"J-2"}}})
	ids := map[string]record.ID{}
	for _, made := range first.Tasks {
		ids[made.From] = made.ID
	}
	in := verbtest.Args{"source": "jira", "update": true, "items": items{
		{"ref": "J-1", "title": "One", "body": "New text.", "state": "done", "acceptance": []string{"it holds"}},
		{"ref": "J-2", "title": "Two", "deps": []string{"J-3"}, "parent": "J-4"},
		{"ref": "J-3", "title": "Three", "deps": []string{"J-2", "J-4"}},
		{"ref": "J-4", "title": "Four"}}}
	out, err := verbtest.Call[transfer.ImportOut](t, w, "import", in)
	if err != nil {
		t.Fatal(err)
	}
	one, two, three, four := get(t, w, ids["J-1"]), get(t, w, ids["J-2"]), get(t, w, ids["J-3"]), out.Tasks[0].ID
	if one.Body != "New text.\n\n## Acceptance criteria\n\n- it holds" {
		t.Errorf("body %q", one.Body)
	}
	if len(two.Deps) != 0 || !slices.Equal(three.Deps, []record.ID{two.ID, four}) {
		t.Errorf("deps %v, %v: %+v", two.Deps, three.Deps, out.Changed)
	}
}
