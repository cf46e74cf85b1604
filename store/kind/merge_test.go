package kind_test

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"
)

// mergeCase is one situation of testdata/merge: a sentence, the file's path, its three versions, and what they merge
// to. It is a conflict if the last has markers. cmd plays the same situations through git.
type mergeCase struct {
	name, file               string
	path                     string // of the situation
	base, ours, theirs, want []byte
	archive                  *txtar.Archive
}

func mergeCases(t testing.TB) []mergeCase {
	t.Helper()
	paths, err := filepath.Glob("testdata/merge/*.txtar")
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d situations, %v", len(paths), err)
	}
	var out []mergeCase
	for _, path := range paths {
		a, err := txtar.ParseFile(path)
		if err != nil || len(a.Files) != 4 {
			t.Fatalf("%s: %v", path, err)
		}
		_, file, _ := strings.Cut(string(a.Comment), "\nfile: ")
		out = append(out, mergeCase{
			name: strings.TrimSuffix(filepath.Base(path), ".txtar"), file: strings.TrimSpace(file), path: path, archive: a,
			base: a.Files[0].Data, ours: a.Files[1].Data, theirs: a.Files[2].Data, want: a.Files[3].Data,
		})
	}
	return out
}

func mergeThree(file string, base, ours, theirs []byte) ([]byte, bool) {
	return kind.Merge(file, base, ours, theirs, flow, format.Markers{})
}

// UPDATE=1 writes what comes out into the situations.
func TestMerge(t *testing.T) {
	for _, c := range mergeCases(t) {
		t.Run(c.name, func(t *testing.T) {
			got, clean := mergeThree(c.file, c.base, c.ours, c.theirs)
			if os.Getenv("UPDATE") != "" {
				c.archive.Files[3].Data = got
				if err := os.WriteFile(c.path, txtar.Format(c.archive), 0o644); err != nil {
					t.Fatal(err)
				}
				c.want = got
			}
			if !bytes.Equal(got, c.want) {
				t.Errorf("got:\n%s\nwant:\n%s", got, c.want)
			}
			if marked := bytes.Contains(got, []byte("<<<<<<< ")); clean == marked {
				t.Errorf("clean is %v, and there are markers: %v", clean, marked)
			}
		})
	}
}

func crlf(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n")) }

// Line endings are ours, and change nothing else.
func TestMergeKeepsOurLineEndings(t *testing.T) {
	for _, c := range mergeCases(t) {
		for name, change := range map[string]func([]byte) []byte{
			"all CRLF":       crlf,
			"ours CRLF only": func(src []byte) []byte { return src },
		} {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				if c.name == "side-with-markers" && name != "all CRLF" {
					t.Skip("text is merged line by line, whatever the endings are")
				}
				want, wantClean := mergeThree(c.file, c.base, c.ours, c.theirs)
				got, clean := mergeThree(c.file, change(c.base), crlf(c.ours), change(c.theirs))
				if !bytes.Equal(got, crlf(want)) || clean != wantClean {
					t.Errorf("got:\n%q\nwant:\n%q", got, crlf(want))
				}
			})
		}
	}
}

// What one side left alone is the other side's, byte for byte.
func TestMergeOfOneSide(t *testing.T) {
	for _, c := range mergeCases(t) {
		for _, x := range [][]byte{c.base, c.ours, c.theirs} {
			for name, v := range map[string][3][]byte{
				"same on both": {c.base, x, x}, "only theirs": {c.base, c.base, x}, "only ours": {c.base, x, c.base},
			} {
				if got, clean := mergeThree(c.file, v[0], v[1], v[2]); !bytes.Equal(got, x) || !clean {
					t.Errorf("%s, %s: got:\n%s", c.name, name, got)
				}
			}
		}
	}
}

// Which side is which changes only what stands where, never what was recorded.
func TestMergeFromEitherSideHasTheSameRecord(t *testing.T) {
	for _, c := range mergeCases(t) {
		one, clean := mergeThree(c.file, c.base, c.ours, c.theirs)
		other, _ := mergeThree(c.file, c.base, c.theirs, c.ours)
		a, ok1 := entriesIn(one)
		b, ok2 := entriesIn(other)
		if clean && (ok1 != ok2 || strings.Join(a, "") != strings.Join(b, "")) {
			t.Errorf("%s: %s\nand %s", c.name, one, other)
		}
	}
}

// entriesIn are the hashes of the entries of a task, in order.
func entriesIn(src []byte) (hashes []string, ok bool) {
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		return nil, false
	}
	t, err := kind.Tasks.Decode(doc)
	for _, e := range t.Provenance {
		hashes = append(hashes, e.Hash())
	}
	return hashes, err == nil
}

