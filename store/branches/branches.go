// Package branches reads what the remote-tracking branches of a clone say of tasks: how far somebody has brought one
// whose work was fetched, and not merged. It starts no git, asks no network and touches no file of the worktree.
//
// What counts is what a branch has changed since it and the commit that is checked out went apart. Of each task file it
// is the last entry that changed the status. Whoever may push chose what is in such a branch: what cannot be read, or
// is too large, is left out.
//
// The answer is kept in a file of the live state, by the commit of each branch. It is found anew for the branches that
// changed, and all of it follows from git: the file can be deleted at any time.
package branches

import (
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
)

// The limits of what is read.
const (
	maxTips    = 200     // branches; the newest count
	maxChanged = 1_000   // task files that a branch has changed; one with more is left out
	maxCarried = 5_000   // in all
	maxFile    = 1 << 20 // bytes of a task file
)

// Source is the branches of one remote.
type Source struct {
	Clone  live.Clone
	Remote string
	Except string // a namespace of refs that are no branches of anybody, such as that of the claims
}

// Read returns what the branches say at this moment; nothing outside git, and in a clone that only git itself can read.
func (s Source) Read() session.Branches {
	if s.Clone.Repo == nil {
		return session.Branches{}
	}
	at := s.Clone.Repo.Tracked(s.Remote)
	now := session.Branches{Remote: s.Remote, Head: at.Head()}
	if now.Head == "" {
		return session.Branches{}
	}
	now.Stamp = at.Stamp()
	kept := s.kept()
	if now.Stamp != "" && kept.Stamp == now.Stamp && kept.Head == now.Head {
		return kept
	}
	tips := slices.DeleteFunc(at.Tips(), s.excepted)
	known := kept.Head == now.Head && same(kept.Tips, tips)
	if now.Tips = kept.Tips; !known {
		now.Tips = s.find(now.Head, tips, kept)
	}
	if !known || now.Stamp != kept.Stamp {
		keep(s.Clone, s.Clone.BranchesFile(), now)
	}
	return now
}

// excepted reports whether a ref is no branch of anybody. Where claims are branches of the remote they may be fetched
// like others.
func (s Source) excepted(tip git.Tip) bool {
	below, ok := strings.CutPrefix(s.Except, "refs/heads/")
	return ok && strings.HasPrefix(tip.Name, s.Remote+"/"+below+"/") || strings.HasPrefix(tip.Name, s.Remote+"/cairn/claims/")
}

// same reports whether what is known is about these branches.
func same(known []session.Branch, tips []git.Tip) bool {
	if len(known) != min(len(tips), maxTips) || len(tips) > maxTips {
		return false
	}
	return !slices.ContainsFunc(tips, func(t git.Tip) bool {
		return !slices.ContainsFunc(known, func(b session.Branch) bool { return b.Name == t.Name && b.Commit == t.Commit })
	})
}

// kept is what was found before; nothing if that cannot be read.
func (s Source) kept() session.Branches {
	kept := live.Read(s.Clone.BranchesFile(), func(src []byte) (session.Branches, error) {
		return session.ParseBranches(src, s.Remote)
	})
	if kept == nil {
		return session.Branches{}
	}
	return *kept
}

// keep writes what was found to a file, if there is live state. That it cannot be written harms nobody.
func keep(in live.Clone, file string, found any) {
	if len(live.Encode(found)) > live.MaxFile || !layout.IsFolder(string(in.Live)) {
		return
	}
	_ = in.Write(file, found)
	atomicfile.SweepOf(file, time.Minute)
}

// find reads the branches that are not known.
func (s Source) find(head string, tips []git.Tip, known session.Branches) []session.Branch {
	q, err := s.Clone.Repo.Quick()
	if err != nil {
		return nil
	}
	defer q.Close()
	var all []session.Branch
	for _, t := range tips {
		b := session.Branch{Name: t.Name, Commit: t.Commit}
		if was := known.Of(t.Name, t.Commit); was != nil {
			b = *was
		} else if c, err := q.Commit(t.Commit); err == nil {
			b.Made = time.Unix(c.Time, 0).UTC()
		}
		all = append(all, b)
	}
	sorted.By(all, func(a, b session.Branch) int { return b.Made.Compare(a.Made) })
	all = all[:min(len(all), maxTips)]
	r := reader{Quick: q, top: s.Clone.InRepo(layout.Folder), tasks: map[string]*session.Carried{}}
	room := maxCarried
	for i := range all {
		if known.Head != head || known.Of(all[i].Name, all[i].Commit) == nil {
			r.read(&all[i], head)
		}
		all[i].Carried = all[i].Carried[:min(len(all[i].Carried), room)]
		room -= len(all[i].Carried)
	}
	return all
}

