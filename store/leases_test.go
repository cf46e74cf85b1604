package store_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/session/leasetest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/remote"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// claimer is an actor of the suite of leases, in a workspace of its own.
type claimer struct {
	session.Leases
	storetest.Actor
}

func (c *claimer) Name() record.Actor { return c.Who }

func (c *claimer) Known(of record.Ref) (record.Header, session.Live) {
	t, err := kind.Tasks.Get(c.S, record.ID(of.ID))
	if err != nil {
		panic(err)
	}
	return t.Header(), c.S.Known(of)
}

func (c *claimer) Lease() session.Lease {
	return session.Lease{Actor: c.Who, Worktree: c.S.Worktree, Branch: "main", Since: c.Now(), Seen: c.Now()}
}

func (c *claimer) Claim(of ...record.Ref) error {
	return c.S.Update(context.Background(), func(tx *store.Tx) error {
		for _, one := range of {
			t, err := kind.Tasks.Get(tx, record.ID(one.ID))
			if err != nil {
				return err
			}
			if err := session.Holder(t.Header(), tx.Known(one), c.Now()).Refuse(t.ID, c.Who, c.S.Worktree, false); err != nil {
				return err
			}
			t, entry, err := c.S.Config.Flow.Claim(t, false, c.Stamp(""))
			if err != nil {
				return err
			}
			if entry != nil {
				lease := c.Lease()
				tx.Claim(one, &lease)
				kind.Tasks.Put(tx, t)
			}
		}
		return nil
	})
}

func (c *claimer) Renounce(of record.Ref) error { return c.Actor.Release(record.ID(of.ID)) }

func (c *claimer) Release(ctx context.Context, of []session.Want, write func() error) error {
	return c.Leases.Release(ctx, of, write)
}

func (c *claimer) Review(of record.Ref) error {
	if err := c.Move(record.ID(of.ID), "in_progress"); err != nil {
		return err
	}
	return c.Move(record.ID(of.ID), leasetest.Reviewed)
}

// meeting is a site of the suite, with the actors and the config that a function gives, in the workspaces that another
// one makes of the first.
func meeting(t *testing.T, config string, place func(t *testing.T, first string) string) leasetest.Site {
	t.Helper()
	var passed atomic.Int64
	site := leasetest.Site{
		Records: []record.Ref{record.ID("PROJ-1").Ref(), record.ID("PROJ-2").Ref()},
		Now:     func() time.Time { return time.Now().Add(time.Duration(passed.Load())) },
		Pass:    func(d time.Duration) { passed.Add(int64(d)) },
	}
	first := storetest.NewRepo(t)
	s := storetest.NewAt(t, first)
	for _, of := range site.Records {
		if err := storetest.NewActor(s, "human:ann").CreateAs(record.ID(of.ID), "A task"); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.OpenFile(filepath.Join(first, ".cairn", "config.yaml"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(config); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	storetest.CommitAll(t, s)
	for _, who := range []record.Actor{"human:ann", "human:bob", "human:cho", "human:dee"} {
		s := storetest.Open(t, place(t, first))
		site.Actors = append(site.Actors, &claimer{remote.Leases(s, who, site.Now), storetest.Actor{S: s, Who: who, Now: site.Now}})
	}
	return site
}

// In one clone the write lock decides, and among clones the git remote; the promise is the same.
func TestSlowLeases(t *testing.T) {
	slowtest.Skip(t)
	t.Parallel()
	t.Run("worktrees of a clone", func(t *testing.T) {
		leasetest.Run(t, func(t *testing.T) leasetest.Site {
			return meeting(t, "", func(t *testing.T, first string) string {
				dir := filepath.Join(t.TempDir(), "linked")
				storetest.Git(t, first, "worktree", "add", "-q", "-b", "b"+strings.ReplaceAll(filepath.Dir(dir), "/", "-"), dir)
				return dir
			})
		})
	})
	t.Run("clones of a remote", func(t *testing.T) {
		leasetest.Run(t, func(t *testing.T) leasetest.Site {
			bare := filepath.Join(t.TempDir(), "bare.git")
			return meeting(t, "claims_remote: origin\n", func(t *testing.T, first string) string {
				if _, err := os.Stat(bare); err != nil {
					storetest.Git(t, first, "clone", "-q", "--bare", ".", bare)
				}
				dir := filepath.Join(t.TempDir(), "clone")
				storetest.Git(t, first, "clone", "-q", bare, dir)
				return dir
			})
		})
	})
	t.Run("worktrees of a clone of a remote", func(t *testing.T) {
		leasetest.Run(t, func(t *testing.T) leasetest.Site {
			bare := ""
			return meeting(t, "claims_remote: origin\n", func(t *testing.T, first string) string {
				if bare == "" {
					bare = filepath.Join(t.TempDir(), "bare.git")
					storetest.Git(t, first, "clone", "-q", "--bare", ".", bare)
					storetest.Git(t, first, "remote", "add", "origin", bare)
				}
				dir := filepath.Join(t.TempDir(), "linked")
				storetest.Git(t, first, "worktree", "add", "-q", "-b", "b"+strings.ReplaceAll(filepath.Dir(dir), "/", "-"), dir)
				return dir
			})
		})
	})
}
