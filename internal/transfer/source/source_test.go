package source_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer/source"
	"github.com/rogpeppe/go-internal/txtar"
)

// read reads what a source has in the files of the story about it.
func read(t *testing.T, name, path string) (source.Batch, error) {
	t.Helper()
	s, err := source.Named(name)
	if err != nil {
		t.Fatal(err)
	}
	story, err := txtar.ParseFile(filepath.Join("..", "..", "..", "cmd", "testdata", "script", "import-from-"+name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	dir := fstest.MapFS{}
	for _, f := range story.Files {
		dir[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	if path == "" {
		path = s.Find(dir)
	}
	files, err := s.Load(dir, path)
	if err != nil {
		return source.Batch{}, err
	}
	return s.Read(files)
}

// Each source reads data of the form that its system writes, with every field in use. What it makes of them is in a
// golden file.
func TestSources(t *testing.T) {
	for _, one := range []struct{ source, path string }{
		{"beads", ""}, {"backlog", ""}, {"tk", ""}, {"taskmaster", ""}, {"markdown", ""},
		{"github", "issues.json"}, {"taskwarrior", "tasks.json"}, {"linear", "linear.csv"}, {"gitlab", "issues.csv"},
	} {
		t.Run(one.source, func(t *testing.T) {
			batch, err := read(t, one.source, one.path)
			if err != nil {
				t.Fatal(err)
			}
			if len(batch.Items) < 10 {
				t.Errorf("the data have %d items, and ten are wanted", len(batch.Items))
			}
			var out bytes.Buffer
			e := json.NewEncoder(&out)
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			if err := e.Encode(batch); err != nil {
				t.Fatal(err)
			}
			golden := filepath.Join("testdata", one.source+".golden")
			if os.Getenv("UPDATE") != "" {
				if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if out.String() != string(want) {
				t.Errorf("it reads\n%s\nand not what %s says", out.String(), golden)
			}
		})
	}
}

// What is no file of the source is refused, with its place.
func TestWhatIsNotRead(t *testing.T) {
	for _, one := range []struct{ source, text, want string }{
		{"beads", "{\"id\":\"a\",\"title\":\"x\"}\n<<<<<<< ours\n", "f:2: is not JSON"},
		{"beads", "{\"id\":\"a\",\"title\":\"x\"}\n{\"title\":\"x\"}\n", "f:2: the object has no id"},
		{"beads", "{\"id\":\"a\"", "f:1: is not JSON: it ends in the middle of a value"},
		{"beads", "SQLite format 3\x00", "f:1: is no text"},
		{"tk", "no keys", "f:1: does not begin with ---"},
		{"tk", "---\nid: a\n", "f:1: has no second line of dashes"},
		{"tk", "---\n- a\n---\n", "f:1: has keys that are no object"},
		{"tk", "---\na: &x [1]\nb: [*x, *x]\n---\n", "f:2: has an anchor"},
		{"tk", "---\na: " + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "\n---\n", "is nested too deeply"},
		{"tk", "---\na: " + strings.Repeat("x", 70_000) + "\n---\n", "f:1: has keys of more than 65536 bytes"},
		{"backlog", "---\ntitle: x\n---\n", "f:1: has no id"},
		{"taskmaster", "[]", "f:1: is not JSON"},
		{"taskmaster", `{"master": {"tasks": [{"title": "x"}]}}`, "f: master.tasks[0] is no task with an id"},
		{"github", `[{"number": 1, "title": "x"}, 3]`, "f: value 2 is no object"},
		{"github", "[{\"number\": 1,\n\"title\": }]", "f:2: is not JSON"},
		{"taskwarrior", `[{"description": "x"}]`, "f: object 1 has no uuid"},
		{"markdown", "- no box", "f: has no checklist"},
		{"jira", "", "f: is empty"},
		{"jira", "a,b\n1,2\n", "f:1: has no column for the title"},
		{"jira", "Summary,Status\nx,Odd\n", `f: has states that are not known: "Odd" (1)`},
		{"linear", "Title,ID\n,E-1\n", "f: row 1 has no title"},
		{"gitlab", `[{"iid": 1}]`, "f: row 1 has no title"},
		{"csv", "title\nx,y\n", "f:2: has more cells than the head has columns"},
		{"csv", "title" + strings.Repeat(",x", 2000), "f:1: has 2001 columns, more than 2000"},
		{"cairn", `{"id": "T-1"}`, "f: object 1 has no id, title and status"},
		{"beads", `{"id":"a","metadata":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}", "f:1: is nested more than 64 deep"},
	} {
		s, err := source.Named(one.source)
		if err != nil {
			t.Fatal(err)
		}
		f, err := source.Bytes("f", strings.NewReader(one.text), 0)
		if err == nil {
			_, err = s.Read([]source.File{f})
		}
		if err == nil || !strings.Contains(err.Error(), one.want) || record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s of %q: %v, and not %s", one.source, record.Clip(one.text, 60), err, one.want)
		}
	}
}

// Of headings within one another that name a state the innermost says it, whatever stands between; each other one is a
// label.
func TestTheInnermostHeadingSaysTheState(t *testing.T) {
	page := "# Done\n## In progress\n### Cards\n- [ ] a\n#### Review\n- [ ] b\n## Payments\n### Done\n- [ ] c\n- [x] d\n### To do\n- [ ] e\n"
	items := batchOf(t, "markdown", fileOf("TODO.md", page)).Items
	var got []string
	for _, it := range items {
		got = append(got, it.Title+" "+it.State+" "+strings.Join(it.Labels, ","))
	}
	want := []string{"a started cards", "b review cards", "c open payments", "d done payments", "e open payments"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, and not %q", got, want)
	}
}

// CSV is read as spreadsheets of all countries and systems save it.
func TestFormsOfCSV(t *testing.T) {
	s, err := source.Named("csv")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"commas":        "id,title,notes\n1,\"a, \"\"b\"\"\",\"two\nlines\"\n",
		"semicolons":    "id;title;notes\r\n1;a, \"b\";\"two\r\nlines\"\r\n",
		"tabs":          "id\ttitle\tnotes\n1\t\"a, \"\"b\"\"\"\t\"two\nlines\"\n\n",
		"sep=":          "sep=;\r\nid;title;notes\r\n1;a, \"b\";\"two\nlines\"",
		"a mark":        "\xef\xbb\xbfid,title,notes\n1,\"a, \"\"b\"\"\",\"two\nlines\"",
		"UTF-16, small": "\xff\xfe" + utf16le("id\ttitle\tnotes\n1\t\"a, \"\"b\"\"\"\t\"two\nlines\""),
		"more cells":    "id,title,notes\n1,\"a, \"\"b\"\"\",\"two\nlines\",,\n",
	} {
		f, err := source.Bytes("f", strings.NewReader(text), 0)
		if err != nil {
			t.Fatal(err)
		}
		batch, err := s.Read([]source.File{f})
		if err != nil || len(batch.Items) != 1 {
			t.Errorf("%s: %+v, %v", name, batch.Items, err)
			continue
		}
		it := batch.Items[0]
		if it.Ref != "1" || it.Title != `a, "b"` || strings.ReplaceAll(it.Body, "\r", "") != "two\nlines" {
			t.Errorf("%s: %+v", name, it)
		}
	}
}

func utf16le(text string) string {
	var out []byte
	for _, c := range text {
		out = append(out, byte(c), byte(c>>8))
	}
	return string(out)
}

// The issues of a search stand below items.
func TestIssuesOfASearch(t *testing.T) {
	s, err := source.Named("github")
	if err != nil {
		t.Fatal(err)
	}
	text := `{"total_count": 2, "items": [{"number": 1, "title": "x"}, {"number": 2, "title": "y"}]}`
	batch, err := s.Read([]source.File{{Name: "f", Data: []byte(text)}})
	if err != nil || len(batch.Items) != 2 || batch.Items[1].Title != "y" {
		t.Errorf("%+v, %v", batch.Items, err)
	}
}

// Nothing outside the folder is read: not through links, and not by a path.
func TestLinksAreNotFollowedOut(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(t.TempDir(), "secret.jsonl")
	if err := os.WriteFile(secret, []byte(`{"id":"a","title":"x"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, ".beads"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(secret, filepath.Join(dir, ".beads", "issues.jsonl")); err != nil {
		t.Skip("no links here")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	s, err := source.Named("beads")
	if err != nil {
		t.Fatal(err)
	}
	if at := s.Find(root.FS()); at != "" {
		t.Errorf("found %s", at)
	}
	if files, err := s.Load(root.FS(), ".beads/issues.jsonl"); err == nil {
		t.Errorf("read %q", files[0].Data)
	}
}

// Whatever the bytes are, a reader returns items or an error.
func FuzzSources(f *testing.F) {
	for _, s := range source.All() {
		for _, text := range []string{"", "---\nid: a\n---\n# x\n", "- [ ] a (p1, #b)\n  - [x] b\n", `{"id":"a","title":"x","dependencies":[{}]}`, `[[{"number":1,"title":"x","labels":[{}]}]]`, `{"master":{"tasks":[{"id":1,"subtasks":[{"id":2}]}]}}`,
			"Summary,Issue key,Status,Labels,Labels,Comment,Outward issue link (Blocks)\nx,A-1,Done,a,b,02/Mar/26 9:00 AM;me;t,A-1\n",
			`{"issues":[{"key":"A-1","fields":{"summary":"x","description":{"type":"doc","content":[{"type":"text","text":"t"}]},"issuelinks":[{"type":{},"inwardIssue":{}}]}}]}`} {
			f.Add(s.Name, text)
		}
	}
	f.Fuzz(func(t *testing.T, name, text string) {
		s, err := source.Named(name)
		if err != nil {
			return
		}
		file, err := source.Bytes("f", strings.NewReader(text), 1<<16)
		if err != nil {
			return
		}
		batch, err := s.Read([]source.File{file})
		if err != nil && record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%s of %q: %v", name, text, err)
		}
		for _, it := range batch.Items {
			if it.Ref == "" && err == nil {
				t.Errorf("%s of %q: an item without a ref", name, text)
			}
		}
	})
}
