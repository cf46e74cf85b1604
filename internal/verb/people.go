package verb

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

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

// begins finds the actor whose name a mention begins with, in a script that sets no space behind it: @山田さん is 山田.
// Of several it is the one with the longest name.
func (p People) begins(mention string) (record.Actor, bool) {
	all := p.All()
	for name := mention; name != ""; {
		if who, ok := p.Named(name); ok && slices.Contains(all, who) {
			return who, true
		}
		last, size := utf8.DecodeLastRuneInString(name)
		if !record.Unspaced(last) {
			break
		}
		name = name[:len(name)-size]
	}
	return p.Named(mention)
}

// Mentioned finds the actors that a text mentions, as @NAME or as @KIND:NAME, in the order of the text; @me is the one
// who writes. A name that several actors have, or nobody, reaches nobody, which a notice says.
func (w *Workspace) Mentioned(ctx context.Context, s *store.Store, text string) (out []record.Actor, missed []Notice, err error) {
	names := mentionsIn(norm.NFC.String(text))
	if len(names) == 0 {
		return nil, nil, nil
	}
	people, err := w.EverybodyIn(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	all := people.All()
	for _, name := range names {
		who, ok := people.begins(name)
		if IsMe(name) {
			who, ok = w.Actor(), true
		} else if !slices.Contains(all, who) {
			missed = append(missed, Notice{Code: "MENTION_REACHES_NOBODY", Message: "@" + name + " names nobody who is known here, or several"})
		}
		if ok && !slices.Contains(out, who) {
			out = append(out, who)
		}
	}
	return out, missed, nil
}

// A mention begins a word, or stands behind a letter of a script that has no blanks between words. An address, such as
// ada@example.org, has none. The sign may be that of full width.
var mention = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\p{Latin}\p{Greek}\p{Cyrillic}\pN._+:@-])[@＠]((?:(?:human|agent|service|ci):)?[\pL\pN_][\pL\pM\pN._@+-]*)`)
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
