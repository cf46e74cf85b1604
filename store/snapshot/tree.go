package snapshot

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
	"github.com/cairn-tasks/cairn/store/progress"
	"github.com/cairn-tasks/cairn/task"
)

// tree is what was read from a source.
type tree struct {
	proof.Tree
	ids    map[string]string // the ids of the contents in git, by path
	sums   map[string]string // of the files that cannot be read as what they should be, by path; see sum
	format int               // that config.yaml names; 0 if it was not read
}

// readTree reads everything that the rules are about. Files that cannot be read are in the tree, with the reason; only
// a source that cannot be listed or read is an error. Tasks with the same content are taken from another tree, which
// may be nil: parsing YAML is what takes time.
func readTree(ctx context.Context, l layout.Layout, src source, other *tree) (*tree, error) {
	return fillTree(ctx, src, &treeReader{Layout: l, known: other.task})
}

// fillTree is readTree with a reader that is set up.
func fillTree(ctx context.Context, src source, r *treeReader) (*tree, error) {
	blobs, err := src.list(ctx)
	if err != nil {
		return nil, err
	}
	sorted.By(blobs, func(a, b blob) int { return strings.Compare(a.path, b.path) })
	r.tree, r.wait = &tree{ids: map[string]string{}, sums: map[string]string{}}, *layout.Patient()
	for _, k := range kind.Kinds() {
		if of, ok := k.Proof(); ok {
			r.Kinds = append(r.Kinds, of)
		}
	}
	r.Files = map[string]string{}
	r.Config.Path = r.Rel(r.ConfigFile())
	r.Config.Unread = errNoConfig
	for _, b := range blobs {
		r.add(b)
	}
	if err := r.read(ctx, src); err != nil {
		return nil, err
	}
	// Leave out what was deleted since it was listed.
	r.without(func(f *proof.File) bool { return problem.Missing(f.Unread) })
	r.setSeconds()
	r.Config.Flow.Signers = r.keys
	return r.tree, nil
}

// without takes files of records out of the tree.
func (t *tree) without(gone func(*proof.File) bool) {
	t.Tasks = slices.DeleteFunc(t.Tasks, func(f *proof.TaskFile) bool { return gone(&f.File) })
	t.Records = slices.DeleteFunc(t.Records, func(f *proof.RecordFile) bool { return gone(&f.File) })
}

// setSeconds takes out of the tree the files whose record has another one that counts: as in package place, that in the
// folder of the kind does, or else that in the newest month.
func (t *tree) setSeconds() {
	counts := map[record.Ref]*proof.File{}
	for _, f := range t.All() {
		if k, id, ok := kind.At(f.Path); ok && (counts[f.Ref] == nil || counts[f.Ref].Path != k.File(id)) {
			counts[f.Ref] = f // months are in their order
		}
	}
	t.without(func(f *proof.File) bool {
		other := counts[f.Ref]
		if other == nil || other == f {
			return false
		}
		t.Seconds = append(t.Seconds, proof.SecondFile{File: *f, Counts: other.Path, Same: f.Src != nil && bytes.Equal(f.Src, other.Src)})
		return true
	})
}

// task returns the task at a path, if its content has this id in git; else nil.
func (t *tree) task(name, id string) *proof.TaskFile {
	if t == nil {
		return nil
	}
	i, ok := slices.BinarySearchFunc(t.Tasks, name, func(f *proof.TaskFile, name string) int { return strings.Compare(f.Path, name) })
	if !ok || t.Tasks[i].Src == nil || cmp.Or(t.ids[name], git.ContentID(t.Tasks[i].Src, id)) != id {
		return nil
	}
	return t.Tasks[i]
}

// errNoConfig is why the config of a tree without one cannot be read.
var errNoConfig = record.Errorf(record.BadFile, "config.yaml is missing").WithHint("%s writes one", record.CallTo("init"))

// empty reports whether the tree has no config and no records.
func (t *tree) empty() bool {
	return isAbsent(&t.Config.File) && len(t.Tasks) == 0 && len(t.Records) == 0
}

type treeReader struct {
	layout.Layout
	*tree
	known func(path, id string) *proof.TaskFile
	todo  []unread
	lean  bool         // long bodies are not kept; the tree cannot be compared with another one
	keys  task.Signers // those in allowed_signers; nil if there are none

	mu   sync.Mutex // guards wait, and the maps of the tree while files are read
	wait layout.Patience
}

