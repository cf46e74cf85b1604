package snapshot

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
)

// commits are the commits of a change and the records that they have. However many there are, git is started a few
// times: for the commits, for the files that each has otherwise than its parents, and for the contents that somebody
// asks for. Each content is read once.
type commits struct {
	layout.Layout
	ctx      context.Context
	all      []git.Step             // each after its parents
	place    map[string]int         // of each in all
	around   []git.Step             // the parents that are not in all
	changes  []map[record.Ref]files // of each in all: the records that it has otherwise than its first parent
	touching map[record.Ref][]int   // the commits that have a record otherwise than one of their parents, in the order of all
	known    map[recordIn]files
	old      map[string]map[record.Ref]files // the records of those around; nil until they are listed
	since    string
	before   *tree             // of since
	have     map[string][]byte // contents of the records that the change touches, by their ids, as far as a tree has them
	contents *git.Reader
	parsed   map[content]any
	logs     logReader
	hashed   map[content][]string          // the hashes of the entries of a content
	first    map[record.Ref]map[string]int // the first commit with an entry, by its hash
}

type recordIn struct {
	commit int
	of     record.Ref
}

// content is that of a file, read as a record of a kind.
type content struct {
	kind *kind.Kind
	id   string
}

// files are the files of one record: the ids of their contents by their paths from the workspace root, and "" for one
// that is gone. They are never changed.
type files map[string]string

// with returns the files after further changes.
func (f files) with(changes files) files {
	out := maps.Clone(f)
	if out == nil {
		out = files{}
	}
	maps.Copy(out, changes)
	maps.DeleteFunc(out, func(_, id string) bool { return id == "" })
	return out
}

// counts is the id of the content that counts: as in package place, that in the folder of the kind does, or else that
// in the newest month. It is "" if there is none.
func (f files) counts(k *kind.Kind, id string) string {
	if usual := f[k.File(id)]; usual != "" || len(f) == 0 {
		return usual
	}
	return f[slices.Max(slices.Collect(maps.Keys(f)))]
}

// readCommits reads the commits that are reachable from head and not from since, whose tree is before. Without a head
// there are none.
func readCommits(ctx context.Context, l layout.Layout, since string, before *tree, head string) (*commits, error) {
	c := &commits{
		Layout: l, ctx: ctx, place: map[string]int{}, touching: map[record.Ref][]int{}, known: map[recordIn]files{},
		since: since, before: before, have: map[string][]byte{},
		contents: l.Repo.Objects().Reader(ctx), parsed: map[content]any{},
		logs: logReader{map[content]record.Log{}, map[string]record.Entry{}}, first: map[record.Ref]map[string]int{},
		hashed: map[content][]string{},
	}
	if head == "" || head == since {
		return c, nil
	}
	var err error
	if c.all, c.around, err = l.Repo.History().Steps(ctx, since, head); err != nil {
		return nil, err
	}
	cut, err := l.Repo.History().CutAt(c.all)
	switch {
	case err != nil:
		return nil, err
	case cut != "":
		return nil, record.Errorf(record.NoBase, "this clone lacks what came before the commit %s, which is judged", cut).
			WithHint(fetchAll)
	}
	return c, c.compare()
}

// compare reads which records each commit has otherwise than its parents.
func (c *commits) compare() error {
	trees := map[string]string{"": ""} // a commit without parents is compared with no files
	for _, commit := range c.around {
		trees[commit.ID] = commit.Tree
	}
	var pairs []git.Pair
	var of []struct {
		commit int
		first  bool // of its parents
	}
	c.changes = make([]map[record.Ref]files, len(c.all))
	for i, commit := range c.all {
		trees[commit.ID], c.place[commit.ID] = commit.Tree, i
		for n, parent := range append([]string{firstOf(commit)}, commit.Parents[min(1, len(commit.Parents)):]...) {
			pairs = append(pairs, git.Pair{Was: trees[parent], Now: commit.Tree})
			of = append(of, struct {
				commit int
				first  bool
			}{i, n == 0})
		}
	}
	return c.each(pairs, func(pair int, ref record.Ref, path, id string) {
		at := of[pair]
		if of[pair].first {
			put(&c.changes[at.commit], ref, path, id)
		}
		if all := c.touching[ref]; len(all) == 0 || all[len(all)-1] != at.commit {
			c.touching[ref] = append(all, at.commit)
		}
	})
}

// firstOf is the first parent of a commit, or "".
func firstOf(commit git.Step) string {
	if len(commit.Parents) == 0 {
		return ""
	}
	return commit.Parents[0]
}

func put(in *map[record.Ref]files, of record.Ref, path, id string) {
	if *in == nil {
		*in = map[record.Ref]files{}
	}
	if (*in)[of] == nil {
		(*in)[of] = files{}
	}
	(*in)[of][path] = id
}

