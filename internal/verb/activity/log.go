package activity

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/place"
)

// LogIn is the input of Log.
type LogIn struct {
	ID      verb.RecordID `json:"id,omitempty" doc:"the story of this record" cli:"arg"`
	Actor   string        `json:"actor,omitempty" doc:"only what this actor did, and no commit; me for you" from:"actors"`
	Since   string        `json:"since,omitempty" doc:"only since: a date, a time, or how long ago, such as 7d"`
	Until   string        `json:"until,omitempty" doc:"only before: likewise"`
	Reverse bool          `json:"reverse,omitempty" doc:"the oldest first"`
	verb.Paging
}

// LogOut is a page of a story, the newest first unless it was asked for otherwise.
type LogOut struct {
	Story      []Told `json:"story" result:"rows"`
	Total      int    `json:"total"`                 // on all pages
	NextCursor string `json:"next_cursor,omitempty"` // of the next page
	Note       string `json:"note,omitempty"`        // what of git is not in it, and why
	verb.Problems
}

// Told is one thing that happened: what an entry records, or a commit.
type Told struct {
	At      time.Time `json:"at"`
	Who     string    `json:"who"` // the actor; of a commit its author, by the name that the commit gives
	Task    record.ID `json:"task,omitempty"`
	Record  string    `json:"record,omitempty"` // config, or the id of a record that is no task
	Title   string    `json:"title,omitempty"`
	Deleted bool      `json:"deleted,omitempty"`

	Entry  *verb.Entry `json:"entry,omitempty"`
	In     string      `json:"in,omitempty"` // of an entry: the commit that brought it, if that is known
	Commit *Commit     `json:"commit,omitempty"`
}

// Commit is a commit that changes records, or names the one whose story is told.
type Commit struct {
	Hash         string   `json:"hash"`
	Subject      string   `json:"subject"`
	Merge        bool     `json:"merge,omitempty"`
	Changes      []string `json:"changes,omitempty"` // the records that it changes, the first 20
	ChangesTotal int      `json:"changes_total,omitempty"`
	Deleted      []string `json:"deleted,omitempty"` // those among them that it deletes
	ByHand       []string `json:"by_hand,omitempty"` // those among all of them to which it brings no entry: somebody changed the file itself
}

const (
	commitsRead  = 1000 // of those that change a record
	mentionsRead = 200  // of those that name it
	recordsNamed = 20
)

// Log tells what happened to a record, or in the workspace: the entries of the records, and what git knows beside them.
// A commit stands in it if it changes a record, and for one record also if its message names the record, as the merge
// of a task's branch does. The story of a record has the entries of those that are about it, such as handoffs. Without
// git the entries are told alone, and Note says why.
func Log(ctx context.Context, w *verb.Workspace, s *store.Store, in LogIn) (LogOut, error) {
	f, err := HistoryIn{ID: in.ID, Actor: in.Actor, Since: in.Since, Until: in.Until, Paging: in.Paging}.filters(w)
	if err != nil {
		return LogOut{}, err
	}
	f.whole = in.Reverse
	all, problems, err := f.logs(ctx, w, s)
	if err != nil {
		return LogOut{}, err
	}
	order := "log"
	if in.Reverse {
		order = "log reverse"
	}
	paging := w.PageIn(order, in.Paging)
	events, unread := f.events(all, paging)
	about, err := f.about(ctx, w, s)
	if err != nil {
		return LogOut{}, err
	}
	known := gitStory{}
	if in.Actor == "" {
		if known, err = f.git(ctx, s); err != nil {
			return LogOut{}, err
		}
	}
	var story []verb.Ranked[Told]
	for _, e := range append(events, about...) {
		entry := e.Item.Entry
		told := Told{At: e.Item.At, Who: string(e.Item.Who), Task: e.Item.Task, Record: e.Item.Record, Title: e.Item.Title, Deleted: e.Item.Deleted, Entry: &entry}
		told.In = known.brought.commit(cmp.Or(string(e.Item.Task), e.Item.Record), entry)
		story = append(story, verb.Ranked[Told]{At: e.At, Item: told})
	}
	story = append(story, known.told...)
	if in.Reverse {
		for i := range story {
			story[i].At = verb.Position{Key: verb.OldestFirst(story[i].Item.At), ID: verb.Descending(story[i].At.ID)}
		}
	}
	page, err := verb.Page(story, problems, paging)
	for _, told := range page.Items {
		if told.Entry != nil {
			f.tellChanges(ctx, s, cmp.Or(string(told.Task), told.Record), told.Entry)
		}
	}
	return LogOut{Story: page.Items, Total: page.Total + unread, NextCursor: page.NextCursor, Note: known.note, Problems: page.Problems}, err
}

