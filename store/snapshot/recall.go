package snapshot

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/task"
)

// version is a content that the file of a record had in some commit.
type version struct {
	of    record.Ref
	path  string // from the workspace root
	doc   *format.Doc
	value any
	log   record.Log
}

// versions calls fn with the versions of the files of records in all of the history of a commit, the newest first and
// each once: those that can be read as a record of their kind. Contents that only a merge had are left out.
func versions(ctx context.Context, l layout.Layout, head string, wanted map[record.Ref]bool, fn func(version)) error {
	return versionsSince(ctx, l, "", head, wanted, nil, fn)
}

// versionsSince is versions of the history since a commit, and of all records where none are named. It leaves out the
// files that skip says so of, by their paths from the workspace root and the ids of their content.
func versionsSince(
	ctx context.Context, l layout.Layout, since, head string, wanted map[record.Ref]bool, skip func(path, id string) bool, fn func(version),
) error {
	var folders, ids []string
	var all []version
	for _, k := range kind.Kinds() {
		if wanted == nil || slices.ContainsFunc(refsOf(wanted), func(of record.Ref) bool { return of.Kind == k.Name }) {
			folders = append(folders, foldersInRepo(l, k)...) // git compares every given path with every file
		}
	}
	if len(folders) == 0 {
		return nil
	}
	seen := map[[2]string]bool{}
	err := l.Repo.History().Versions(ctx, since, head, folders, func(path, id string) {
		name, ours := strings.CutPrefix(path, l.InRepo(""))
		k, name2, ok := kind.At(name)
		if !ours || !ok || wanted != nil && !wanted[k.Ref(name2)] {
			return
		}
		if key := [2]string{k.Name + " " + name2, id}; !seen[key] && (skip == nil || !skip(name, id)) {
			seen[key] = true
			all, ids = append(all, version{of: k.Ref(name2), path: name}), append(ids, id)
		}
	})
	if err != nil || len(ids) == 0 {
		return err
	}
	return l.Repo.Objects().Blobs(ctx, ids, format.MaxFile, func(i int, b git.Blob) {
		v := all[i]
		k, _ := kind.For(v.of)
		doc, err := format.Parse(b.Content, k.Form)
		if err != nil {
			return
		}
		v.doc = doc
		v.log, _ = kind.Entries(doc)
		if v.value, err = k.Decode(doc); err == nil {
			fn(v)
		}
	})
}

// Version is a content that the file of a record had in some commit.
type Version struct {
	Doc *format.Doc
	Log record.Log
}

// VersionsOf returns the versions of a record in the history of the commit that is checked out, the newest first, each
// once, and no more than most; 0 for all. Contents that cannot be read, or that only a merge had, are left out. There are none
// outside git.
func VersionsOf(ctx context.Context, l layout.Layout, of record.Ref, most int) (all []Version, err error) {
	if l.Repo == nil {
		return nil, nil
	}
	head, err := l.Repo.Commit(ctx, "HEAD")
	if err != nil || head == "" {
		return nil, err
	}
	found := 0
	enough := func(string, string) bool { found++; return most > 0 && found > most }
	err = versionsSince(ctx, l, "", head, map[record.Ref]bool{of: true}, enough, func(v version) { all = append(all, Version{v.doc, v.log}) })
	return all, err
}

// CommonVersion is the version of a record in the history that two contents of its file come from. Of the versions of
// which both have every entry it is one with the most, and of these the oldest: an edit without an entry then counts as
// a change of the content that has it. It is nil if there is none, as outside git.
func CommonVersion(ctx context.Context, l layout.Layout, of record.Ref, a, b record.Log) (src []byte, err error) {
	all, err := VersionsOf(ctx, l, of, 0)
	inA, inB, most := a.Hashes(), b.Hashes(), 0
	for _, v := range all {
		common := true
		for hash := range v.Log.Hashes() {
			common = common && inA[hash] && inB[hash]
		}
		if common && len(v.Log) >= most {
			src, most = v.Doc.Bytes(), len(v.Log)
		}
	}
	return src, err
}

func refsOf(wanted map[record.Ref]bool) (out []record.Ref) {
	for of := range wanted {
		out = append(out, of)
	}
	return out
}

// foldersInRepo lists the folders, from the top of the work tree, below which all records of a kind lie.
func foldersInRepo(l layout.Layout, k *kind.Kind) []string {
	folders := []string{l.InRepo(l.Rel(l.Dir(k.Folder)))}
	if k.Rest != "" {
		folders = append(folders, l.InRepo(l.Rel(l.Dir(k.Rest))))
	}
	return folders
}

// recallDeleted adds to the tree of a base the records that were deleted before it and that the judged files have
// again, in their last version. So one that is made anew under an old id is compared with the old one. It returns all
// versions of these. An id that people choose may be taken again.
func (l comparison) recallDeleted(ctx context.Context, commit string, before *tree) (all []version, err error) {
	s := l.subject
	brought := map[record.Ref]bool{}
	for _, f := range s.tree.All() {
		if k, ok := kind.For(f.Ref); ok && !k.Life.Named {
			brought[f.Ref] = true
		}
	}
	for _, f := range before.All() {
		delete(brought, f.Ref)
	}
	err = versions(ctx, l.Layout, commit, brought, func(v version) {
		if !slices.ContainsFunc(all, func(known version) bool { return known.of == v.of }) {
			before.recall(v)
		}
		all = append(all, v)
	})
	return all, err
}

// recall adds a record to the tree.
func (t *tree) recall(v version) {
	k, _ := kind.For(v.of)
	f := proof.File{Path: v.path, Src: v.doc.Bytes(), Parse: ParseYAML, Ref: v.of, Head: k.Header(v.value)}
	f.Head.Log = v.log
	if k.Form == format.Markdown {
		f.Parse = ParseMarkdown
	}
	if of, ok := v.value.(task.Task); ok {
		t.Tasks = append(t.Tasks, &proof.TaskFile{File: f, Task: of})
		return
	}
	t.Records = append(t.Records, &proof.RecordFile{File: f, Value: v.value})
}