// No entry of either side is ever lost, the base's keep their order, and the order of times holds.
func TestMergeLosesNoEntry(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := rapid.SliceOfN(rapid.IntRange(0, 5), 1, 6).Draw(t, "base")
		ours := rapid.SliceOfN(rapid.IntRange(0, 7), 0, 8).Draw(t, "ours")
		theirs := rapid.SliceOfN(rapid.IntRange(0, 7), 0, 8).Draw(t, "theirs")
		start := logged(nil, base, 0)
		a, b := logged(start, ours, 60), logged(start, theirs, 60)
		got, clean := mergeThree(".cairn/tasks/T-1.md", taskOf(start), taskOf(a), taskOf(b))
		merged, ok := entriesIn(got)
		if !clean || !ok {
			t.Fatalf("a conflict:\n%s", got)
		}
		count := counts(merged)
		for _, side := range [][]string{a, b} {
			hashes, _ := entriesIn(taskOf(side))
			for hash, n := range counts(hashes) {
				if count[hash] < n {
					t.Fatalf("an entry is lost:\n%s", got)
				}
			}
		}
		if prefix, _ := entriesIn(taskOf(start)); !isPrefix(prefix, merged) {
			t.Fatalf("the base's entries moved:\n%s", got)
		}
		inOrder(t, got)
	})
}

func counts(hashes []string) map[string]int {
	n := map[string]int{}
	for _, h := range hashes {
		n[h]++
	}
	return n
}

func isPrefix(prefix, all []string) bool {
	return len(prefix) <= len(all) && strings.Join(all[:len(prefix)], "") == strings.Join(prefix, "")
}

func inOrder(t *rapid.T, src []byte) {
	doc, err := format.Parse(src, format.Markdown)
	if err != nil {
		t.Fatal(err)
	}
	merged, _ := kind.Tasks.Decode(doc)
	for i := 1; i < len(merged.Provenance); i++ {
		if merged.Provenance[i].At.Before(merged.Provenance[i-1].At) {
			t.Fatalf("entry %d is older than the one above it:\n%s", i, src)
		}
	}
}

// logged appends entries, each so many seconds after the one before.
func logged(before []string, steps []int, from int) []string {
	out := append([]string{}, before...)
	at := from
	for i, step := range steps {
		at = min(at+step, from+59)
		who := []string{"agent:a", "agent:b"}[(step+i)%2]
		out = append(out, "  - {who: '"+who+"', at: 2026-06-21T10:"+two(at/60)+":"+two(at%60)+"Z, did: noted, text: "+[]string{"x", "y"}[step%2]+"}\n")
	}
	return out
}

func two(n int) string { return string([]byte{'0' + byte(n/10), '0' + byte(n%10)}) }

func taskOf(entries []string) []byte {
	return []byte("---\nid: T-1\ntitle: T\nstatus: backlog\nprovenance:\n" + strings.Join(entries, "") + "---\n")
}

// What a merge makes of two lists of checks, to which each side only added, the record of the merged file explains; and
// a third side, merged into that, too.
func TestMergedChecksAreExplained(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := declaring(t, task.Task{ID: "T-1", Title: "T", Status: "in_progress"}, "base", 0)
		merged := declaring(t, base, "ours", 1)
		for _, side := range []string{"theirs", "a third"} {
			other := declaring(t, base, side, 1)
			src, clean := mergeThree(".cairn/tasks/T-1.md", fileOf(t, base), fileOf(t, merged), fileOf(t, other))
			doc, err := format.Parse(src, format.Markdown)
			if !clean || err != nil {
				t.Fatalf("%v:\n%s", err, src)
			}
			if merged, err = kind.Tasks.Decode(doc); err != nil || !merged.ChecksExplained() {
				t.Fatalf("the list is not explained (%v):\n%s", err, src)
			}
		}
	})
}

// declaring adds checks to a task in up to three entries of a side, at times that mingle with those of the others.
func declaring(t *rapid.T, one task.Task, side string, from int) task.Task {
	for step := range rapid.IntRange(from, 3).Draw(t, side) {
		desc := side + " " + two(step)
		one.Checks = append(slices.Clone(one.Checks), task.Check{Desc: desc, Cmd: "run " + desc, Result: record.Pending})
		at := time.Date(2026, 6, 21, 10, rapid.IntRange(0, 50).Draw(t, desc), 0, 0, time.UTC)
		one = one.With(record.Entry{Who: "human:shah", At: at, Did: record.Updated, Checks: one.CheckHashes()})
	}
	return one
}

func fileOf(t *rapid.T, one task.Task) []byte {
	doc, err := kind.Tasks.Create(one)
	if err != nil {
		t.Fatal(err)
	}
	return doc.Bytes()
}