// about lists the entries of the records that are about the one whose story is told.
func (f filters) about(ctx context.Context, w *verb.Workspace, s *store.Store) ([]verb.Ranked[Event], error) {
	if f.ID == "" {
		return nil, nil
	}
	other := f
	other.ID = ""
	var out []verb.Ranked[Event]
	view := w.View(s)
	_, err := w.EachRow(ctx, s, func(k *kind.Kind, r *kind.Row) {
		if r.ID == string(f.ID) || !slices.Contains(r.All(kind.AboutFact), string(f.ID)) || !other.mayFit(k.Name, r) {
			return
		}
		if v, err := s.Read(k, r.ID); err == nil { // else it is gone meanwhile
			out = append(out, other.eventsOf(recorded(view, k, v, false))...)
		}
	})
	return out, err
}

type gitStory struct {
	told    []verb.Ranked[Told]
	brought broughtLines
	note    string
}

// git asks git for the commits of a story. That git fails is a note.
func (f filters) git(ctx context.Context, s *store.Store) (gitStory, error) {
	out := gitStory{brought: broughtLines{}}
	if s.Repo == nil {
		out.note = "there is no git repository around the workspace"
		return out, nil
	}
	changing := store.LogIn{Paths: []string{s.InRepo(".cairn")}, Since: f.since, Most: commitsRead}
	naming := store.LogIn{Mentions: string(f.ID), Since: f.since, Most: mentionsRead}
	if f.ID != "" {
		changing.Paths = f.paths(s)
	}
	var changed, named []store.Logged
	var cut, cutNamed bool
	var err, errNamed error
	var asking sync.WaitGroup
	asking.Go(func() { changed, cut, err = s.Git().Log(ctx, changing, isEntryLine) })
	if f.ID != "" {
		asking.Go(func() { named, cutNamed, errNamed = s.Git().Log(ctx, naming, nil) })
	}
	asking.Wait()
	if ctx.Err() != nil {
		return out, ctx.Err()
	}
	for _, failed := range []error{err, errNamed} {
		if failed != nil {
			out.note = "git: " + record.MessageOf(failed)
		}
	}
	if out.note == "" && (cut || cutNamed) {
		out.note = "older commits are left out, or are not in this clone"
	}
	seen := map[string]bool{}
	for i, c := range append(changed, named...) {
		if seen[c.ID] || !f.until.IsZero() && !c.At.Before(f.until) {
			continue
		}
		seen[c.ID] = true
		told := Told{At: c.At, Who: c.Author, Commit: &Commit{Hash: c.ID, Subject: c.Subject, Merge: c.Merge}}
		if i < len(changed) {
			told.Commit.changes(s, c, out.brought)
			if len(told.Commit.Changes) == 0 {
				continue
			}
		}
		out.told = append(out.told, verb.Ranked[Told]{At: verb.Position{Key: verb.NewestFirst(c.At), ID: fmt.Sprintf(" %06d", i)}, Item: told})
	}
	return out, nil
}

