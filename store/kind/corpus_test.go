package kind_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/storetest"
	"github.com/cairn-tasks/cairn/task"
)

// The corpus is files by other hands. Those in testdata/corpus/good are read, and written to; those in
// testdata/corpus/refused are not, and refused.txt says how. Each kind has at least so many.
const corpusSize = 80

// No write surprises the author of a file. For each good file the file beside it, ending in .diff, says which kinds of
// write have nothing to do there, and which are plain (see isPlain). For the others it holds the lines that they take
// out and put in, or the refusal; UPDATE=1 writes it anew.
func TestSlowCorpusIsWrittenPlainly(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	for name, src := range goodFiles(t) {
		t.Run(name, func(t *testing.T) {
			var nothing, plain []string
			var rest strings.Builder
			for _, w := range taskWrites {
				switch diff := frontDiff(t, src, w.make); {
				case diff == "":
					nothing = append(nothing, w.name)
				case isPlain(diff, strings.Fields(w.keys)):
					plain = append(plain, w.name)
				default:
					fmt.Fprintf(&rest, "== %s\n%s", w.name, diff)
				}
			}
			storetest.Golden(t, filepath.Join("testdata/corpus/good", name+".diff"), fmt.Sprintf("nothing to do: %s\nplain: %s\n%s",
				strings.Join(nothing, ", "), strings.Join(plain, ", "), rest.String()))
		})
	}
}

// What the rules of a file refuse, the store refuses too, with the place, and leaves the file alone. A move is written
// as the rules say.
func TestCorpusThroughTheStore(t *testing.T) {
	t.Parallel()
	s := storetest.NewAt(t, t.TempDir())
	for name, src := range goodFiles(t) {
		doc, was := parseTask(t, src)
		for _, w := range taskWrites {
			edited, err := kind.Tasks.Edit(doc, was, mustMake(t, was, w.make))
			if err == nil && w.name != "status" {
				continue
			}
			t.Run(name+"/"+w.name, func(t *testing.T) {
				storetest.WriteFile(t, storetest.TaskFile(s, was.ID), string(src))
				got := s.Update(t.Context(), func(tx *store.Tx) error { return writeTo(tx, was.ID, w.make) })
				want := src
				if err == nil {
					want = edited.Bytes()
					storetest.WantCode(t, got, "")
				} else {
					storetest.WantMessage(t, got, record.BadFile, problem.BadFile(s.Rel(storetest.TaskFile(s, was.ID)), err).Msg)
				}
				if !bytes.Equal([]byte(storetest.ReadFile(t, storetest.TaskFile(s, was.ID))), want) {
					t.Error("the file differs from what it should be")
				}
			})
		}
	}
}

// Broken files hide nobody: a folder of them all lists every good task, and names each of the broken ones with what is
// wrong with it, and where.
func TestBrokenFilesHideNobody(t *testing.T) {
	t.Parallel()
	s := storetest.NewAt(t, t.TempDir())
	var good []record.ID
	for _, src := range goodFiles(t) {
		_, one := parseTask(t, src)
		storetest.WriteFile(t, storetest.TaskFile(s, one.ID), string(src))
		good = append(good, one.ID)
	}
	slices.Sort(good)
	broken := refusedFiles(t)
	for name, src := range broken {
		storetest.WriteFile(t, storetest.TaskFile(s, record.ID(name)), string(src))
	}

	problems := storetest.WantTasks(t, s, good...)
	if len(problems) != len(broken) {
		t.Errorf("names %d problems for %d broken files", len(problems), len(broken))
	}
	var said strings.Builder
	for _, p := range problems {
		said.WriteString(strings.TrimPrefix(p.Message, ".cairn/tasks/") + "\n")
		if p.Code != record.BadFile {
			t.Errorf("%s has the code %s", p.Path, p.Code)
		}
	}
	storetest.Golden(t, "testdata/corpus/refused.txt", said.String())
}

// Nothing is written to a broken file.
func TestBrokenFilesAreLeftAlone(t *testing.T) {
	t.Parallel()
	s := storetest.NewAt(t, t.TempDir())
	for name, src := range refusedFiles(t) {
		id := record.ID(name)
		storetest.WriteFile(t, storetest.TaskFile(s, id), string(src))
		storetest.WantCode(t, storetest.NewActor(s, "human:lee").Note(id, "x"), record.BadFile)
		if !bytes.Equal([]byte(storetest.ReadFile(t, storetest.TaskFile(s, id))), src) {
			t.Errorf("%s was changed", name)
		}
	}
}

