package source_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/cairn-tasks/cairn/task"
	"github.com/cairn-tasks/cairn/verb/transfer/source"
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

// Each source reads data of the form that its system writes, with every field in use. What it makes of them is in a golden file.
func TestSources(t *testing.T) {
	for _, one := range []struct{ source, path string }{
		{"beads", ""},
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
		if err == nil || !strings.Contains(err.Error(), one.want) || task.CodeOf(err) != task.InvalidInput {
			t.Errorf("%s of %q: %v, and not %s", one.source, task.Clip(one.text, 60), err, one.want)
		}
	}
}
