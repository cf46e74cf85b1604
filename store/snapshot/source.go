package snapshot

import (
	"context"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/store/problem"
)

// source is what records can be read from: the working tree, the index, or a commit.
type source interface {
	// list names the files below .cairn.
	list(ctx context.Context) ([]blob, error)
	// read calls fn with the content of each file, or with the error of reading it: on all processors, so several calls
	// may be under way at once.
	read(ctx context.Context, blobs []blob, fn func(i int, content []byte, err error)) error
}

// blob is one file of a source.
type blob struct {
	path      string // from the workspace root, with forward slashes
	id        string // of the content in git; "" if the file is read from the working tree
	flaw      error  // why it cannot be read
	link      bool   // git has it as a link or a submodule
	tracked   bool   // git has it
	unwatched bool   // git does not compare it with the working tree
	staged    string // of a file in the working tree: the id of its staged content; "" if nothing is staged
}

// diskSource is the files in the working tree, read without git.
type diskSource struct{ layout.Layout }

func (d diskSource) list(ctx context.Context) ([]blob, error) {
	out := []blob{{path: d.Rel(d.ConfigFile())}, {path: d.Rel(d.SignersFile())}}
	for _, k := range kind.Kinds() {
		err := place.Each(d.Layout, k, func(folder string) error {
			return layout.EachName(d.Dir(folder), k.Ext(), func(name string) {
				out = append(out, blob{path: layout.Folder + "/" + folder + "/" + name + k.Ext()})
			})
		})
		if err != nil {
			return nil, err
		}
	}
	err := layout.EachName(d.Dir(layout.FilesDir), "", func(name string) {
		if rel := record.FilesFolder + "/" + name; record.IsFileName(name) && layout.IsFile(d.Abs(rel)) {
			out = append(out, blob{path: rel})
		}
	})
	if err != nil {
		return nil, err
	}
	return out, ctx.Err()
}

// most is how many bytes the file may have.
func (b blob) most() int64 {
	if record.IsFilePath(b.path) {
		return kind.MaxAttachment
	}
	return format.MaxFile
}

func (d diskSource) read(ctx context.Context, blobs []blob, fn func(i int, content []byte, err error)) error {
	layout.OnAllProcessors(ctx, len(blobs), func(i int, _ *layout.Patience) {
		content, err := layout.ReadUpTo(d.Abs(blobs[i].path), blobs[i].most())
		if problem.Missing(err) {
			content, err = d.readMoved(blobs[i], blobs, err)
		}
		fn(i, content, err)
	})
	return ctx.Err()
}

// readMoved reads the file of a record that was moved since it was listed, unless it was listed at its new place too.
// Gone is the error of reading it at the old one.
func (d diskSource) readMoved(b blob, all []blob, gone error) ([]byte, error) {
	k, id, ok := kind.At(b.path)
	if !ok || k.Rest == "" {
		return nil, gone
	}
	now := place.Of(d.Layout, k, id)
	if slices.ContainsFunc(all, func(other blob) bool { return other.path == now }) {
		return nil, gone
	}
	return layout.ReadUpTo(d.Abs(now), b.most())
}

// gitSource is the files that git has, in a commit or in the index.
type gitSource struct {
	layout.Layout
	files func(ctx context.Context, below string) ([]git.File, error)
	names func(ctx context.Context, folder string) ([]string, error) // of what lies in a folder, "" for the top; those like layout.Folder at least
	gone  func(ctx context.Context, commit string) ([]string, error) // the paths that a commit has and this has not
}

// commitSource is the files of a commit.
func commitSource(l layout.Layout, commit string) gitSource {
	return gitSource{
		l,
		func(ctx context.Context, below string) ([]git.File, error) {
			return l.Repo.Objects().Files(ctx, commit, below)
		},
		func(ctx context.Context, folder string) ([]string, error) {
			return l.Repo.Objects().Names(ctx, commit, folder)
		},
		func(ctx context.Context, from string) ([]string, error) {
			return l.Repo.Objects().Gone(ctx, from, commit)
		},
	}
}

// indexSource is the staged files, in an index that is named as for git.Repo.Index.
func indexSource(l layout.Layout, file string) gitSource {
	x := l.Repo.Index(file)
	names := func(ctx context.Context, folder string) ([]string, error) {
		return x.Names(ctx, folder, "*[cC]*[aA]*[iI]*[rR]*[nN]*", "[cC][aA]*~[0-9]*")
	}
	return gitSource{l, x.Files, names, x.Gone}
}