// What is called like a task file and is none is named, and never opened.
func TestNoTaskFilesHideNobody(t *testing.T) {
	t.Parallel()
	s := storetest.NewAt(t, t.TempDir())
	storetest.WriteTask(t, s, "PROJ-1")
	outside := filepath.Join(t.TempDir(), "secret.md")
	storetest.WriteFile(t, outside, storetest.TaskText("PROJ-2"))
	in := func(name string) string { return filepath.Join(s.Dir("tasks"), name) }
	storetest.Link(t, outside, in("PROJ-2.md"))
	storetest.Link(t, "PROJ-1.md", in("PROJ-3.md"))
	storetest.Link(t, filepath.Dir(outside), in("PROJ-4.md"))
	storetest.Link(t, "nowhere", in("PROJ-5.md"))
	storetest.Mkdir(t, s.Dir("tasks"), "PROJ-6.md")
	storetest.WriteFile(t, in("PROJ-7.md/PROJ-8.md"), storetest.TaskText("PROJ-8"))
	storetest.Mkdir(t, s.Dir("tasks"), "README")
	notIDs := []string{"README", "-PROJ-1", "PROJ", "PROJ-", "PROJ 9", "PROJ-ü", "1-PROJ", "PROJ-1 (copy)", "PROJ-" + strings.Repeat("9", 80)}
	for _, name := range notIDs {
		storetest.WriteFile(t, in(name+".md"), storetest.TaskText("PROJ-9"))
	}
	for _, name := range []string{".PROJ-9.md", ".md", "PROJ-9.md~", "PROJ-9.MD.orig", "notes.txt"} {
		storetest.WriteFile(t, in(name), "anything") // not ours
	}

	var named []string
	for _, p := range storetest.WantTasks(t, s, "PROJ-1") {
		named = append(named, fmt.Sprintf("%s: %s", testFile(p.Path), p.Message))
	}
	var want []string
	for i := range 6 {
		want = append(want, fmt.Sprintf("PROJ-%d: is not a regular file", i+2))
	}
	for _, name := range notIDs {
		want = append(want, fmt.Sprintf("%s: %q is not a task id", name, name))
	}
	slices.Sort(named)
	slices.Sort(want)
	if !slices.Equal(named, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(named, "\n"), strings.Join(want, "\n"))
	}
	for i := range 6 {
		_, err := kind.Tasks.Get(s, record.ID(fmt.Sprintf("PROJ-%d", i+2)))
		storetest.WantCode(t, err, record.BadFile)
	}
}

// However a file is made, to refuse it takes memory in proportion to its size, at most.
func TestRefusalsTakeBoundedMemory(t *testing.T) {
	for name, src := range refusedFiles(t) {
		before := allocated()
		doc, err := format.Parse(src, format.Markdown)
		if err == nil {
			_, _ = kind.Tasks.Decode(doc)
		}
		if used, most := allocated()-before, uint64(1<<20+400*len(src)); used > most {
			t.Errorf("%s: %d bytes for a file of %d", name, used, len(src))
		}
	}
}

func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// goodFiles is the files of the corpus that are read, by name, and larger ones that are made here.
func goodFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := corpusFiles(t, "good")
	front := "---\nid: %s\ntitle: A title\nstatus: backlog\nlabels: [a]\n%s---\n"
	files["body-of-200-kilobytes"] = fmt.Appendf(nil, front+strings.Repeat("\nA line of the body.\n\n---\n", 8000), "PROJ-301", "")
	files["body-of-one-long-line"] = fmt.Appendf(nil, front+strings.Repeat("no end ", 30_000), "PROJ-302", "")
	files["notes-of-500-lines"] = fmt.Appendf(nil, front, "PROJ-303", "notes: |\n"+strings.Repeat("  # A line of the notes.\n\n", 250))
	files["list-of-500-on-one-line"] = fmt.Appendf(nil, front, "PROJ-304", "notes: ["+strings.Repeat("größer, ", 500)+"]\n")
	return files
}

