package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/store/sshsign"
	"github.com/cairn-tasks/cairn/task"
)

// tree is a record as it was read from a source.
type tree struct {
	proof.Tree
	ids    map[string]string // the ids of the contents that git keeps, by path
	sums   map[string]string // of the files that could not be read as what they should be, by path; see sum
	format int               // that config.yaml names; 0 if it was not read
}

// readTree reads everything that the rules look at. Files that cannot be read are in the tree, with the reason; only a
// source that cannot be listed or asked is an error. Tasks that another tree, which may be nil, has with the same content
// are taken from there: reading YAML is what costs.
func (l Layout) readTree(ctx context.Context, src source, other *tree) (*tree, error) {
	return l.fillTree(ctx, src, &treeReader{Layout: l, known: other.task})
}

// fillTree is readTree with a reader that was set up.
func (l Layout) fillTree(ctx context.Context, src source, r *treeReader) (*tree, error) {
	blobs, err := src.list(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(blobs, func(a, b blob) int { return strings.Compare(a.path, b.path) })
	r.tree, r.wait = &tree{ids: map[string]string{}, sums: map[string]string{}}, patience{patient}
	r.Config.Path = l.ConfigPath()
	r.Config.Unread = errNoConfig
	for _, b := range blobs {
		r.place(b)
	}
	if err := r.read(ctx, src); err != nil {
		return nil, err
	}
	// What was deleted since it was listed is not there.
	r.Tasks = slices.DeleteFunc(r.Tasks, func(f proof.TaskFile) bool { return isMissing(f.Unread) })
	r.Records = slices.DeleteFunc(r.Records, func(f proof.RecordFile) bool { return isMissing(f.Unread) })
	r.Config.Flow.Signers = r.keys
	return r.tree, nil
}

// task finds the task of a path, if its content is the one that git keeps under an id.
func (t *tree) task(name, id string) (proof.TaskFile, bool) {
	if t == nil {
		return proof.TaskFile{}, false
	}
	i, ok := slices.BinarySearchFunc(t.Tasks, name, func(f proof.TaskFile, name string) int { return strings.Compare(f.Path, name) })
	if !ok || t.Tasks[i].Src == nil {
		return proof.TaskFile{}, false
	}
	have := t.ids[name]
	if have == "" {
		have = git.ContentID(t.Tasks[i].Src, id)
	}
	return t.Tasks[i], have == id
}

// errNoConfig is why the config of a tree without one is not sound.
var errNoConfig = task.Errorf(task.BadFile, "config.yaml is missing").WithHint("%s writes one", task.CallTo("init"))

// empty reports whether there is no record: no config, no task and none of another kind.
func (t *tree) empty() bool {
	return isAbsent(&t.Config.File) && len(t.Tasks) == 0 && len(t.Records) == 0
}

// treeReader fills a tree.
type treeReader struct {
	Layout
	*tree
	known func(path, id string) (proof.TaskFile, bool)
	todo  []unread
	lean  bool         // long bodies are not kept: the tree is compared with no other
	keys  task.Signers // nil for nobody's

	waiting sync.Mutex
	wait    patience

	summing sync.Mutex
}

// unread is a file that was listed, and what is done with it once it is read.
type unread struct {
	blob
	kind frontmatter.Kind
	text bool // it is no document
	put  func(proof.File, *frontmatter.Doc)
}

// place makes room for a file in the tree.
func (r *treeReader) place(b blob) {
	if b.id != "" {
		r.ids[b.path] = b.id
	}
	switch kind, name := recordAt(b.path); kind {
	case configRecord:
		r.todo = append(r.todo, unread{b, frontmatter.YAML, false, r.setConfig})
	case taskRecord:
		i := len(r.Tasks)
		f, ok := r.known(b.path, b.id)
		f.Name = task.ID(name)
		r.Tasks = append(r.Tasks, f)
		if !ok {
			r.todo = append(r.todo, unread{b, frontmatter.Markdown, false, func(f proof.File, doc *frontmatter.Doc) { r.setTask(i, f, doc) }})
		}
	case sessionRecord:
		r.placeRecord(b, proof.SessionKind, name, sessionRecordOf)
	case signersRecord:
		r.todo = append(r.todo, unread{b, frontmatter.YAML, true, r.setSigners})
	case proposalRecord:
		r.placeRecord(b, proof.ProposalKind, name, proposalRecordOf)
	case otherRecord:
		if other, ok := takenFor(b.path); ok {
			unread := task.Errorf(task.BadFile, "is taken for %s where names that differ in case, blanks or invisible characters are one", other).
				WithHint("give the file another name, or take it away")
			r.Tasks = append(r.Tasks, proof.TaskFile{File: proof.File{Path: b.path, Unread: unread}, Name: task.ID(path.Base(b.path))})
		}
		if b.tracked && localOnly(b.path) {
			r.Local = append(r.Local, b.path)
		}
	}
}

// placeRecord makes room for a record that is no task. decode reads what the rules judge of it.
func (r *treeReader) placeRecord(b blob, kind, name string, decode func(*frontmatter.Doc) (task.Header, any, error)) {
	i := len(r.Records)
	r.Records = append(r.Records, proof.RecordFile{Kind: kind, Name: name})
	r.todo = append(r.todo, unread{b, frontmatter.YAML, false, func(f proof.File, doc *frontmatter.Doc) {
		got := &r.Records[i]
		got.File = f
		if doc != nil {
			got.Head, got.Value, got.Flaw = decode(doc)
			got.Flaw = formatError(got.Flaw)
		}
	}})
}

// sessionRecordOf reads what the rules judge of a session.
func sessionRecordOf(doc *frontmatter.Doc) (task.Header, any, error) {
	s, err := readSession(doc)
	return task.Header{Ref: task.Ref{Kind: proof.SessionKind, ID: s.ID}, Status: task.Status(s.Status), Assignee: s.Actor}, s, err
}

// proposalRecordOf reads what the rules judge of a proposal.
func proposalRecordOf(doc *frontmatter.Doc) (task.Header, any, error) {
	p, err := readProposal(doc)
	log := (&reader{doc: doc}).entries() // without those that an older proposal has in keys of its own
	return task.Header{Ref: task.Ref{Kind: proof.ProposalKind, ID: p.ID}, Title: p.Summary, Log: log}, proof.Proposal{Made: p.Made}, err
}

// read reads the files one after the other, and parses them on all processors.
func (r *treeReader) read(ctx context.Context, src source) error {
	type content struct {
		unread
		src []byte
		err error
	}
	work := make(chan content, 64)
	var parsers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		parsers.Go(func() {
			for c := range work {
				c.put(r.parse(c.unread, c.src, c.err))
			}
		})
	}
	blobs := make([]blob, len(r.todo))
	for i, u := range r.todo {
		blobs[i] = u.blob
	}
	err := src.read(ctx, blobs, func(i int, src []byte, err error) { work <- content{r.todo[i], src, err} })
	close(work)
	parsers.Wait()
	return err
}