// Default calls fn with each of some tasks as the remote's default branch has it, as it was fetched. Those that it does
// not have, or whose files cannot be read, are left out.
func (s Source) Default(of []record.Ref, fn func(record.Header)) {
	if s.Clone.Repo == nil || len(of) == 0 {
		return
	}
	tip, ok := s.Clone.Repo.Tracked(s.Remote).Default()
	if !ok {
		return
	}
	q, err := s.Clone.Repo.Quick()
	if err != nil {
		return
	}
	defer q.Close()
	r := reader{Quick: q, top: s.Clone.InRepo(layout.Folder)}
	wanted := map[string]bool{}
	for _, one := range of {
		wanted[one.ID] = one.Kind == record.TaskKind
	}
	for _, f := range r.files(tip.Commit, kind.Tasks.Kind) {
		if !wanted[f.id] {
			continue
		}
		if header, err := r.parse(f); err == nil {
			fn(header)
		}
	}
}

// reader reads the task files of branches.
type reader struct {
	*git.Quick
	top   string // path of .cairn in the commits
	tasks map[string]*session.Carried
	trees map[string][]file // the files that were found, by the id of .cairn and the kind; nil to keep none
}

// read finds what a branch says beyond a commit. What it said before stays if the two went apart where they did then.
func (r *reader) read(b *session.Branch, head string) {
	forks := r.Forks(b.Commit, head)
	if len(forks) == 0 {
		forks = []string{head} // nothing in common is known: what differs counts
	}
	if b.Forks != nil && slices.Equal(b.Forks, forks) {
		return
	}
	b.Forks, b.Carried = forks, nil
	if slices.Contains(forks, b.Commit) {
		return
	}
	for _, f := range r.changed(b.Commit, forks) {
		if c := r.task(f); c != nil {
			b.Carried = append(b.Carried, *c)
		}
	}
}

type file struct {
	id, blob string
	path     string // from the workspace root
}

// changed lists the task files of a commit that others do not have, wherever they lie; none if there are too many.
func (r *reader) changed(commit string, others []string) []file {
	had := map[string]bool{}
	for _, o := range others {
		for _, f := range r.files(o, kind.Tasks.Kind) {
			had[f.blob] = true
		}
	}
	files := slices.DeleteFunc(r.files(commit, kind.Tasks.Kind), func(f file) bool { return had[f.blob] })
	if len(files) > maxChanged {
		return nil
	}
	return files
}

// files lists the files of a kind in a commit, the one that counts of each record. A folder that cannot be read has none.
func (r *reader) files(commit string, k *kind.Kind) (all []file) {
	c, err := r.Commit(commit)
	if err != nil {
		return nil
	}
	top, _ := r.At(c.Tree, r.top)
	if known, ok := r.trees[top.ID+k.Name]; ok {
		return known
	}
	folders := []string{k.Folder}
	if k.Rest != "" {
		for _, month := range slices.Backward(r.in(top.ID, k.Rest)) {
			if month.Folder && kind.IsMonth(month.Name) {
				folders = append(folders, k.RestIn(month.Name))
			}
		}
	}
	seen := map[string]bool{}
	for _, folder := range folders {
		for _, e := range r.in(top.ID, folder) {
			if id, ok := k.IDOf(e.Name); ok && e.File && !seen[id] {
				seen[id] = true
				all = append(all, file{id, e.ID, k.FileIn(folder, id)})
			}
		}
	}
	if r.trees != nil {
		r.trees[top.ID+k.Name] = all
	}
	return all
}

// in lists what is in a folder, by its path from another one.
func (r *reader) in(top, folder string) []git.Entry {
	at, ok := r.At(top, folder)
	if !ok || !at.Folder {
		return nil
	}
	all, _ := r.Folder(at.ID)
	return all
}

// task is the last change of status of a task; nil if there is none, or its file cannot be read.
func (r *reader) task(f file) *session.Carried {
	c, ok := r.tasks[f.blob]
	if ok {
		return c
	}
	if header, err := r.parse(f); err == nil {
		if moved, ok := session.Moved(header); ok {
			c = &moved
		}
	}
	r.tasks[f.blob] = c
	return c
}

func (r *reader) parse(f file) (record.Header, error) {
	src, err := r.Blob(f.blob, maxFile)
	if err != nil {
		return record.Header{}, err
	}
	t, err := kind.Tasks.Parse(src)
	if err == nil && string(t.ID) != f.id {
		err = kind.Tasks.NotFound(f.id)
	}
	return t.Header(), err
}
