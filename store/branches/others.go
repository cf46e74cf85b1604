package branches

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/live"
)

// maxOthers is how many records of a kind of other branches are known at most.
const maxOthers = 1_000

// Kinds are the kinds of records that are seen on other branches.
func Kinds() []*kind.Kind {
	return []*kind.Kind{kind.Tasks.Kind, kind.Decisions.Kind, kind.Knowledge.Kind, kind.Handoffs.Kind}
}

// maxAttached is the most bytes of a file that a task refers to.
const maxAttached = kind.MaxAttachment

// Others is the records of the other branches of a clone, and of those that it has fetched.
type Others struct{ Clone live.Clone }

// Other is a record as another branch has it.
type Other struct {
	Kind   string   `json:"kind"`
	ID     string   `json:"id"`
	Branch string   `json:"branch"` // such as fix, or origin/fix
	Commit string   `json:"commit"` // of the branch
	Blob   string   `json:"blob"`   // of the file
	Path   string   `json:"path"`   // of the file, from the workspace root
	Row    kind.Row `json:"row"`
}

// Ref names it.
func (o Other) Ref() record.Ref { return record.Ref{Kind: o.Kind, ID: o.ID} }

// found is what All found, as it is kept.
type found struct {
	Head   string    `json:"head"`
	Stamp  string    `json:"stamp"`
	Tips   []git.Tip `json:"tips"`
	Others []Other   `json:"records"` // sorted by id
}

// Read is All for one kind.
func (o Others) Read(k *kind.Kind) []Other {
	return slices.DeleteFunc(slices.Clone(o.All()), func(one Other) bool { return one.Kind != k.Name })
}

// All lists the records that another branch has and the commit that is checked out has not, sorted by id: of several
// branches that have one, as the branch says that wrote to it last. What was there where the two went apart was deleted
// here, and is none of them. The newest 200 branches count, files of 1 MiB, and 1,000 records of a kind. Outside of git, in a clone
// that only git itself can read, and of branches that went apart too long ago, there are none.
func (o Others) All() []Other {
	repo := o.Clone.Repo
	if repo == nil {
		return nil
	}
	now := found{Head: repo.Local().Head()}
	if now.Head == "" {
		return nil
	}
	local, fetched := repo.Local(), repo.AllTracked()
	kept := live.Read(o.Clone.OthersFile(), parseFound)
	if kept != nil && kept.Others == nil {
		kept = nil // it is of tasks alone
	}
	if kept != nil && kept.Head == now.Head {
		now.Stamp = joined(local.Stamp(), fetched.Stamp())
		if now.Stamp != "" && kept.Stamp == now.Stamp {
			return kept.Others
		}
	}
	now.Tips = otherTips(now.Head, local.Tips(), fetched.Tips())
	if len(now.Tips) == 0 {
		return nil
	}
	known := kept != nil && kept.Head == now.Head && slices.Equal(kept.Tips, now.Tips)
	if known {
		now.Others = kept.Others
	} else {
		now.Others = o.find(now.Head, now.Tips)
	}
	if now.Stamp == "" {
		now.Stamp = joined(local.Stamp(), fetched.Stamp())
	}
	if !known || kept.Stamp != now.Stamp {
		keep(o.Clone, o.Clone.OthersFile(), now)
	}
	return now.Others
}

// parseFound reads what was kept. It follows from git, so what is not in its form is found anew.
func parseFound(src []byte) (f found, err error) { return f, json.Unmarshal(src, &f) }

func joined(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	return a + " " + b
}

// otherTips are the branches that point at another commit than the one that is checked out, each commit once: the
// clone's own first, and by name.
func otherTips(head string, lists ...[]git.Tip) (all []git.Tip) {
	seen := map[string]bool{head: true}
	for _, tip := range slices.Concat(lists...) {
		if !seen[tip.Commit] {
			seen[tip.Commit], all = true, append(all, tip)
		}
	}
	return all
}

// find finds what Read returns.
func (o Others) find(head string, tips []git.Tip) []Other {
	q, err := o.Clone.Repo.Quick()
	if err != nil {
		return nil
	}
	defer q.Close()
	r := reader{Quick: q, top: o.Clone.InRepo(layout.Folder), trees: map[string][]file{}}
	tips = r.newest(tips)
	all := []Other{}
	for _, k := range Kinds() {
		all = append(all, r.others(head, tips, k)...)
	}
	sorted.By(all, func(a, b Other) int { return strings.Compare(a.ID, b.ID) })
	return all
}

// others are the records of a kind that commits have and another one has not.
func (r *reader) others(head string, tips []git.Tip, k *kind.Kind) (all []Other) {
	here := idsIn(r.files(head, k))
	best := map[string]Other{}
	for _, tip := range tips {
		var forked map[string]bool // what was there where the two went apart; nil if that was not asked yet
		for _, f := range r.files(tip.Commit, k) {
			if here[f.id] || len(best) == maxOthers {
				continue
			}
			if forked == nil {
				forked = r.forked(tip.Commit, head, k)
			}
			if forked[f.id] || forked[""] {
				continue
			}
			other := Other{Kind: k.Name, ID: f.id, Branch: tip.Name, Commit: tip.Commit, Blob: f.blob, Path: f.path}
			was, known := best[f.id]
			if known && was.Blob == f.blob || !r.row(&other) || known && was.Row.Newest >= other.Row.Newest {
				continue
			}
			best[f.id] = other
		}
	}
	return slices.Collect(maps.Values(best))
}