// paths are where the file of the record lies, or lay before it was put to rest or deleted.
func (f filters) paths(s *store.Store) []string {
	if f.ID == configKind {
		return []string{s.InRepo(s.Rel(s.ConfigFile()))}
	}
	var out []string
	for _, k := range kind.Kinds() {
		if err := k.ParseID(string(f.ID)); err != nil {
			continue
		}
		out = append(out, s.InRepo(k.File(string(f.ID))))
		if at := place.Of(s.Layout, k, string(f.ID)); at != k.File(string(f.ID)) {
			out = append(out, s.InRepo(at))
		}
	}
	return out
}

func idOfFile(name string) string { return strings.TrimSuffix(path.Base(name), path.Ext(name)) }

// changes says which records a commit changes, and notes the entries that it brings. A record whose file goes in one
// place and comes in another was moved, as archive does it: one change, and none by hand.
func (c *Commit) changes(s *store.Store, in store.Logged, brought broughtLines) {
	places, seen := map[string]int{}, map[string]bool{}
	for _, file := range in.Changed {
		places[idOfFile(file.Path)]++
	}
	for _, file := range in.Changed {
		name, id := strings.TrimPrefix(file.Path, s.InRepo("")), idOfFile(file.Path)
		if _, _, ok := kind.At(strings.TrimPrefix(name, "/")); !ok && path.Base(file.Path) != "config.yaml" {
			continue
		}
		if !seen[id] {
			seen[id] = true
			if c.ChangesTotal++; len(c.Changes) < recordsNamed {
				c.Changes = append(c.Changes, id)
			}
		}
		made := file.New && id == configKind // by init, which writes no entry
		switch once := places[id] == 1; {
		case once && file.Gone && len(c.Deleted) < recordsNamed:
			c.Deleted = append(c.Deleted, id)
		case once && !file.Gone && len(file.Added) == 0 && !made && len(c.ByHand) < recordsNamed:
			c.ByHand = append(c.ByHand, id)
		}
		for _, line := range file.Added {
			if key, ok := keyOfLine(id, line); ok {
				brought[key] = append(brought[key], broughtLine{in.ID, line})
			}
		}
	}
	if c.ChangesTotal == len(c.Changes) {
		c.ChangesTotal = 0
	}
}

func isEntryLine(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.HasPrefix(line, "- {who: ") || strings.HasPrefix(line, "- who: ")
}

// broughtLines are the lines of entries that commits bring, by entryKey, those of the newest commits first.
type broughtLines map[string][]broughtLine

type broughtLine struct{ commit, line string }

// commit is the commit that brought an entry first; "" if that is not known.
func (b broughtLines) commit(id string, e verb.Entry) (commit string) {
	lines := b[entryKey(id, string(e.Who), e.At, string(e.Did))]
	differ := slices.ContainsFunc(lines, func(one broughtLine) bool { return one.line != lines[0].line })
	for _, one := range lines {
		if !differ || one.says(e.Hash) {
			commit = one.commit
		}
	}
	return commit
}

// says reports whether a line is that of the entry with a short hash: several may have one key.
func (l broughtLine) says(hash string) bool {
	doc, err := format.Parse([]byte("provenance:\n"+l.line+"\n"), format.YAML)
	if err != nil {
		return false
	}
	log, err := kind.Entries(doc)
	return err == nil && len(log) == 1 && log[0].ShortHash() == hash
}

// entryKey tells an entry from most others of a story. Those of one record that somebody made in one second may have one.
func entryKey(id, who string, at time.Time, did string) string {
	return id + " " + who + " " + at.UTC().Format(time.RFC3339) + " " + did
}

// keyOfLine is the entryKey of an entry that stands on one line, as cairn writes them.
func keyOfLine(id, line string) (string, bool) {
	value := func(key string) string {
		_, rest, ok := strings.Cut(line, key)
		if !ok {
			return ""
		}
		return strings.Trim(rest[:min(len(rest), strings.IndexAny(rest+",", ",}"))], ` '"`)
	}
	at, err := time.Parse(time.RFC3339, value(" at: "))
	return entryKey(id, value("who: "), at, value(" did: ")), err == nil
}