// unread is a file that is listed and still to be read.
type unread struct {
	blob
	kind format.Kind
	ref  record.Ref                    // the record that it should be; zero for none
	text bool                          // it is not parsed as a document
	put  func(proof.File, *format.Doc) // puts what was read into the tree; nil for a file that records refer to
}

// add adds a listed file to the tree, and to the files to be read.
func (r *treeReader) add(b blob) {
	if b.id != "" {
		r.ids[b.path] = b.id
	}
	part, ok := partAt(b.path)
	switch {
	case record.IsFilePath(b.path):
		r.Files[b.path] = ""
		r.todo = append(r.todo, unread{blob: b})
	case !ok:
		r.addOther(b)
	case part.config:
		r.todo = append(r.todo, unread{blob: b, kind: format.YAML, put: r.setConfig})
	case part.signers:
		r.todo = append(r.todo, unread{blob: b, kind: format.YAML, text: true, put: r.setSigners})
	default:
		r.addRecord(b, part.kind, part.id)
	}
}

// addOther adds a file that is no record, if some file systems take it for one, or if it should not be committed.
func (r *treeReader) addOther(b blob) {
	if other, ok := takenFor(b.path); ok {
		unread := record.Errorf(record.BadFile, "is taken for %s where names that differ in case, blanks or invisible characters are one", other).
			WithHint("give the file another name, or take it away")
		r.Tasks = append(r.Tasks, &proof.TaskFile{File: proof.File{Path: b.path, Unread: unread, Ref: kind.Tasks.Ref(path.Base(b.path))}})
	}
	if b.tracked && layout.LocalOnly(b.path) {
		r.Local = append(r.Local, b.path)
	}
}

func (r *treeReader) addRecord(b blob, k *kind.Kind, id string) {
	u := unread{blob: b, kind: k.Form, ref: k.Ref(id)}
	if k == kind.Tasks.Kind {
		f := r.known(b.path, b.id)
		if f == nil {
			f = &proof.TaskFile{}
			u.put = func(file proof.File, doc *format.Doc) { r.setTask(f, file, doc) }
			r.todo = append(r.todo, u)
		}
		r.Tasks = append(r.Tasks, f)
		return
	}
	got := &proof.RecordFile{}
	r.Records = append(r.Records, got)
	u.put = func(f proof.File, doc *format.Doc) {
		got.File = f
		if doc == nil {
			return
		}
		if got.Value, got.Flaw = k.Decode(doc); got.Flaw != nil {
			got.Flaw = formatError(got.Flaw)
			return
		}
		got.Head = k.Header(got.Value)
		if own, _ := kind.Entries(doc); len(own) < len(got.Head.Log) {
			got.Head.Log = got.Head.Log.Since(len(got.Head.Log) - len(own)) // older proposals have their first entries in other keys
		}
	}
	r.todo = append(r.todo, u)
}

// read reads and parses the files, on all processors.
func (r *treeReader) read(ctx context.Context, src source) error {
	blobs := record.Each(r.todo, func(u unread) blob { return u.blob })
	count := progress.Start(ctx, "reading files", len(blobs))
	defer count.End()
	return src.read(ctx, blobs, func(i int, src []byte, err error) {
		defer count.Add(1)
		if u := r.todo[i]; u.put == nil {
			r.setFile(u.path, src, err)
		} else {
			u.put(r.parse(u, src, err))
		}
	})
}

// setFile puts the hash of a file that records refer to into the tree. One that is gone meanwhile is not there.
func (r *treeReader) setFile(path string, content []byte, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case problem.Missing(err):
		delete(r.Files, path)
	case err == nil:
		sum := sha256.Sum256(content)
		r.Files[path] = hex.EncodeToString(sum[:])
	}
}

// parse parses a file. One in the working tree that is incomplete is read again for a while, since an editor may be
// saving it.
func (r *treeReader) parse(u unread, src []byte, err error) (proof.File, *format.Doc) {
	f := proof.File{Path: u.path, Parse: ParseYAML, Ref: u.ref}
	if u.kind == format.Markdown {
		f.Parse = ParseMarkdown
	}
	if err == nil && bytes.HasPrefix(src, []byte(pointer)) {
		err = errPointer
	}
	var doc *format.Doc
	for err == nil {
		if u.text {
			f.Src = src
			return f, nil
		}
		if doc, err = format.Parse(src, u.kind); err == nil {
			f.Src = src
			return f, doc
		}
		if u.id == "" && layout.Incomplete(err) {
			r.mu.Lock()
			again := r.wait.Wait()
			r.mu.Unlock()
			if again {
				src, err = layout.ReadFile(r.Abs(u.path))
			}
		}
	}
	f.Unread = formatError(problem.IO(err))
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case src != nil:
		r.sums[u.path] = sumOf(src)
	case u.id != "" || u.staged != "":
		r.sums[u.path] = cmp.Or(u.id, u.staged) // a link, or too large to be read
	}
	return f, nil
}

