package search_test

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/watch"
)

// A search in a server of 10,000 tasks of about a kilobyte each, whose words are as seldom as those of a language.
func BenchmarkSearchInAServer(b *testing.B) {
	w, words := bigWorkspace(b, 10_000)
	v, _ := catalogue.Named("search")
	search := func(b *testing.B, q string) {
		in, _ := json.Marshal(map[string]string{"q": q})
		if _, err := v.Call(b.Context(), w, in); err != nil {
			b.Fatal(err)
		}
	}
	search(b, "first")
	for name, q := range map[string]string{
		"common": words[3], "usual": words[300], "two": words[300] + " " + words[1500], "seldom": words[9000], "near": words[2000] + "x",
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				search(b, q)
			}
		})
	}
	b.Run("one file changed", func(b *testing.B) {
		path := filepath.Join(w.Dir, ".cairn", "tasks", "B-000001.md")
		for i := 0; b.Loop(); i++ {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				b.Fatal(err)
			}
			fmt.Fprintf(f, "changed%d\n", i)
			f.Close()
			search(b, words[300])
		}
	})
}

// bigWorkspace is a server in a workspace of n tasks, and the words that they have, the commonest first.
func bigWorkspace(b *testing.B, n int) (*verb.Workspace, []string) {
	b.Helper()
	dir := b.TempDir()
	if _, _, err := store.Init(dir, "B"); err != nil {
		b.Fatal(err)
	}
	random := mathrand.New(mathrand.NewPCG(1, 2))
	words := make([]string, 20_000)
	for i := range words {
		word := make([]byte, 3+random.IntN(8))
		for j := range word {
			word[j] = byte('a' + random.IntN(26))
		}
		words[i] = string(word)
	}
	some := func(n int) string {
		out := make([]string, n)
		zipf := mathrand.NewZipf(random, 1.1, 3, uint64(len(words)-1))
		for i := range out {
			out[i] = words[zipf.Uint64()]
		}
		return strings.Join(out, " ")
	}
	for i := range n {
		text := fmt.Sprintf("---\nid: B-%06d\ntitle: %s\nstatus: backlog\nprovenance:\n  - {who: 'human:ada', at: 2026-01-02T03:04:05Z, did: created}\n---\n\n%s\n", i, some(6), some(170))
		if err := os.WriteFile(filepath.Join(dir, ".cairn", "tasks", fmt.Sprintf("B-%06d.md", i)), []byte(text), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	reads := verb.NewSharedReads(&watch.Watcher{})
	b.Cleanup(reads.Close)
	return &verb.Workspace{
		Dir: dir, StateDir: filepath.Join(dir, "state"), Actor: verb.As("agent:a"), Rights: verb.Rights{Profile: verb.Viewer},
		Now: time.Now, Rand: rand.Reader, Reads: reads,
	}, words
}
