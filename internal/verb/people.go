package verb

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/problem"
)

// People are the actors that a workspace knows: those in its directory, and those whom its records name.
type People struct {
	Registered map[record.Actor]*kind.Row
	Seen       map[record.Actor]int64 // when each wrote last, in seconds since 1970; 0 for who never did; only from EverybodyIn
	Problems   []problem.Problem      // the files of actors that cannot be read
}

// PeopleIn reads the directory of a workspace, by rows: no file is read that did not change.
func (w *Workspace) PeopleIn(ctx context.Context, s *store.Store) (People, error) {
	view, err := w.Reads.Look(ctx, s, kind.Actors.Kind)
	if err != nil {
		return People{}, err
	}
	p := People{Registered: map[record.Actor]*kind.Row{}, Problems: view.Problems()}
	for _, r := range view.Rows() {
		p.Registered[record.Actor(r.ID)] = r
	}
	return p, nil
}

// EverybodyIn is PeopleIn with those who wrote an entry of any record, who hold or review a task, or to whom a handoff
// is addressed.
func (w *Workspace) EverybodyIn(ctx context.Context, s *store.Store) (People, error) {
	p, err := w.PeopleIn(ctx, s)
	if err != nil {
		return p, err
	}
	p.Seen = map[record.Actor]int64{}
	_, err = w.EachRow(ctx, s, func(_ *kind.Kind, r *kind.Row) {
		for _, sign := range r.Signs {
			p.see(sign.Who, sign.At)
		}
		p.see(r.Assignee, 0)
		for _, who := range slices.Concat(r.All(kind.ReviewerFact), r.All(kind.ToFact)) {
			p.see(record.Actor(who), 0)
		}
	})
	return p, err
}

// see remembers that an actor wrote at a time, or was named. What is no actor, such as a group, is left out.
func (p People) see(who record.Actor, at int64) {
	if _, err := record.ParseActor(string(who)); err == nil {
		p.Seen[who] = max(p.Seen[who], at)
	}
}

// All lists everybody, sorted.
func (p People) All() []record.Actor {
	all := maps.Clone(p.Seen)
	if all == nil {
		all = map[record.Actor]int64{}
	}
	for who := range p.Registered {
		all[who] = max(all[who], 0)
	}
	return slices.Sorted(maps.Keys(all))
}

// Groups returns the groups that an actor belongs to: that of the directory, unless the actor is gone.
func (p People) Groups(who record.Actor) []string {
	r := p.Registered[who]
	if r == nil || r.Status == ledger.ActorGone {
		return nil
	}
	return r.All(kind.GroupFact)
}

// Members lists the actors of a group that are not gone, sorted.
func (p People) Members(group string) []record.Actor {
	var out []record.Actor
	for _, who := range slices.Sorted(maps.Keys(p.Registered)) {
		if slices.Contains(p.Groups(who), group) {
			out = append(out, who)
		}
	}
	return out
}

// Named finds the actor that a mention names, with or without an @ in front: by the whole id, or by a name that no
// other actor has. It reports false if there is none, or more than one.
func (p People) Named(mention string) (record.Actor, bool) {
	name := strings.TrimPrefix(mention, "@")
	if who, err := record.ParseActor(name); err == nil {
		return who, true
	}
	var found []record.Actor
	for _, who := range p.All() {
		if strings.EqualFold(ledger.Name(who), name) {
			found = append(found, who)
		}
	}
	if len(found) != 1 {
		return "", false
	}
	return found[0], true
}

// GroupsOf returns a function that says which groups an actor belongs to, by the directory.
func (w *Workspace) GroupsOf(ctx context.Context, s *store.Store) (func(record.Actor) []string, error) {
	p, err := w.PeopleIn(ctx, s)
	return p.Groups, err
}

// Mentioned finds the actors that a text mentions, as @NAME or as @KIND:NAME, in the order of the text. A name that
// several actors have, or nobody, is none; @me is the one who writes.
func (w *Workspace) Mentioned(ctx context.Context, s *store.Store, text string) ([]record.Actor, error) {
	names := mentionsIn(text)
	if len(names) == 0 {
		return nil, nil
	}
	people, err := w.EverybodyIn(ctx, s)
	if err != nil {
		return nil, err
	}
	var out []record.Actor
	for _, name := range names {
		who, ok := people.Named(name)
		if IsMe(name) {
			who, ok = w.Actor(), true
		}
		if ok && !slices.Contains(out, who) {
			out = append(out, who)
		}
	}
	return out, nil
}

// A mention begins a word, or stands behind a letter of a script that has no blanks between words. An address, such as
// ada@example.org, has none.
var mention = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\p{Latin}\p{Greek}\p{Cyrillic}\pN._+:@-])@((?:(?:human|agent|service|ci):)?[\pL\pN_][\pL\pM\pN._@+-]*)`)
})

// mentionsIn lists what a text mentions, without the marks that end the sentence.
func mentionsIn(text string) []string {
	var out []string
	for _, m := range mention().FindAllStringSubmatch(text, -1) {
		if name := strings.TrimRight(m[1], ".+-@"); name != "" {
			out = append(out, name)
		}
	}
	return out
}

// IsMe reports whether a name in an input stands for who acts.
func IsMe(name string) bool { return name == "me" || name == "@me" }
