package skills_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/skills"
	"github.com/cairn-tasks/cairn/store/format"
)

func skill(id, body string) ledger.Skill {
	return ledger.Skill{
		Header: record.Header{Ref: record.Ref{Kind: ledger.SkillKind, ID: id}, Title: id, Status: ledger.SkillActive}, Description: "How: it's \"done\" # well.", Version: 1, Body: body,
	}
}

// sync brings the folders of a workspace up to date, and returns the states of the files as they are then.
func sync(t *testing.T, root string, all ...ledger.Skill) map[string]skills.State {
	t.Helper()
	plan, err := skills.Plan(root, all)
	if err == nil {
		plan, _, err = skills.Apply(root, plan, false)
	}
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]skills.State{}
	for _, f := range plan {
		out[f.Path] = f.State
	}
	return out
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}

func write(t *testing.T, root, name, text string) {
	t.Helper()
	path := filepath.Join(root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

const claude, agents = ".claude/skills/review/SKILL.md", ".agents/skills/review/SKILL.md"

// What is written has the standard keys, says what the skill says, and is known again.
func TestRender(t *testing.T) {
	src := skills.Render(skill("review", "Read.\n\n---\nname: evil\n---"))
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		t.Fatal(err)
	}
	if len(doc.Root().Content) != 6 || doc.Get("name").Value != "review" || doc.Get("description").Value != skill("", "").Description {
		t.Errorf("got\n%s", src)
	}
	root := t.TempDir()
	if got := sync(t, root, skill("review", "Read.")); got[claude] != skills.Current || got[agents] != skills.Current || len(got) != 2 {
		t.Errorf("got %v", got)
	}
	write(t, root, claude, strings.ReplaceAll(read(t, root, claude), "\n", "\r\n"))
	if got := sync(t, root, skill("review", "Read.")); got[claude] != skills.Current {
		t.Errorf("with other ends of lines got %v", got)
	}
}

// A sync replaces and removes only what one wrote, as it was written.
func TestOnlyOnesOwnFiles(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(text string) string
		state   skills.State
		replace bool
	}{
		"as it was":             {func(s string) string { return s }, skills.Current, true},
		"a word changed":        {func(s string) string { return strings.Replace(s, "Read", "Skim", 1) }, skills.Edited, false},
		"text behind the mark":  {func(s string) string { return s + "And more.\n" }, skills.Edited, false},
		"the mark taken out":    {func(s string) string { return s[:strings.LastIndex(s, "<!--")] }, skills.Foreign, false},
		"another file":          {func(string) string { return "---\nname: review\ndescription: x\n---\n" }, skills.Foreign, false},
		"nothing":               {func(string) string { return "" }, skills.Foreign, false},
		"the hash of something": {func(s string) string { return strings.Replace(s, "sha256 ", "sha256 0", 1) }, skills.Edited, false},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			sync(t, root, skill("review", "Read."))
			text := tt.change(read(t, root, claude))
			write(t, root, claude, text)
			if got := sync(t, root, skill("review", "Read.")); got[claude] != tt.state {
				t.Errorf("it is %s, want %s", got[claude], tt.state)
			}
			sync(t, root, skill("review", "Another body."))
			if got := read(t, root, claude); (got != text) != tt.replace {
				t.Errorf("after a change of the skill it holds\n%s", got)
			}
			sync(t, root)
			if _, err := os.Stat(filepath.Join(root, claude)); (err != nil) != tt.replace {
				t.Errorf("after the removal: %v", err)
			}
			if _, err := os.Stat(filepath.Join(root, ".agents")); err == nil {
				t.Error("an empty folder stays")
			}
		})
	}
}