// newest are the branches whose commits were made last, so many as are read, the newest first.
func (r *reader) newest(tips []git.Tip) []git.Tip {
	made := map[string]int64{}
	for _, tip := range tips {
		if c, err := r.Commit(tip.Commit); err == nil {
			made[tip.Commit] = c.Time
		}
	}
	tips = slices.Clone(tips)
	slices.SortStableFunc(tips, func(a, b git.Tip) int { return cmp.Compare(made[b.Commit], made[a.Commit]) })
	return tips[:min(len(tips), maxTips)]
}

func idsIn(files []file) map[string]bool {
	ids := map[string]bool{}
	for _, f := range files {
		ids[f.id] = true
	}
	return ids
}

// forked are the ids of the records of a kind that were there where two commits went apart; with "" among them if that is not known.
func (r *reader) forked(one, other string, k *kind.Kind) map[string]bool {
	forks := r.Forks(one, other)
	all := map[string]bool{"": len(forks) == 0}
	for _, fork := range forks {
		for id := range idsIn(r.files(fork, k)) {
			all[id] = true
		}
	}
	return all
}

// row reads the row of a record, and reports whether its file can be read.
func (r *reader) row(other *Other) bool {
	src, err := r.Blob(other.Blob, maxFile)
	if err != nil {
		return false
	}
	k, ok := kind.For(other.Ref())
	if !ok {
		return false
	}
	v, err := k.Parse(src)
	if err != nil || k.Header(v).Ref.ID != other.ID {
		return false
	}
	other.Row = k.Row(v)
	return true
}

// Text is the file of a record as a branch has it. It returns NOT_FOUND if the clone does not have that.
func (o Others) Text(other Other) ([]byte, error) {
	missing := record.Errorf(record.NotFound, "%s has no %s any more", other.Branch, other.ID)
	if o.Clone.Repo == nil {
		return nil, missing
	}
	q, err := o.Clone.Repo.Quick()
	if err != nil {
		return nil, missing
	}
	defer q.Close()
	src, err := q.Blob(other.Blob, maxFile)
	if err != nil {
		return nil, missing
	}
	return src, nil
}

// File is a file of the branch that has a record, by its path from the workspace root.
func (o Others) File(other Other, name string) ([]byte, error) {
	missing := record.Errorf(record.NotFound, "%s has no file %s", other.Branch, name)
	q, err := o.Clone.Repo.Quick()
	if err != nil {
		return nil, missing
	}
	defer q.Close()
	c, err := q.Commit(other.Commit)
	if err != nil {
		return nil, missing
	}
	at, ok := q.At(c.Tree, o.Clone.InRepo(name))
	if !ok || !at.File {
		return nil, missing
	}
	src, err := q.Blob(at.ID, maxAttached)
	if err != nil {
		return nil, missing
	}
	return src, nil
}

// Versions are the files of one record on the other branches that differ from one another and from the one that is
// checked out, those of the newest branches first. Of a file that several branches have, one is named.
func (o Others) Versions(of record.Ref) (all []Other) {
	repo := o.Clone.Repo
	k, ok := kind.For(of)
	if repo == nil || !ok || k.ParseID(of.ID) != nil {
		return nil
	}
	head := repo.Local().Head()
	tips := otherTips(head, repo.Local().Tips(), repo.AllTracked().Tips())
	if head == "" || len(tips) == 0 {
		return nil
	}
	q, err := repo.Quick()
	if err != nil {
		return nil
	}
	defer q.Close()
	r := reader{Quick: q, top: o.Clone.InRepo(layout.Folder), trees: map[string][]file{}}
	seen := map[string]bool{}
	if at, ok := r.fileOf(head, k, of.ID); ok {
		seen[at.blob] = true
	}
	for _, tip := range r.newest(tips) {
		at, ok := r.fileOf(tip.Commit, k, of.ID)
		if !ok || seen[at.blob] {
			continue
		}
		seen[at.blob] = true
		other := Other{Kind: k.Name, ID: of.ID, Branch: tip.Name, Commit: tip.Commit, Blob: at.blob, Path: at.path}
		if r.row(&other) {
			all = append(all, other)
		}
	}
	return all
}

// fileOf finds the file of a record in a commit: in the usual folder, or else wherever it lies.
func (r *reader) fileOf(commit string, k *kind.Kind, id string) (file, bool) {
	c, err := r.Commit(commit)
	if err != nil {
		return file{}, false
	}
	path := k.File(id)
	if at, ok := r.At(c.Tree, r.inRepo(path)); ok && at.File {
		return file{id, at.ID, path}, true
	}
	all := r.files(commit, k)
	return record.Find(all, func(f file) bool { return f.id == id })
}

// inRepo is the path in the commits of a file that is named from the workspace root.
func (r *reader) inRepo(name string) string {
	return strings.TrimSuffix(r.top, layout.Folder) + name
}
