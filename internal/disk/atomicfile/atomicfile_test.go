package atomicfile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func target(t *testing.T) string {
	return filepath.Join(t.TempDir(), "T-1.md")
}

func put(t *testing.T, path, content string, perm os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), perm); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, perm); err != nil { // past the umask
		t.Fatal(err)
	}
}

func prepared(t *testing.T, path, content string) *Pending {
	t.Helper()
	p, err := Prepare(path, []byte(content), 0o644)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, []byte(want)) {
		t.Errorf("%s holds %q; want %q", filepath.Base(path), got, want)
	}
}

// wantNames is called last in most tests: nothing may be left over.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the folder holds %q; want %q", got, want)
	}
}

// Every way to write a file, for what holds of all of them.
var ways = map[string]func(path string, data []byte) error{
	"replace": func(path string, data []byte) error {
		p, err := Prepare(path, data, 0o644)
		if err != nil {
			return err
		}
		return p.Replace()
	},
	"create": func(path string, data []byte) error {
		p, err := Prepare(path, data, 0o644)
		if err != nil {
			return err
		}
		return p.Create()
	},
	"volatile": WriteVolatile,
}

func TestNewFileHoldsTheContent(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	for name, write := range ways {
		for _, data := range [][]byte{nil, []byte("new\r\n"), big} {
			t.Run(fmt.Sprintf("%s/%d bytes", name, len(data)), func(t *testing.T) {
				path := target(t)
				if err := write(path, data); err != nil {
					t.Fatal(err)
				}
				wantContent(t, path, string(data))
				wantNames(t, filepath.Dir(path), "T-1.md")
			})
		}
	}
}

func TestReplaceKeepsPermissionBits(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no permission bits to keep")
	}
	for _, way := range []string{"replace", "volatile"} {
		for _, perm := range []os.FileMode{0o600, 0o640, 0o666, 0o755} {
			t.Run(fmt.Sprintf("%s/%o", way, perm), func(t *testing.T) {
				path := target(t)
				put(t, path, "old", perm)
				if err := ways[way](path, []byte("new")); err != nil {
					t.Fatal(err)
				}
				wantContent(t, path, "new")
				info, err := os.Stat(path)
				if err != nil {
					t.Fatal(err)
				}
				if info.Mode() != perm {
					t.Errorf("permissions are %o; want %o", info.Mode(), perm)
				}
			})
		}
	}
}

func TestOldContentStandsUntilReplace(t *testing.T) {
	path := target(t)
	put(t, path, "old", 0o644)
	p := prepared(t, path, "new")
	wantContent(t, path, "old")
	if err := p.Replace(); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "new")
}

func TestDiscardLeavesEverythingAsItWas(t *testing.T) {
	path := target(t)
	put(t, path, "old", 0o644)
	p := prepared(t, path, "new")
	for range 2 {
		if err := p.Discard(); err != nil {
			t.Error(err)
		}
	}
	wantContent(t, path, "old")
	wantNames(t, filepath.Dir(path), "T-1.md")
}

func TestDiscardAfterSuccessDoesNothing(t *testing.T) {
	path := target(t)
	p := prepared(t, path, "new")
	if err := p.Replace(); err != nil {
		t.Fatal(err)
	}
	if err := p.Discard(); err != nil {
		t.Error(err)
	}
	wantContent(t, path, "new")
}

// Both ways to create are tried, as the file system of the test has links or has not.
var creates = map[string]func(*Pending) error{
	"by link":      (*Pending).Create,
	"by reserving": (*Pending).createByReserving,
}

func TestCreateNeverOverwrites(t *testing.T) {
	for name, create := range creates {
		t.Run(name, func(t *testing.T) {
			path := target(t)
			p := prepared(t, path, "new")
			put(t, path, "somebody's", 0o644)
			if err := create(p); !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v; want fs.ErrExist", err)
			}
			_ = p.Discard()
			wantContent(t, path, "somebody's")
			wantNames(t, filepath.Dir(path), "T-1.md")
		})
	}
}

func TestTwentyCreateAndOneWins(t *testing.T) {
	for name, create := range creates {
		t.Run(name, func(t *testing.T) {
			path := target(t)
			var won []string
			var mu sync.Mutex
			var wg sync.WaitGroup
			for i := range 20 {
				content := fmt.Sprintf("content %d", i)
				p := prepared(t, path, content)
				wg.Go(func() {
					defer func() { _ = p.Discard() }()
					switch err := create(p); {
					case err == nil:
						mu.Lock()
						won = append(won, content)
						mu.Unlock()
					case !errors.Is(err, fs.ErrExist):
						t.Error(err)
					}
				})
			}
			wg.Wait()
			if len(won) != 1 {
				t.Fatalf("won: %q; want one", won)
			}
			wantContent(t, path, won[0])
			wantNames(t, filepath.Dir(path), "T-1.md")
		})
	}
}

func TestOnlyFilesAreWritten(t *testing.T) {
	for name, write := range ways {
		t.Run(name+"/folder", func(t *testing.T) {
			path := target(t)
			if err := os.Mkdir(path, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := write(path, []byte("new")); !errors.Is(err, ErrNotRegular) {
				t.Errorf("error %v; want ErrNotRegular", err)
			}
			wantNames(t, filepath.Dir(path), "T-1.md")
		})
		t.Run(name+"/link", func(t *testing.T) {
			path := target(t)
			outside := filepath.Join(t.TempDir(), "outside")
			put(t, outside, "not ours", 0o644)
			if err := os.Symlink(outside, path); err != nil {
				t.Skip(err)
			}
			if err := write(path, []byte("new")); !errors.Is(err, ErrNotRegular) {
				t.Errorf("error %v; want ErrNotRegular", err)
			}
			wantContent(t, outside, "not ours")
			wantNames(t, filepath.Dir(path), "T-1.md")
		})
	}
}

func TestMissingFolderIsNotMade(t *testing.T) {
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := write(filepath.Join(dir, "absent", "T-1.md"), nil); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("error %v; want fs.ErrNotExist", err)
			}
			wantNames(t, dir)
		})
	}
}

func TestReadOnlyFolderIsLeftAlone(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("nothing keeps this user from writing to a read-only folder")
	}
	for name, write := range ways {
		t.Run(name, func(t *testing.T) {
			path := target(t)
			put(t, path, "old", 0o644)
			dir := filepath.Dir(path)
			if err := os.Chmod(dir, 0o555); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
			if err := write(path, []byte("new")); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("error %v; want fs.ErrPermission", err)
			}
			wantContent(t, path, "old")
			wantNames(t, dir, "T-1.md")
		})
	}
}

// A folder that takes the file's place after the last look makes the rename fail; the failure must clean up too.
func TestFailedReplaceLeavesNoTemp(t *testing.T) {
	path := target(t)
	p := prepared(t, path, "new")
	if err := os.MkdirAll(filepath.Join(path, "full"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := p.Replace(); err == nil {
		t.Error("a folder was replaced by a file")
	}
	wantNames(t, filepath.Dir(path), "T-1.md")
}
