//go:build unix

package store_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// A pipe or a device in live state holds nobody up.
func TestSlowPipesInLiveState(t *testing.T) {
	slowtest.Skip(t)
	for _, kind := range []string{"a pipe", "a device"} {
		for i := range liveFiles(&store.Store{}) {
			s, around := hostileStore(t, true)
			path := liveFiles(s)[i]
			t.Run(filepath.Base(path)+" is "+kind, func(t *testing.T) {
				t.Parallel()
				_ = os.Remove(path)
				put := func() error { return syscall.Mkfifo(path, 0o644) }
				if kind == "a device" {
					put = func() error { return syscall.Mknod(path, syscall.S_IFCHR|0o644, 1<<8|5) } // /dev/zero
				}
				if err := put(); err != nil {
					t.Skip(err)
				}
				at := storetest.Open(t, s.Root)
				at.SetLockPatience(time.Second)
				everything(t, at)
				_ = around
			})
		}
	}
}