// holds reports whether a folder, relative to the top, holds a workspace.
func (g gitSource) holds(ctx context.Context, folder string) (bool, error) {
	return anyWorkspace(g.files(ctx, path.Join(folder, layout.Folder)))
}

func (g gitSource) list(ctx context.Context) ([]blob, error) {
	files, err := g.files(ctx, g.InRepo(layout.Folder))
	if err != nil {
		return nil, err
	}
	prefix := g.InRepo("")
	out := make([]blob, 0, len(files))
	for _, f := range files {
		b := blob{path: strings.TrimPrefix(f.Path, prefix), id: f.ID, tracked: true, unwatched: f.Unwatched}
		if top, ok := folderInstead(b.path); ok {
			b = blob{path: top, flaw: problem.NotRegular(top), tracked: true}
		}
		switch {
		case f.Repository() && isFrame(b.path):
			return nil, record.Errorf(record.InvalidInput, "%s is a submodule", b.path).
				WithHint("put a real folder there, so that the record is a part of the repository around it")
		case !f.Regular() && isFrame(b.path):
			return nil, problem.Link(b.path)
		case isFrame(b.path) && b.path != g.Rel(g.ConfigFile()):
			return nil, record.Errorf(record.InvalidInput, "%s is a file, and no folder", b.path).WithHint("take it away; %s makes the folder", record.CallTo("init"))
		case !f.Regular():
			b.flaw, b.link = problem.NotRegular(b.path), true
		case f.Unmerged:
			b.flaw = &format.Error{Conflict: true, Msg: "is staged in several versions: a merge was not finished; settle it and git add the file"}
		}
		if n := len(out); n == 0 || out[n-1].path != b.path { // several versions of a file, or files in a folder, follow each other
			out = append(out, b)
		}
	}
	names, err := g.names(ctx, strings.TrimSuffix(prefix, "/"))
	for _, name := range names {
		if layout.Alike(name) {
			out = append(out, blob{path: name, tracked: true})
		}
	}
	return out, err
}

// gitBatch is how many contents are passed on at once: each by itself would wake a processor for less than it takes to
// wake it.
const gitBatch = 32

// gitBatchBytes is how many bytes of contents wait at most, but for the last one.
const gitBatchBytes = 8 << 20

func (g gitSource) read(ctx context.Context, blobs []blob, fn func(i int, content []byte, err error)) error {
	type content struct {
		at  int
		src []byte
		err error
	}
	var ids []string
	var at []int
	most := int64(format.MaxFile)
	for i, b := range blobs {
		most = max(most, b.most())
		if b.flaw != nil {
			fn(i, nil, b.flaw)
			continue
		}
		ids, at = append(ids, b.id), append(at, i)
	}
	if len(ids) == 0 {
		return nil
	}
	batches := make(chan []content, 4)
	var missing int
	var failed error
	go func() {
		defer close(batches)
		var batch []content
		held := 0 // bytes in the batch
		failed = g.Repo.Objects().Blobs(ctx, ids, most, func(i int, got git.Blob) {
			switch {
			case got.Missing:
				missing++
			case got.Size > blobs[at[i]].most():
				batch = append(batch, content{at[i], nil, problem.TooLarge(blobs[at[i]].path)})
			default:
				batch = append(batch, content{at[i], got.Content, nil})
			}
			if held += len(got.Content); len(batch) == gitBatch || held > gitBatchBytes {
				batches <- batch
				batch, held = nil, 0
			}
		})
		batches <- batch
	}()
	var working sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		working.Go(func() {
			for batch := range batches {
				for _, c := range batch {
					fn(c.at, c.src, c.err)
				}
			}
		})
	}
	working.Wait()
	if failed == nil && missing > 0 {
		return record.Errorf(record.NoBase, "%d files that are to be read are not in this clone", missing).
			WithHint("a partial clone leaves contents out; git fetch --refetch --filter=blob:limit=4m brings those of records")
	}
	return failed
}

// treeSource is the working tree together with the index: which files are tracked, and the content of those that a
// sparse checkout has left out.
type treeSource struct {
	disk  diskSource
	index gitSource

	untracked []string // config, allowed_signers, and records that tasks can depend on, if git does not have them
}

