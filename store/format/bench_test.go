package format

import (
	"fmt"
	"strings"
	"testing"
)

// history returns a document with a log of n entries.
func history(n int) string {
	const line = "  - {who: 'agent:claude-1', at: 2026-06-21T10:05:00Z, did: noted, text: 'some words of progress'}\n"
	return "---\nid: T-1\ntitle: Benchmark\nstatus: backlog\nprovenance:\n" + strings.Repeat(line, n) + "---\n\nBody.\n"
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		src := []byte(history(n))
		b.Run(fmt.Sprintf("%d entries", n), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := Parse(src, Markdown); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkEdit(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		d := mustParse(b, history(n))
		edits := map[string]Edit{"status": Set(Path{"status"}, String("done")), "append": appended(Path{"provenance"}, n, entry("noted"))}
		for name, e := range edits {
			b.Run(fmt.Sprintf("%s, %d entries", name, n), func(b *testing.B) {
				for b.Loop() {
					mustEdit(b, d, e)
				}
			})
		}
	}
}

// replacedItems returns a document with a list of n items, in block style or between brackets, and the edit that
// replaces all of them.
func replacedItems(tb testing.TB, n int, block bool) (*Doc, Edit) {
	var list strings.Builder
	items := make([]Item, n)
	for i := range items {
		if block {
			fmt.Fprintf(&list, "  - label-%d\n", i)
		} else {
			fmt.Fprintf(&list, "label-%d, ", i)
		}
		items[i] = NewItem(String(fmt.Sprintf("other-%d", i)))
	}
	text := "\n" + list.String()
	if !block {
		text = " [" + list.String() + "]\n"
	}
	return mustParse(tb, "---\nid: T-1\nlabels:"+text+"---\n"), SetSeq(Path{"labels"}, items...)
}

func BenchmarkReplaceItems(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		for name, block := range map[string]bool{"block": true, "flow": false} {
			d, edit := replacedItems(b, n, block)
			b.Run(fmt.Sprintf("%s, %d items", name, n), func(b *testing.B) {
				for b.Loop() {
					mustEdit(b, d, edit)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/item")
			})
		}
	}
}