// refusedFiles is the files of the corpus that are refused, by name, and larger ones that are made here.
func refusedFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := corpusFiles(t, "refused")
	large := func(name, more, body string) {
		files[name] = []byte(storetest.TaskText(record.ID(name), more) + body)
	}
	large("BAD-larger-than-4-megabytes", "labels: [a]", strings.Repeat("x", format.MaxFile))
	large("BAD-front-matter-larger-than-1-megabyte", "notes: "+strings.Repeat("x", format.MaxFront), "")
	large("BAD-nested-ten-thousand-brackets-deep", "extra: "+strings.Repeat("[", 9_900)+strings.Repeat("]", 9_900), "")
	large("BAD-nested-fifty-thousand-brackets-deep", "extra: "+strings.Repeat("[", 50_000), "")
	large("BAD-same-key-behind-ten-thousand-others", numbered(10_000, "key%d: x\n")+"key0: x", "")
	large("BAD-bomb-of-a-thousand-aliases", "x: &x ["+strings.Repeat("a, ", 1000)+"]\nextra: ["+strings.Repeat("*x, ", 1000)+"]", "")
	large("BAD-alias-of-nothing-behind-many-others", "x: &x a\nextra: ["+strings.Repeat("*x, ", 20_000)+"*nowhere]", "")
	large("BAD-conflict-at-the-end-of-a-megabyte", strings.Repeat("#\n", 500_000)+"<<<<<<< HEAD", "")
	large("BAD-nul-behind-4-megabytes", "labels: [a]", strings.Repeat("x", format.MaxFile-200)+"\x00")
	return files
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// corpusFiles reads the files of one kind, by name.
func corpusFiles(t testing.TB, kind string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata/corpus", kind, "*.md"))
	if err != nil || len(paths) < corpusSize {
		t.Fatalf("got %d files in testdata/corpus/%s, want %d (%v)", len(paths), kind, corpusSize, err)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		files[testFile(path)] = []byte(storetest.ReadFile(t, path))
	}
	return files
}

// frontDiff is diffOf, without the body if the write is meant to change that.
func frontDiff(t *testing.T, src []byte, write func(task.Task) (task.Task, error)) string {
	t.Helper()
	doc, was := parseTask(t, src)
	meant := mustMake(t, was, write)
	edited, err := kind.Tasks.Edit(doc, was, meant)
	if refused(t, err) {
		return fmt.Sprintf("refused: %v\n", err)
	}
	if was.Body == meant.Body {
		return storetest.DiffLines(string(src), string(edited.Bytes()))
	}
	return storetest.DiffLines(frontOf(doc), frontOf(edited))
}

func frontOf(doc *format.Doc) string {
	return string(bytes.TrimSuffix(doc.Bytes(), doc.Body()))
}

// isPlain reports whether a write did what it does to the tidiest of files: of every key that it sets one line went and
// one came in its place, or one of the two; one line was added to the record, below the line of its key if that was not
// there or empty; and all of them end alike.
func isPlain(diff string, keys []string) bool {
	keys = append(keys, "provenance")
	seen := map[string]bool{}
	ends := map[string]bool{}
	for line := range strings.Lines(diff) {
		what := line[:1] + keyIn(line, keys)
		if len(what) == 1 || seen[what] {
			return false
		}
		seen[what] = true
		ends[lineEndOf(line)] = true
	}
	return seen["+record"] && len(ends) == 1
}

var recordLine = regexp.MustCompile(`^\+ *- \{who: 'human:kim', at: 2026-07-01T12:00:00Z, did: `)

// keyIn says which of the keys a line of a diff sets.
func keyIn(line string, keys []string) string {
	if recordLine.MatchString(line) {
		return "record"
	}
	for _, key := range keys {
		if regexp.MustCompile(`^.(.*[ {,])?["']?` + key + `["']?[ \t]*:`).MatchString(line) {
			return key
		}
	}
	return ""
}

// lineEndOf returns how visible shows the end of a line.
func lineEndOf(line string) string {
	for _, end := range []string{"<CR>\n", "<CR ALONE>\n", "<NO NEWLINE>\n"} {
		if strings.HasSuffix(line, end) {
			return end
		}
	}
	return ""
}

// writeTo makes one of the writes.
func writeTo(tx *store.Tx, id record.ID, write func(task.Task) (task.Task, error)) error {
	t, err := kind.Tasks.Get(tx, id)
	if err != nil {
		return err
	}
	if t, err = write(t); err == nil {
		kind.Tasks.Put(tx, t)
	}
	return err
}
