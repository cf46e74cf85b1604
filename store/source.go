package store

import (
	"context"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// source is a place that a record can be read from: the working tree, the index, or a commit.
type source interface {
	// list names the files below .cairn.
	list(ctx context.Context) ([]blob, error)
	// read calls fn with the content of each file, one after the other, or with why it cannot be had.
	read(ctx context.Context, blobs []blob, fn func(i int, content []byte, err error)) error
}

// blob is one file of a source.
type blob struct {
	path      string // from the workspace root, with forward slashes
	id        string // under which git keeps the content; "" if it lies in the working tree
	flaw      error  // why it is nothing that can be read
	link      bool   // git has it as a link, or as a submodule
	tracked   bool   // git has it
	unwatched bool   // git does not look whether it is in the working tree
	staged    string // of a file in the working tree: the id of what git has staged of it; "" if nothing
}

// diskSource is the files as they lie in the working tree, without a word from git.
type diskSource struct{ Layout }

func (d diskSource) list(ctx context.Context) ([]blob, error) {
	out := []blob{{path: d.ConfigPath()}, {path: d.rel(d.SignersFile())}}
	for _, folder := range []struct{ dir, ext string }{{d.TasksDir(), taskExt}, {d.SessionsDir(), sessionExt}, {d.PlansDir(), sessionExt}} {
		err := eachName(folder.dir, folder.ext, func(name string) {
			out = append(out, blob{path: d.rel(filepath.Join(folder.dir, name+folder.ext))})
		})
		if err != nil {
			return nil, err
		}
	}
	return out, ctx.Err()
}

func (d diskSource) read(ctx context.Context, blobs []blob, fn func(i int, content []byte, err error)) error {
	for i, b := range blobs {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		content, err := readRegular(d.onDisk(b.path))
		fn(i, content, err)
	}
	return nil
}

// onDisk is where a file lies that is named from the workspace root.
func (l Layout) onDisk(name string) string { return filepath.Join(l.Root, filepath.FromSlash(name)) }

// gitSource is what git has of the files: those of a commit, or of the index.
type gitSource struct {
	Layout
	files func(ctx context.Context, below string) ([]git.File, error)
}

// commitSource is the record of a commit.
func (l Layout) commitSource(commit string) gitSource {
	return gitSource{l, func(ctx context.Context, below string) ([]git.File, error) { return l.Repo.FilesOf(ctx, commit, below) }}
}

// indexSource is the record that is staged. file names the index, if it is another than the repository's own one.
func (l Layout) indexSource(file string) gitSource {
	return gitSource{l, func(ctx context.Context, below string) ([]git.File, error) { return l.Repo.Tracked(ctx, file, below) }}
}

func (g gitSource) list(ctx context.Context) ([]blob, error) {
	files, err := g.files(ctx, g.inRepo(Folder))
	if err != nil {
		return nil, err
	}
	prefix := g.inRepo("")
	out := make([]blob, 0, len(files))
	for _, f := range files {
		b := blob{path: strings.TrimPrefix(f.Path, prefix), id: f.ID, tracked: true, unwatched: f.Unwatched}
		if top, ok := folderInstead(b.path); ok {
			b = blob{path: top, flaw: notRegular(top), tracked: true}
		}
		switch {
		case f.Repository() && frames(b.path):
			return nil, task.Errorf(task.InvalidInput, "%s is a submodule", b.path).
				WithHint("put a real folder there, so that the record is a part of the repository around it")
		case !f.Regular() && frames(b.path):
			return nil, linkError(b.path)
		case frames(b.path) && b.path != g.ConfigPath():
			return nil, task.Errorf(task.InvalidInput, "%s is a file, and no folder", b.path).WithHint("take it away; %s makes the folder", task.CallTo("init"))
		case !f.Regular():
			b.flaw, b.link = notRegular(b.path), true
		case f.Unmerged:
			b.flaw = &frontmatter.Error{Conflict: true, Msg: "is staged in several versions: a merge was not finished; settle it and git add the file"}
		}
		if n := len(out); n == 0 || out[n-1].path != b.path { // several versions, or files in a folder, come one after the other
			out = append(out, b)
		}
	}
	return out, nil
}

// inRepo is the path from the top of the work tree of a file that is named from the workspace root; of "" a prefix.
func (l Layout) inRepo(name string) string {
	if l.Root == l.Repo.Top {
		return name
	}
	return slashRel(l.Repo.Top, l.Root) + "/" + name
}

func (g gitSource) read(ctx context.Context, blobs []blob, fn func(i int, content []byte, err error)) error {
	var ids []string
	var places []int
	for i, b := range blobs {
		if b.flaw != nil {
			fn(i, nil, b.flaw)
			continue
		}
		ids, places = append(ids, b.id), append(places, i)
	}
	lacking := 0
	err := g.Repo.Blobs(ctx, ids, frontmatter.MaxFile, func(i int, got git.Blob) {
		at := places[i]
		switch {
		case got.Missing:
			lacking++
		case got.Size > frontmatter.MaxFile:
			fn(at, nil, tooLarge(blobs[at].path))
		default:
			fn(at, got.Content, nil)
		}
	})
	if err == nil && lacking > 0 {
		return task.Errorf(task.NoBase, "%d files that are to be read are not in this clone", lacking).
			WithHint("a partial clone leaves contents out; git fetch --refetch --filter=blob:limit=4m brings those of records")
	}
	return err
}

// treeSource is the working tree with what git knows of it: which files it tracks, and the content of those that a sparse
// checkout has left out.
type treeSource struct {
	disk  diskSource
	index gitSource

	untracked []string // tasks, config and allowed_signers that git does not have
}

func (l Layout) treeSource() *treeSource {
	return &treeSource{disk: diskSource{l}, index: l.indexSource("")}
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
		kind, _ := recordAt(b.path)
		at, onDisk := there[b.path]
		switch {
		case b.unwatched && (!onDisk || !exists(t.disk.onDisk(b.path))):
			out = append(out, b)
		case onDisk && b.link && t.keepsLinks(ctx):
			out[at] = b // whatever the file says that stands for it
		case onDisk:
			out[at].tracked, out[at].staged, out[at].unwatched = true, b.id, b.unwatched && b.flaw == nil
		case kind == otherRecord:
			out = append(out, b)
		}
	}
	for name := range unstaged {
		if kind, _ := recordAt(name); kind != sessionRecord && kind != proposalRecord && exists(t.disk.onDisk(name)) {
			t.untracked = append(t.untracked, name)
		}
	}
	slices.Sort(t.untracked)
	return out, nil
}