// parse reads a file as a document, patiently if it lies where an editor may be saving it.
func (r *treeReader) parse(u unread, src []byte, err error) (proof.File, *frontmatter.Doc) {
	f := proof.File{Path: u.path, Parse: ParseYAML}
	if u.kind == frontmatter.Markdown {
		f.Parse = ParseMarkdown
	}
	if err == nil && bytes.HasPrefix(src, []byte(pointer)) {
		err = errPointer
	}
	var doc *frontmatter.Doc
	for err == nil {
		if u.text {
			f.Src = src
			return f, nil
		}
		if doc, err = frontmatter.Parse(src, u.kind); err == nil {
			f.Src = src
			return f, doc
		}
		var bad *frontmatter.Error
		if u.id == "" && errors.As(err, &bad) && bad.Incomplete && r.mayWait() {
			src, err = readRegular(r.onDisk(u.path))
		}
	}
	f.Unread = formatError(ioError(err))
	r.summing.Lock()
	defer r.summing.Unlock()
	switch {
	case src != nil:
		r.sums[u.path] = sumOf(src)
	case u.id != "" || u.staged != "":
		r.sums[u.path] = cmp.Or(u.id, u.staged) // a link, or what is too large to be read
	}
	return f, nil
}

// mayWait is patience.wait for all parsers together.
func (r *treeReader) mayWait() bool {
	r.waiting.Lock()
	defer r.waiting.Unlock()
	return r.wait.wait()
}

func (r *treeReader) setConfig(f proof.File, doc *frontmatter.Doc) {
	if isMissing(f.Unread) {
		return
	}
	r.Config = proof.ConfigFile{File: f}
	if doc != nil {
		var c Config
		c, r.Config.Unknown, r.Config.Flaw = readConfig(doc)
		r.Config.Flaw = formatError(r.Config.Flaw)
		r.Config.Flow, r.Config.Severities = c.Flow, c.Rules
		r.format = c.Format
	}
}

func (r *treeReader) setSigners(f proof.File, _ *frontmatter.Doc) {
	if isMissing(f.Unread) {
		return
	}
	r.Signers = proof.SignersFile{File: f}
	if !f.Sound() {
		return
	}
	keys := sshsign.ParseAllowed(f.Src)
	for _, s := range keys.Signers {
		if !s.Others {
			r.Signers.Grants = append(r.Signers.Grants, proof.SignersLine{Line: s.Line, Text: s.String()})
		}
	}
	for _, p := range keys.Problems {
		r.Signers.Problems = append(r.Signers.Problems, proof.SignersLine{Line: p.Line, Text: p.Msg})
	}
	r.keys = keys
}

func (r *treeReader) setTask(i int, f proof.File, doc *frontmatter.Doc) {
	got := &r.Tasks[i]
	got.File = f
	if doc != nil {
		got.Task, got.Flaw = readTask(doc)
		got.Flaw = formatError(got.Flaw)
		if r.lean && len(got.Task.Body) > bodyListed && !strings.Contains(got.Task.Body, conflictMark) {
			got.Task.Body, got.Src = "", bytes.Clone(got.Src[:len(got.Src)-len(doc.Body())])
		}
	}
}

// conflictMark is what a body has that the rules look into.
const conflictMark = "<<<<<<< "

// ParseMarkdown reads a file with front matter for the rules of package proof. It returns nil if it is none.
func ParseMarkdown(src []byte) proof.Document { return parseDocument(src, frontmatter.Markdown) }

// ParseYAML reads a YAML file for the rules of package proof. It returns nil if it is none.
func ParseYAML(src []byte) proof.Document { return parseDocument(src, frontmatter.YAML) }

func parseDocument(src []byte, kind frontmatter.Kind) proof.Document {
	doc, err := frontmatter.Parse(src, kind)
	if err != nil {
		return nil
	}
	return document{doc}
}

// document answers what the rules ask of a file.
type document struct{ doc *frontmatter.Doc }

func (d document) Line(at proof.Path) int { return d.doc.LineOf(frontmatter.Path(at)) }

func (d document) Conflict() int { return d.doc.Unmerged() }

func (d document) Entries() []string {
	return d.doc.Meanings("provenance", frontmatter.Values(task.EntryValues()))
}

// formatError gives an error of the format the form that the rules know. Other errors stay as they are.
func formatError(err error) error {
	var at *frontmatter.Error
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
