package store

import (
	"errors"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/runs"
	"github.com/cairn-tasks/cairn/store/snapshot"
)

// Store is one workspace on disk. It holds no open file and no cache: every call reads the files.
type Store struct {
	workTree
	Config   kind.Config
	stateDir string // the user's own folder, which has the consents of package trust
	fresh    bool   // the index is not used
	filesIn  string // the top of the work tree that has the files of tasks of another repository; "" for the folder of the config
	pipeline bool   // of a CI, which has said that commands may run
	later    *Later // keeps what would become live state; nil if that is written at once

	lockPatience  time.Duration     // how long a write waits for the lock; shorter in tests
	beforePublish func(path string) // for tests: called between the last read of a file and its replacement
}

// workTree is what lies in one work tree of a clone: the records, the files that they refer to, and git around it. It
// has all paths, and the live state.
type workTree struct{ live.Clone }

// Open opens the nearest workspace at or above dir. stateDir is the user's own folder for what must not be in a
// repository; it need not exist. It returns NO_WORKSPACE if there is no workspace, and BAD_FILE, with line and column,
// if the config cannot be used.
func Open(dir, stateDir string) (*Store, error) {
	l, err := layout.Find(dir)
	if err != nil {
		return nil, err
	}
	if err := l.NoLinks(place.All(l)...); err != nil {
		return nil, err
	}
	config, err := snapshot.ReadConfig(l)
	if err != nil {
		return nil, err
	}
	config.Flow.Signers = snapshot.SignersOf(l)
	tree := workTree{live.Clone{Layout: l}}
	return &Store{workTree: tree, Config: config, stateDir: stateDir, lockPatience: lockPatience}, nil
}

// StateDir is the folder of the user in which consents are.
func (s *Store) StateDir() string { return s.stateDir }

// file is the file of a record, as it was read.
type file struct {
	path  string
	doc   *format.Doc // nil if the file does not exist
	value any
}

// readFile reads the file of a record, wherever it lies. A missing one is fs.ErrNotExist, a broken one BAD_FILE.
func (s workTree) readFile(k *kind.Kind, id string, p *layout.Patience) (f file, err error) {
	if err := k.ParseID(id); err != nil {
		return file{}, err
	}
	err = place.Try(s.Layout, k, id, func(path string) (err error) { f, err = s.readAt(k, id, path, p); return err })
	return f, err
}

// readAt reads the file of a record that lies at a path. Its errors are those of readFile.
func (s workTree) readAt(k *kind.Kind, id, path string, p *layout.Patience) (file, error) {
	f := file{path: path}
	doc, err := layout.ReadDoc(path, k.Form, p)
	if err == nil {
		f.doc = doc
		f.value, err = decode(k, id, doc)
	}
	return f, s.badFile(path, err)
}

// parse reads the text of the file of a record that lies at a path. Its errors are those of readFile.
func (s workTree) parse(k *kind.Kind, id, path string, src []byte) (any, error) {
	doc, err := format.Parse(src, k.Form)
	var v any
	if err == nil {
		v, err = decode(k, id, doc)
	}
	return v, s.badFile(path, err)
}

// decode reads a document as the record with an id.
func decode(k *kind.Kind, id string, doc *format.Doc) (any, error) {
	v, err := k.Decode(doc)
	if err == nil {
		if got := k.Header(v).Ref.ID; got != id {
			err = k.WrongName(doc, id, got)
		}
	}
	return v, err
}

// badFile turns the error of a broken file into BAD_FILE.
func (s workTree) badFile(path string, err error) error {
	if bad := new(format.Error); errors.As(err, &bad) {
		return problem.BadFile(s.Rel(path), err)
	}
	return err
}

// File is the path of the file of a record from the workspace root, with forward slashes: where it lies, or where a new
// one belongs.
func (s workTree) File(k *kind.Kind, id string) string { return place.Of(s.Layout, k, id) }

// Read reads a record from its file. It returns INVALID_INPUT for what cannot be an id, NOT_FOUND if there is no such
// record, and BAD_FILE with the line if its file is broken.
func (s workTree) Read(k *kind.Kind, id string) (any, error) {
	_, v, err := s.Document(k, id)
	return v, err
}

// Document returns a record together with the document that it was read from. Its errors are those of Read.
func (s workTree) Document(k *kind.Kind, id string) (*format.Doc, any, error) {
	f, err := s.readFile(k, id, layout.Patient())
	return f.doc, f.value, notFound(k, id, err)
}

// notFound turns the error of a missing file into NOT_FOUND.
func notFound(k *kind.Kind, id string, err error) error {
	if problem.Missing(err) {
		return k.NotFound(id)
	}
	return problem.IO(err)
}

// Source returns the text of the file of a record, and its revision. It returns NOT_FOUND if there is none.
func (s workTree) Source(k *kind.Kind, id string) (string, record.Rev, error) {
	if err := k.ParseID(id); err != nil {
		return "", "", err
	}
	var src []byte
	err := place.Try(s.Layout, k, id, func(path string) (err error) { src, err = layout.ReadFile(path); return err })
	if err != nil {
		return "", "", notFound(k, id, err)
	}
	return string(src), kind.Rev(src), nil
}

// ConfigEntries returns the provenance of config.yaml. It returns BAD_FILE if that cannot be read.
func (s workTree) ConfigEntries() (record.Log, error) {
	doc, err := layout.ReadDoc(s.ConfigFile(), format.YAML, layout.Patient())
	var log record.Log
	if err == nil {
		log, err = kind.Entries(doc)
	}
	return log, problem.IO(s.badFile(s.ConfigFile(), err))
}

// Runs returns the lock and the logs of runs of checks.
func (s *Store) Runs() runs.Dir { return runs.Dir{Clone: s.Clone, Patience: s.lockPatience} }
