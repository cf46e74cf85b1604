package statements_test

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/evidence"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"github.com/cairn-tasks/cairn/store/statements"
	"github.com/cairn-tasks/cairn/store/storetest"
)

type key string

func (k key) KeyID() string { return string(k) }

func (k key) SignRaw(_ context.Context, message []byte) ([]byte, error) {
	return ed25519.Sign(signtest.Key(string(k)), message), nil
}

// Runs of a CI that end at the same moment push to one ref: each has its evidence there in the end, and all of the others'.
func TestSlowExchangeAtOnce(t *testing.T) {
	slowtest.Skip(t)
	dir := t.TempDir()
	hub := filepath.Join(dir, "hub.git")
	storetest.Git(t, dir, "init", "-q", "--bare", hub)
	const clones, each = 4, 3
	var shelves []statements.Shelf
	for i := range clones {
		at := filepath.Join(dir, fmt.Sprint(i))
		storetest.Git(t, dir, "init", "-q", at)
		storetest.Git(t, at, "remote", "add", "origin", hub)
		s := storetest.NewAt(t, at)
		shelves = append(shelves, statements.Of(s, func() time.Time { return time.Unix(1790000000, 0) }))
	}
	var all sync.WaitGroup
	for i, shelf := range shelves {
		all.Go(func() {
			for n := range each {
				c := evidence.Close{
					Task: record.ID(fmt.Sprintf("T-%d", i)), Close: strings.Repeat("ab", 16), Commit: fmt.Sprintf("%040x", n), Checks: []evidence.Passed{{Key: "k", Desc: "d"}},
				}
				s, err := c.Statement()
				if err != nil {
					t.Error(err)
					return
				}
				sealed, err := evidence.Seal(t.Context(), s, key("witness"))
				if err == nil {
					err = shelf.Add(t.Context(), sealed)
				}
				if err != nil {
					t.Error(err)
					return
				}
				if done, err := shelf.Exchange(t.Context()); err != nil || !done.Pushed {
					t.Errorf("clone %d, push %d: %+v, %v", i, n, done, err)
				}
			}
		})
	}
	all.Wait()
	for i, shelf := range shelves {
		if _, err := shelf.Exchange(t.Context()); err != nil {
			t.Fatal(err)
		}
		found := 0
		for n := range clones {
			of, err := shelf.Read(t.Context(), fmt.Sprintf("T-%d", n))
			if err != nil {
				t.Fatal(err)
			}
			found += len(of)
		}
		if found != clones*each {
			t.Errorf("clone %d has %d of %d", i, found, clones*each)
		}
	}
}