// each calls fn with the files of records in which trees differ, as the second of each pair has them.
func (c *commits) each(pairs []git.Pair, fn func(pair int, of record.Ref, path, id string)) error {
	prefix := c.InRepo("")
	return c.Repo.History().Differences(c.ctx, pairs, []string{c.InRepo(layout.Folder)}, func(pair int, change git.FileChange) {
		path := strings.TrimPrefix(change.Path, prefix)
		if k, id, ok := kind.At(path); ok {
			fn(pair, k.Ref(id), path, change.Now.ID)
		}
	})
}

// filesIn returns the files of a record in a commit, which is in all or around it.
func (c *commits) filesIn(commit string, of record.Ref) (files, error) {
	var way []int // commits of which nothing is known yet, the newest first
	var at files
	for commit != "" {
		i, ours := c.place[commit]
		if !ours {
			old, err := c.recordsAround()
			if err != nil {
				return nil, err
			}
			at = old[commit][of]
			break
		}
		if got, known := c.known[recordIn{i, of}]; known {
			at = got
			break
		}
		way = append(way, i)
		commit = firstOf(c.all[i])
	}
	for _, i := range slices.Backward(way) {
		if changes := c.changes[i][of]; changes != nil {
			at = at.with(changes)
		}
		c.known[recordIn{i, of}] = at
	}
	return at, nil
}

// recordsAround lists the records of the commits around.
func (c *commits) recordsAround() (map[string]map[record.Ref]files, error) {
	if c.old != nil {
		return c.old, nil
	}
	c.old = map[string]map[record.Ref]files{c.since: c.before.records()}
	var pairs []git.Pair
	var of []string
	for _, commit := range c.around {
		if commit.ID != c.since {
			pairs, of = append(pairs, git.Pair{Now: commit.Tree}), append(of, commit.ID)
		}
	}
	err := c.each(pairs, func(i int, ref record.Ref, path, id string) {
		records := c.old[of[i]]
		put(&records, ref, path, id)
		c.old[of[i]] = records
	})
	return c.old, err
}

// records are the files of the records of a tree that was read from git.
func (t *tree) records() (all map[record.Ref]files) {
	for path, contentID := range t.ids {
		if k, id, ok := kind.At(path); ok {
			put(&all, k.Ref(id), path, contentID)
		}
	}
	return all
}

// keep keeps the contents of the records that the change touches, as the trees have them.
func (c *commits) keep(trees ...*tree) {
	for _, t := range trees {
		for _, f := range t.files() {
			if k, id, ok := kind.At(f.Path); ok && f.Src != nil && c.touching[k.Ref(id)] != nil {
				c.have[git.ContentID(f.Src, c.since)] = f.Src
			}
		}
	}
}

// contentIn is the content of a record in a commit; without an id if the commit does not have the record.
func (c *commits) contentIn(commit string, k *kind.Kind, id string) (content, error) {
	all, err := c.filesIn(commit, k.Ref(id))
	return content{k, all.counts(k, id)}, err
}

// read returns the bytes of a content; none if it is too large.
func (c *commits) read(of content) ([]byte, error) {
	if src, ok := c.have[of.id]; ok {
		return src, nil
	}
	b, err := c.contents.Blob(of.id, format.MaxFile)
	return b.Content, err
}

// value returns a content as a record of its kind; nil for none, and for one that cannot be read as that.
func (c *commits) value(of content) (any, error) {
	v, known := c.parsed[of]
	if known || of.id == "" {
		return v, nil
	}
	src, err := c.read(of)
	if err != nil {
		return nil, err
	}
	if got, err := of.kind.Parse(src); err == nil {
		v = got
	}
	c.parsed[of] = v
	return v, nil
}

// log returns the entries of a content; none if it cannot be read.
func (c *commits) log(of content) (record.Log, error) {
	log, known := c.logs.read[of]
	if known || of.id == "" {
		return log, nil
	}
	src, err := c.read(of)
	if err == nil {
		log = c.logs.parse(of, src)
	}
	return log, err
}

// hashes returns those of the entries of a content.
func (c *commits) hashes(of content) ([]string, error) {
	if known, ok := c.hashed[of]; ok {
		return known, nil
	}
	log, err := c.log(of)
	out := record.Each(log, record.Entry.Hash)
	c.hashed[of] = out
	return out, err
}

// firstWith finds the first commit in which a record has an entry, by its place in all; -1 if there is none.
func (c *commits) firstWith(of record.Ref, e record.Entry) (int, error) {
	first := c.first[of]
	if first == nil {
		first = map[string]int{}
		k, _ := kind.For(of)
		for _, i := range c.touching[of] {
			at, err := c.contentIn(c.all[i].ID, k, of.ID)
			if err != nil {
				return -1, err
			}
			hashes, err := c.hashes(at)
			if err != nil {
				return -1, err
			}
			for _, hash := range hashes {
				if _, known := first[hash]; !known {
					first[hash] = i
				}
			}
		}
		c.first[of] = first
	}
	if i, ok := first[e.Hash()]; ok {
		return i, nil
	}
	return -1, nil
}
