package index

import (
	"fmt"
	"os"
	"testing"

	"github.com/cairn-tasks/cairn/store/kind"
)

// many is a folder of n tasks, and its source as programs have it.
func many(b *testing.B, n int) (place, Source) {
	b.Helper()
	p := newPlace(b)
	for i := range n {
		id := fmt.Sprintf("T-%06d", i)
		if err := os.WriteFile(p.file(id), []byte(text(id, fmt.Sprintf("word%d", i%97))), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	s := p.source()
	s.eager, s.coarse, s.step = false, nil, 1
	return p, s
}

func BenchmarkLook(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		p, s := many(b, n)
		b.Run(fmt.Sprintf("%d/without an index", n), func(b *testing.B) {
			none := s
			none.File = ""
			for b.Loop() {
				look(b, none)
			}
		})
		look(b, s)
		b.Run(fmt.Sprintf("%d/with an index", n), func(b *testing.B) {
			for b.Loop() {
				look(b, s)
			}
		})
		b.Run(fmt.Sprintf("%d/in memory, one file changed", n), func(b *testing.B) {
			view := look(b, s)
			for b.Loop() {
				if err := os.WriteFile(p.file("T-000007"), []byte(text("T-000007", "other")), 0o644); err != nil {
					b.Fatal(err)
				}
				var err error
				if view, err = s.LookAfter(b.Context(), view, []string{"T-000007.md"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		_, s := many(b, n)
		view := look(b, s)
		b.Run(fmt.Sprintf("%d/words on disk", n), func(b *testing.B) {
			for b.Loop() {
				if _, err := s.Search(b.Context(), view, &Terms{}, []string{"word7"}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%d/words in memory", n), func(b *testing.B) {
			known := &Terms{}
			for b.Loop() {
				if _, err := s.Search(b.Context(), view, known, []string{"word7"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFile(b *testing.B) {
	_, s := many(b, 10000)
	view := look(b, s)
	src := encodeFile(kind.Tasks.Kind, sum{}, view.folder, view.entries)
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			encodeFile(kind.Tasks.Kind, sum{}, view.folder, view.entries)
		}
	})
	b.Run("decode", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := decodeFile(src, kind.Tasks.Kind, sum{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
