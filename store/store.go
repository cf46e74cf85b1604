package store

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/disk"
	"github.com/cairn-tasks/cairn/task"
)

// Store is one workspace on disk. It holds no open file and no cache: every call reads what is there.
type Store struct {
	Layout
	Config   Config
	stateDir string // where this user's trust is kept

	lockPatience  time.Duration     // shorter in tests
	beforePublish func(path string) // called between the last look at a file and giving it its name; for tests
}

// Open opens the nearest workspace at or above dir. stateDir is the user's own folder for what must not lie in a
// repository; it need not exist. It returns NO_WORKSPACE if there is none, and BAD_FILE, with line and column, if its
// config cannot be used.
func Open(dir, stateDir string) (*Store, error) {
	layout, err := Find(dir)
	if err != nil {
		return nil, err
	}
	if err := layout.noLinks(); err != nil {
		return nil, err
	}
	config, err := ReadConfig(layout)
	if err != nil {
		return nil, err
	}
	config.Flow.Signers = &signersInForce{layout: layout}
	return &Store{Layout: layout, Config: config, stateDir: stateDir, lockPatience: lockPatience}, nil
}

// revOf is the revision of a file's bytes.
func revOf(src []byte) task.Rev {
	sum := sha256.Sum256(src)
	return task.Rev(hex.EncodeToString(sum[:])[:16])
}

// file is a task or session file as it was read.
type file struct {
	path string
	doc  *frontmatter.Doc
}

// patience is how long a file that is empty or unclosed is read again, since an editor may be in the middle of saving it.
// Whoever reads many files has it once for all of them.
type patience struct{ left time.Duration }

const (
	patient = 50 * time.Millisecond
	nap     = 5 * time.Millisecond
)

// wait waits a little, and reports whether there was any patience left.
func (p *patience) wait() bool {
	if p.left <= 0 {
		return false
	}
	p.left -= nap
	time.Sleep(nap)
	return true
}

// readFile reads and parses one file. A missing one is fs.ErrNotExist, a broken one BAD_FILE. Links are refused.
func (s *Store) readFile(path string, kind frontmatter.Kind, p *patience) (file, error) {
	for {
		src, err := readRegular(path)
		if err != nil {
			return file{}, err
		}
		doc, err := frontmatter.Parse(src, kind)
		if err == nil {
			return file{path, doc}, nil
		}
		var bad *frontmatter.Error
		if !errors.As(err, &bad) || !bad.Incomplete || !p.wait() {
			return file{}, s.badFile(path, err)
		}
	}
}

// readRegular reads a file, and refuses everything that is not one.
func readRegular(path string) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	if info.Size() > frontmatter.MaxFile {
		return nil, tooLarge(path)
	}
	return disk.ReadFile(path)
}

// ReadInput reads a file that the caller named, which must be one: a pipe or a device is an error and no wait.
func ReadInput(path string) ([]byte, error) { return disk.ReadFile(path) }

func notRegular(path string) error {
	return task.Errorf(task.BadFile, "%s is not a regular file", filepath.Base(path)).WithHint("put a real file there; links are not followed")
}

func tooLarge(path string) error {
	return task.Errorf(task.BadFile, "%s is larger than %d bytes", filepath.Base(path), frontmatter.MaxFile).WithHint("move what is long into a file of its own")
}

// readTask reads one task file.
func (s *Store) readTask(id task.ID) (file, task.Task, error) {
	return s.readTaskPatiently(id, &patience{patient})
}

func (s *Store) readTaskPatiently(id task.ID, p *patience) (file, task.Task, error) {
	if _, err := task.ParseID(string(id)); err != nil {
		return file{}, task.Task{}, err
	}
	f, err := s.readFile(s.task(id), frontmatter.Markdown, p)
	if err != nil {
		return file{}, task.Task{}, err
	}
	t, err := readTask(f.doc)
	if err == nil && t.ID != id {
		err = wrongName(f.doc, string(id), string(t.ID))
	}
	if err != nil {
		return file{}, task.Task{}, s.badFile(f.path, err)
	}
	return f, t, nil
}

// Get reads one task. It returns NOT_FOUND if there is none of that id, and BAD_FILE with the line if its file is broken.
func (s *Store) Get(id task.ID) (task.Task, error) {
	_, t, err := s.readTask(id)
	return t, found(id, err)
}

// fullAt is the size of front matter, in bytes, beyond which a task only moves: what is left up to the limit is for that.
const fullAt = 768 << 10

// bareText is how long a summary or a reason may then be, in bytes. It leaves room for some 500 sessions.
const bareText = 256

// Room returns TASK_FULL if the record of a task has no room for another note or run. Moves and closes do not ask: they
// must be possible always.
func (s *Store) Room(id task.ID) error {
	f, _, err := s.readTask(id)
	if err != nil {
		return found(id, err)
	}
	return room(f.doc)
}

func room(doc *frontmatter.Doc) error {
	if len(doc.Front()) <= fullAt {
		return nil
	}
	return task.Errorf(task.TaskFull, "the front matter has grown beyond %d KiB", fullAt>>10).
		WithHint("go on in a new task, and close or cancel this one, with %d bytes of text at most", bareText)
}

// found gives a missing file its code.
func found(id task.ID, err error) error {
	if isMissing(err) {
		return missing("task", string(id))
	}
	return ioError(err)
}

// missing says that there is no task, or no session, of a name.
func missing(kind, name string) error {
	e := task.Errorf(task.NotFound, "there is no %s %s", kind, name)
	if kind == "session" {
		return e.WithHint("%s shows them", task.CallTo("list_sessions"))
	}
	return e.WithHint("%s shows what there is", task.CallTo("list"))
}

// Find is a task.Find over the files.
func (s *Store) Find(id task.ID) (task.Task, bool) {
	_, t, err := s.readTask(id)
	return t, err == nil
}