func (t *treeSource) list(ctx context.Context) ([]blob, error) {
	out, err := t.disk.list(ctx)
	if err != nil {
		return nil, err
	}
	tracked, err := t.index.list(ctx)
	if err != nil {
		return nil, err
	}
	there := make(map[string]int, len(out))
	for i, b := range out {
		there[b.path] = i
	}
	unstaged := maps.Clone(there)
	for _, b := range tracked {
		delete(unstaged, b.path)
		_, ours := partAt(b.path)
		ours = ours || record.IsFilePath(b.path)
		at, onDisk := there[b.path]
		switch {
		case b.unwatched && (!onDisk || !layout.Exists(t.disk.Abs(b.path))):
			out = append(out, b)
		case onDisk && b.link && t.linksAsFiles(ctx):
			out[at] = b // whatever is in the file that stands for the link
		case onDisk:
			out[at].tracked, out[at].staged, out[at].unwatched = true, b.id, b.unwatched && b.flaw == nil
		case !ours:
			out = append(out, b)
		}
	}
	for name := range unstaged {
		if record.IsFilePath(name) {
			continue
		}
		if part, _ := partAt(name); (part.kind == nil || part.kind.Held()) && layout.Exists(t.disk.Abs(name)) {
			t.untracked = append(t.untracked, name)
		}
	}
	slices.Sort(t.untracked)
	return out, nil
}

// linksAsFiles reports whether links are files in this working tree, which git commits as links (core.symlinks).
func (t *treeSource) linksAsFiles(ctx context.Context) bool {
	links, err := t.index.Repo.Config().Get(ctx, "core.symlinks")
	return err == nil && slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(links))
}

func (t *treeSource) read(ctx context.Context, blobs []blob, fn func(i int, content []byte, err error)) error {
	var onDisk, inGit []blob
	var diskAt, gitAt []int
	for i, b := range blobs {
		if b.id == "" {
			onDisk, diskAt = append(onDisk, b), append(diskAt, i)
		} else {
			inGit, gitAt = append(inGit, b), append(gitAt, i)
		}
	}
	var other []string
	var adding sync.Mutex
	err := t.disk.read(ctx, onDisk, func(i int, content []byte, err error) {
		// Line ends may differ from what git has.
		same := func(as []byte) bool { return git.ContentID(as, onDisk[i].staged) == onDisk[i].staged }
		if b := onDisk[i]; b.unwatched && err == nil && !same(content) && !same(unixLines(content)) {
			adding.Lock()
			other = append(other, b.path)
			adding.Unlock()
		}
		fn(diskAt[i], content, err)
	})
	if err == nil && len(other) > 0 {
		slices.Sort(other)
		err = hidden(other)
	}
	if err != nil {
		return err
	}
	return t.index.read(ctx, inGit, func(i int, content []byte, err error) { fn(gitAt[i], content, err) })
}

// isFrame reports whether a path is .cairn itself, its config, or a folder of records: without it nothing can be
// judged.
func isFrame(name string) bool {
	return name == layout.Folder || name == layout.Folder+"/"+layout.ConfigName || kind.IsFolder(name)
}

// folderInstead finds the folder that stands where a record file should be, by the path of a file in it.
func folderInstead(name string) (string, bool) {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if _, ok := partAt(at); ok {
			return at, true
		}
	}
	return "", false
}

// part says which file of a workspace a path is.
type part struct {
	kind    *kind.Kind // of a record; nil for the config and the signers
	id      string     // of the record, by the name of the file
	config  bool
	signers bool
}

// partAt says which file of a workspace a path from its root is. It reports false for any other path.
func partAt(name string) (part, bool) {
	switch name {
	case layout.Folder + "/" + layout.ConfigName:
		return part{config: true}, true
	case layout.Folder + "/" + layout.SignersName:
		return part{signers: true}, true
	}
	k, id, ok := kind.At(name)
	return part{kind: k, id: id}, ok
}

// takenFor finds the file of a workspace that a differently named file is taken for on some file systems, or the
// folder: they ignore the case of names, blanks and dots at their end, what follows a colon, or invisible characters.
func takenFor(name string) (rec string, ok bool) {
	if layout.Alike(name) {
		return layout.Folder, true
	}
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = layout.Plain(part)
	}
	rec = strings.Join(parts, "/")
	if i := len(parts) - 1; i > 0 { // the case of an id matters
		folder := strings.ToLower(strings.Join(parts[:i], "/"))
		stem, ext := strings.TrimSuffix(parts[i], path.Ext(parts[i])), strings.ToLower(path.Ext(parts[i]))
		if folder == layout.Folder {
			stem = strings.ToLower(stem)
		}
		rec = folder + "/" + stem + ext
	}
	_, ok = partAt(rec)
	return rec, (ok || record.IsFilePath(rec)) && rec != name
}
