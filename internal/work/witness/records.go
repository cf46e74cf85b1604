package witness

import (
	"context"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
	"github.com/cairn-tasks/cairn/task"
)

// Change is how two commits have a record.
type Change struct {
	Kind     *kind.Kind
	ID       string
	Was, Now any                // its values; nil where it is not there, or cannot be read
	Broken   error              // why the later one cannot be read
	Fields   []verb.FieldChange // that differ
	Entries  record.Log         // that the later one has beside those of the earlier

	docs [2]*format.Doc
}

// Changes lists how the commits of a branch changed records, of some files, each once, wherever it lies. Paths are from
// the top of the repository; what is no record is left out.
func Changes(ctx context.Context, s *store.Store, from, tip string, paths []string) ([]*Change, error) {
	var all []*Change
	var refs []record.Ref
	by := map[record.Ref]*Change{}
	for _, path := range paths {
		name, inside := strings.CutPrefix(path, s.InRepo(""))
		k, id, ok := kind.At(name)
		if !inside || !ok || by[k.Ref(id)] != nil {
			continue
		}
		c := &Change{Kind: k, ID: id}
		by[k.Ref(id)], all, refs = c, append(all, c), append(refs, k.Ref(id))
	}
	for i, commit := range []string{from, tip} {
		if len(refs) == 0 || commit == "" {
			continue
		}
		err := place.InCommits(ctx, s.Layout, []string{commit}, refs, func(of record.Ref, src []byte) { by[of].take(i, src) })
		if err != nil {
			return nil, err
		}
	}
	for _, c := range all {
		c.compare()
	}
	return all, nil
}

// take reads the text that one of the two commits has.
func (c *Change) take(i int, src []byte) {
	doc, err := format.Parse(src, c.Kind.Form)
	var v any
	if err == nil {
		v, err = c.Kind.Decode(doc)
	}
	if i == 1 {
		c.Broken = err
	}
	if err != nil {
		return
	}
	c.docs[i] = doc
	if i == 0 {
		c.Was = v
	} else {
		c.Now = v
	}
}

func (c *Change) compare() {
	if c.Now == nil || c.Was == nil {
		return
	}
	c.Fields = verb.Between(c.docs[0], c.docs[1])
	had := c.Kind.Header(c.Was).Log.Hashes()
	for _, e := range c.Kind.Header(c.Now).Log {
		if !had[e.Hash()] {
			c.Entries = append(c.Entries, e)
		}
	}
}

// Gone reports whether the branch took the record away.
func (c *Change) Gone() bool { return c.Was != nil && c.Now == nil && c.Broken == nil }

// Of reports whether the record is that of a task, or of a session of it.
func (c *Change) Of(id record.ID) bool {
	for _, v := range []any{c.Now, c.Was} {
		if ses, ok := v.(session.Session); ok && ses.Task == id {
			return true
		}
	}
	return c.Kind.Ref(c.ID) == id.Ref()
}

// ByHand lists the fields that an edit sets by their names, and that changed without an entry that says so.
func (c *Change) ByHand() []verb.FieldChange {
	return slices.DeleteFunc(slices.Clone(c.Fields), func(f verb.FieldChange) bool { return !c.byHand(f.Field) })
}

func (c *Change) byHand(field string) bool {
	if !slices.ContainsFunc(task.Settable(), func(f task.Field) bool { return f.Name == field }) {
		return false
	}
	return !slices.ContainsFunc(c.Entries, func(e record.Entry) bool { return slices.Contains(e.Fields, field) })
}

// String says in one line what became of the record.
func (c *Change) String() string {
	switch {
	case c.Broken != nil:
		return "cannot be read any more: " + record.MessageOf(c.Broken)
	case c.Gone():
		return "taken away"
	case c.Was == nil:
		return strings.TrimSpace("new: " + c.Kind.Header(c.Now).Title)
	}
	var says []string
	for _, f := range c.Fields {
		line := f.String()
		if c.byHand(f.Field) {
			line += " (by no entry)"
		}
		says = append(says, line)
	}
	if len(says) == 0 {
		for _, e := range c.Entries {
			says = append(says, string(e.Did)+" by "+string(e.Who))
		}
	}
	if len(says) == 0 {
		return "written in another way"
	}
	return strings.Join(says, "; ")
}