func (r *treeReader) setConfig(f proof.File, doc *format.Doc) {
	if problem.Missing(f.Unread) {
		return
	}
	r.Config = proof.ConfigFile{File: f}
	if doc != nil {
		var c kind.Config
		c, r.Config.Unknown, r.Config.Flaw = kind.DecodeConfig(doc)
		r.Config.Flaw = formatError(r.Config.Flaw)
		r.Config.Flow, r.Config.Severities = c.Flow, c.Rules
		r.Config.Guards, r.Config.Require = c.Guards, c.Require
		r.Config.Sandboxed, r.Config.JobsSandboxed = c.CheckSandbox == kind.SandboxSystem, c.JobSandbox != kind.SandboxNone
		r.Config.ByMerge, r.Config.Setup, r.Config.Repos = c.CloseByMerge, c.WorktreeSetup, map[string]string{}
		for _, repo := range c.Repos {
			r.Config.Repos[repo.Name] = cmp.Or(repo.Path, repo.URL)
		}
		r.format = c.Format
		r.Config.Head.Log, _ = kind.Entries(doc) // those of a config that is not sound are not compared
	}
}

func (r *treeReader) setSigners(f proof.File, _ *format.Doc) {
	if problem.Missing(f.Unread) {
		return
	}
	r.Signers = proof.SignersFile{File: f}
	if !f.Sound() {
		return
	}
	keys := sshsign.ParseAllowed(f.Src)
	for _, s := range keys.Signers {
		if s.Grants() {
			r.Signers.Grants = append(r.Signers.Grants, proof.SignersLine{Line: s.Line, Text: s.String()})
		}
	}
	for _, p := range keys.Problems {
		r.Signers.Problems = append(r.Signers.Problems, proof.SignersLine{Line: p.Line, Text: p.Msg})
	}
	r.keys = keys
}

func (r *treeReader) setTask(got *proof.TaskFile, f proof.File, doc *format.Doc) {
	got.File = f
	if doc != nil {
		got.Task, got.Flaw = kind.Tasks.Decode(doc)
		got.Head, got.Flaw = got.Task.Header(), formatError(got.Flaw)
		if r.lean && len(got.Task.Body) > kind.BodyListed && !strings.Contains(got.Task.Body, proof.ConflictMark) {
			got.Task.Body, got.Src = "", bytes.Clone(got.Src[:len(got.Src)-len(doc.Body())])
		}
	}
}

// ParseMarkdown parses a file with front matter for the rules of package proof. It returns nil if it cannot be parsed.
func ParseMarkdown(src []byte) proof.Document { return parseDocument(src, format.Markdown) }

// ParseYAML parses a YAML file for the rules of package proof. It returns nil if it cannot be parsed.
func ParseYAML(src []byte) proof.Document { return parseDocument(src, format.YAML) }

func parseDocument(src []byte, kind format.Kind) proof.Document {
	if doc, err := format.Parse(src, kind); err == nil {
		return document{doc}
	}
	return nil
}

// document is the proof.Document of a file.
type document struct{ doc *format.Doc }

func (d document) Line(at proof.Path) int { return d.doc.LineOf(format.Path(at)) }

func (d document) Conflict() int { return d.doc.Unmerged() }

func (d document) Entries() []string {
	return d.doc.Meanings("provenance", format.Values(record.EntryValues()))
}

// formatError turns a *format.Error into a *proof.FormatError. Other errors stay as they are.
func formatError(err error) error {
	var at *format.Error
	if !errors.As(err, &at) {
		return err
	}
	out := &proof.FormatError{Line: at.Line, Msg: at.Msg, Err: err}
	switch {
	case at.Conflict:
		out.Rule = proof.ConflictMarkers
	case at.Duplicate:
		out.Rule = proof.DuplicateKey
	case at.Missing:
		out.Rule = proof.MissingField
	}
	return out
}