// Archived skills are not written, and a folder where something else stands in the way is left alone.
func TestWhatIsNotWritten(t *testing.T) {
	root := t.TempDir()
	archived := skill("old", "x")
	archived.Status = ledger.SkillArchived
	if got := sync(t, root, archived); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	write(t, root, claude+"/file", "") // a folder of the name of the file
	write(t, root, ".claude/skills/review/extra.md", "mine")
	if got := sync(t, root, skill("review", "Read.")); got[claude] != skills.Foreign || got[agents] != skills.Current {
		t.Errorf("got %v", got)
	}
	write(t, root, ".agents/skills/review/extra.md", "mine")
	sync(t, root)
	if read(t, root, ".agents/skills/review/extra.md") != "mine" || read(t, root, ".claude/skills/review/extra.md") != "mine" {
		t.Error("files of others are gone")
	}
}

// A file where a folder would be is left alone, and the other folders are written.
func TestAFileInTheWayOfAFolder(t *testing.T) {
	for _, file := range []string{".claude", ".claude/skills", ".claude/skills/review"} {
		root := t.TempDir()
		write(t, root, file, "mine")
		got := sync(t, root, skill("review", "Read it."))
		if got[claude] != skills.Foreign || got[agents] != skills.Current || read(t, root, file) != "mine" {
			t.Errorf("%s: %v", file, got)
		}
		if plan, err := skills.Plan(root, nil); err != nil || len(plan) != 1 {
			t.Errorf("%s, to be removed: %v, %v", file, plan, err)
		}
	}
}

// Nothing is written or removed through links, wherever in the path they are.
func TestLinks(t *testing.T) {
	for _, at := range []string{".claude", ".claude/skills", ".claude/skills/review", claude} {
		t.Run(at, func(t *testing.T) {
			root, outside := t.TempDir(), t.TempDir()
			write(t, outside, "target", string(skills.Render(skill("review", "Old."))))
			if err := os.MkdirAll(filepath.Dir(filepath.Join(root, at)), 0o755); err != nil {
				t.Fatal(err)
			}
			target := outside
			if at == claude {
				target = filepath.Join(outside, "target")
			}
			if err := os.Symlink(target, filepath.Join(root, at)); err != nil {
				t.Skip(err)
			}
			if got := sync(t, root, skill("review", "Read.")); got[claude] != skills.Elsewhere {
				t.Errorf("it is %s", got[claude])
			}
			sync(t, root)
			entries, err := os.ReadDir(outside)
			if err != nil || len(entries) != 1 || read(t, outside, "target") != string(skills.Render(skill("review", "Old."))) {
				t.Errorf("outside there are %v (%v)", entries, err)
			}
		})
	}
}

func TestShelf(t *testing.T) {
	dir := t.TempDir()
	shelf := skills.ShelfIn(dir)
	if all, problems, err := shelf.All(); err != nil || len(all)+len(problems) != 0 {
		t.Errorf("without a folder: %v, %v, %v", all, problems, err)
	}
	write(t, dir, "skills/review.md", "---\nname: review\ndescription: How.\nlabels: [a]\nversion: 4\n---\nRead.\n")
	write(t, dir, "skills/No.md", "---\ndescription: d\n---\nb\n")
	write(t, dir, "skills/other.md", "---\nid: review\ndescription: d\n---\nb\n")
	write(t, dir, "skills/.hidden.md", "")
	write(t, dir, "skills/README", "")
	all, problems, err := shelf.All()
	if err != nil || len(all) != 1 || len(problems) != 2 {
		t.Fatalf("got %+v, %+v, %v", all, problems, err)
	}
	if k := all[0]; k.Ref.ID != "review" || k.Version != 4 || k.Body != "Read." || k.Status != ledger.SkillActive {
		t.Errorf("got %+v", k)
	}
	for id, code := range map[ledger.SkillID]record.Code{"review": "", "gone": record.NotFound, "../review": record.InvalidInput, "other": record.BadFile} {
		if _, err := shelf.Get(id); record.CodeOf(err) != code {
			t.Errorf("%s: %v, want %q", id, err, code)
		}
		if _, err := skills.ShelfIn("").Get(id); id == "review" && record.CodeOf(err) != record.NotFound {
			t.Errorf("without a shelf: %v", err)
		}
	}
}
