package layout

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/problem"
)

// ReadFile reads the file of a record. It returns BAD_FILE for what is no regular file, and for one larger than a
// record may be.
func ReadFile(path string) ([]byte, error) { return ReadUpTo(path, format.MaxFile) }

// ReadUpTo is ReadFile for a file that may have this many bytes.
func ReadUpTo(path string, most int64) ([]byte, error) {
	if data, ok := disk.ReadWhole(path, most); ok {
		return data, nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, problem.NotRegular(path)
	}
	if info.Size() > most {
		return nil, problem.TooLarge(path)
	}
	return disk.ReadFile(path)
}

// ReadInput reads a file that the user named. A pipe or a device is an error, instead of waiting for it.
func ReadInput(path string) ([]byte, error) { return disk.ReadFile(path) }

// Patience is how long an incomplete file is read again, since an editor may be saving it. A caller that reads many
// files uses one for all of them. The zero value has none.
type Patience struct{ left time.Duration }

const (
	patient = 50 * time.Millisecond
	nap     = 5 * time.Millisecond
)

// Patient returns the patience for one read, of a file or of many.
func Patient() *Patience { return &Patience{patient} }

// Wait waits a little, and reports whether there was patience left.
func (p *Patience) Wait() bool {
	if p.left <= 0 {
		return false
	}
	p.left -= nap
	time.Sleep(nap)
	return true
}

// OnAllProcessors calls do for each number below n, on as many processors as that is worth, until the context ends.
// Each processor has its own patience.
func OnAllProcessors(ctx context.Context, n int, do func(i int, wait *Patience)) {
	workers := min(runtime.GOMAXPROCS(0), 1+n/16)
	var working sync.WaitGroup
	for w := range workers {
		working.Go(func() {
			wait := Patient()
			for i := w; i < n && ctx.Err() == nil; i += workers {
				do(i, wait)
			}
		})
	}
	working.Wait()
}

// ReadDoc reads and parses a file. A missing one is fs.ErrNotExist, a broken one a *format.Error.
func ReadDoc(path string, form format.Kind, p *Patience) (*format.Doc, error) {
	for {
		src, err := ReadFile(path)
		if err != nil {
			return nil, err
		}
		doc, err := format.Parse(src, form)
		if err == nil {
			return doc, nil
		}
		if !Incomplete(err) || !p.Wait() {
			return nil, err
		}
	}
}

// Incomplete reports whether the error of parsing a file says that another program may be writing it just now.
func Incomplete(err error) bool {
	var bad *format.Error
	return errors.As(err, &bad) && bad.Incomplete
}

// EachName calls fn with each name in a folder that ends in ext, without ext. A missing folder is empty.
func EachName(dir, ext string, fn func(name string)) error {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return problem.IO(err)
	}
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ext); ok {
			fn(name)
		}
	}
	return nil
}

// IsFile reports whether there is a regular file at a path; a link is none.
func IsFile(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsFolder reports whether there is a folder at a path, or a link to one.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Exists reports whether there is anything at a path.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Modified returns when a file was last changed; the zero time if it does not exist.
func Modified(path string) time.Time {
	info, err := os.Lstat(path)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime().UTC()
}