// keepsLinks reports whether git has files stand for links in this working tree, and commits them as links.
func (t *treeSource) keepsLinks(ctx context.Context) bool {
	links, err := t.index.Repo.ConfigAnywhere(ctx, "core.symlinks")
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
	err := t.disk.read(ctx, onDisk, func(i int, content []byte, err error) {
		if b := onDisk[i]; b.unwatched && err == nil && !sameAs(content, b.staged) {
			other = append(other, b.path)
		}
		fn(diskAt[i], content, err)
	})
	if err == nil && len(other) > 0 {
		err = hidden(other)
	}
	if err != nil {
		return err
	}
	return t.index.read(ctx, inGit, func(i int, content []byte, err error) { fn(gitAt[i], content, err) })
}

// frames tells what is the frame of a record, and not one file of it among many: its folders and its config.
func frames(name string) bool {
	switch name {
	case Folder, Folder + "/tasks", Folder + "/sessions", Folder + "/plans", Folder + "/config.yaml":
		return true
	}
	return false
}

// folderInstead finds the folder that stands where a file of the record should be, by the name of a file in it.
func folderInstead(name string) (string, bool) {
	for at := path.Dir(name); at != "."; at = path.Dir(at) {
		if kind, _ := recordAt(at); kind != otherRecord {
			return at, true
		}
	}
	return "", false
}

// recordAt tells what kind of record a path from the workspace root is, and its name.
func recordAt(name string) (recordKind, string) {
	switch name {
	case Folder + "/config.yaml":
		return configRecord, ""
	case Folder + "/" + signersName:
		return signersRecord, ""
	}
	for _, folder := range []struct {
		prefix, ext string
		kind        recordKind
	}{
		{Folder + "/tasks/", taskExt, taskRecord},
		{Folder + "/sessions/", sessionExt, sessionRecord},
		{Folder + "/plans/", sessionExt, proposalRecord},
	} {
		file, inside := strings.CutPrefix(name, folder.prefix)
		if file, ok := strings.CutSuffix(file, folder.ext); ok && inside && file != "" && file[0] != '.' && !strings.Contains(file, "/") {
			return folder.kind, file
		}
	}
	return otherRecord, ""
}

// takenFor finds the record that a file is taken for which is none by its name: some file systems ignore the case of names, the
// blanks and dots at their end, what follows a colon, or characters that nobody sees.
func takenFor(name string) (record string, ok bool) {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		part, _, _ = strings.Cut(part, ":")
		part = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Cf, r) {
				return -1
			}
			return r
		}, part)
		parts[i] = strings.TrimRight(part, " .")
	}
	record = strings.Join(parts, "/")
	if i := len(parts) - 1; i > 0 { // the name of a task keeps its case
		folder := strings.ToLower(strings.Join(parts[:i], "/"))
		stem, ext := strings.TrimSuffix(parts[i], path.Ext(parts[i])), strings.ToLower(path.Ext(parts[i]))
		if folder == Folder {
			stem = strings.ToLower(stem)
		}
		record = folder + "/" + stem + ext
	}
	kind, _ := recordAt(record)
	return record, kind != otherRecord && record != name
}
