package kind_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
)

// taskFile is a task as cairn writes it: with as many checks and entries, and a body.
func taskFile(checks, entries int) []byte {
	var b strings.Builder
	b.WriteString("---\nid: SHOP-01m7yxspehxx1g\ntitle: Round discounts to the nearest cent\nstatus: in_progress\npriority: 1\n" +
		"labels: [prices, checkout]\nassignee: agent:claude-1\n")
	if checks > 0 {
		b.WriteString("deps: [SHOP-01m7yxspaaaaaa]\nchecks:\n")
	}
	for i := range checks {
		fmt.Fprintf(&b, "  - desc: tests of package %d pass\n    cmd: go test ./p%d/...\n    result: pass\n", i, i)
	}
	b.WriteString("provenance:\n")
	for i := range entries {
		switch i % 3 {
		case 0:
			b.WriteString("  - {who: 'human:ada', at: 2026-11-21T11:27:01Z, did: updated, fields: [title], text: 'no cent is lost: see #12'}\n")
		case 1:
			b.WriteString("  - {who: 'agent:claude-1', at: 2026-11-21T11:27:55Z, did: began, from: backlog, to: in_progress, session: ses-01m7yxspgt1cwn}\n")
		case 2:
			b.WriteString("  - {who: 'agent:claude-1', at: 2026-11-21T11:31:30Z, did: checked, results: [{check: 'e207b67a3c7144cd', result: pass}]}\n")
		}
	}
	b.WriteString("---\n\n15 % off 9.99 is 8.49, not 8.50.\n")
	return []byte(b.String())
}

// Small is the least that there is, typical about 1 KB, rich a task with a long history. The others are typical, with a
// comment in the first line or behind the last: yaml.v3 reads those.
func BenchmarkTaskParse(b *testing.B) {
	none := strings.NewReplacer()
	for _, size := range []struct {
		name            string
		checks, entries int
		comment         *strings.Replacer
	}{
		{"small", 0, 1, none}, {"typical", 2, 5, none}, {"rich", 20, 60, none}, {"1000 entries", 2, 1000, none},
		{"comment first", 2, 5, strings.NewReplacer("---\nid", "---\n# c\nid")},
		{"comment last", 2, 5, strings.NewReplacer("---\n\n15", "# c\n---\n\n15")},
	} {
		src := []byte(size.comment.Replace(string(taskFile(size.checks, size.entries))))
		b.Run("front/"+size.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := format.Parse(src, format.Markdown); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("task/"+size.name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := kind.Tasks.Parse(src); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
