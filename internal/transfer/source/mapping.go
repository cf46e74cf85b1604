package source

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
)

// Mapping is what whoever imports says of the columns of a file and of its words for states.
type Mapping struct {
	columns map[string][]string // the columns of a field
	states  map[string]string   // the state of a word, in lower case
	Here    []string            // the states of the workspace: a word that is one means that
}

// Given reports whether something is said of columns or states.
func (m Mapping) Given() bool { return len(m.columns)+len(m.states) > 0 }

// NewMapping reads pairs: FIELD=COLUMN, in which a field that comes several times has several columns, and
// state:WORD=STATE. Several may stand in one text, with commas between them; lines are pairs too, and those that begin
// with # are left out. A field is one of an item, or one of fields. Anything else is INVALID_INPUT.
func NewMapping(texts, fields, states []string) (Mapping, error) {
	m := Mapping{columns: map[string][]string{}, states: map[string]string{}, Here: states}
	for _, text := range texts {
		for _, pair := range pairsIn(text) {
			if err := m.add(pair, fields); err != nil {
				return Mapping{}, err
			}
		}
	}
	return m, nil
}

// pairsIn cuts a text into pairs. A comma with a blank behind it, or with no pair, belongs to what is named.
func pairsIn(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		for i, part := range strings.Split(line, ",") {
			if i > 0 && (!strings.Contains(part, "=") || strings.HasPrefix(part, " ")) {
				out[len(out)-1] += "," + part
				continue
			}
			out = append(out, part)
		}
	}
	return out
}

func (m Mapping) add(pair string, fields []string) error {
	to, from, ok := strings.Cut(pair, "=")
	to, from = strings.TrimSpace(to), strings.TrimSpace(from)
	if !ok || to == "" || from == "" {
		return record.Errorf(record.InvalidInput, "map is %q", record.Clip(pair, 60)).
			WithHint("FIELD=COLUMN, such as title=Summary, or state:WORD=STATE, such as state:Parked=open")
	}
	if word, isState := strings.CutPrefix(to, "state:"); isState {
		known := append([]string{transfer.Open, transfer.Started, transfer.Review, transfer.Done, transfer.Dropped},
			m.Here...)
		if err := record.OneOf("map: the state of "+record.Clip(word, 40), from, known); err != nil {
			return err
		}
		m.states[strings.ToLower(strings.TrimSpace(word))] = from
		return nil
	}
	name := to
	if strings.HasPrefix(to, "labels ") {
		name = "labels"
	}
	known := slices.Concat(plain, lists, slices.Sorted(maps.Keys(special)), fields)
	if !slices.Contains(known, name) {
		e := record.Errorf(record.InvalidInput, "map names the field %q, which no item has", record.Clip(to, 40))
		if slices.Contains(known, from) {
			return e.WithHint("the field stands first, then the column: %s=%s", from, to)
		}
		return e.WithHint("%s; and the fields of this workspace", strings.Join(Fields(), ", "))
	}
	m.columns[to] = append(m.columns[to], from)
	return nil
}

// Fields are the names of fields that a mapping can give columns.
func Fields() []string { return slices.Concat(plain, lists) }

// with is a table in which the columns that a mapping names stand for a field in place of its own.
func (t table) with(m Mapping) table {
	t.columns = slices.Clone(t.columns)
	for _, to := range slices.Sorted(maps.Keys(m.columns)) {
		t.columns = slices.DeleteFunc(t.columns, func(c column) bool { return c.to == to })
		c := column{to: to, from: strings.Join(m.columns[to], "|"), asked: true}
		if c.isList() && to != "comments" {
			c.split = ","
		}
		t.columns = append(t.columns, c)
	}
	return t
}

// moreStates are words that trackers have for states; those of all systems are in states.
var moreStates = map[string]string{
	"opened": transfer.Open, "reopened": transfer.Open, "new": transfer.Open, "triage": transfer.Open,
	"unstarted":                transfer.Open,
	"selected for development": transfer.Open, "ready": transfer.Open, "active": transfer.Started, "wip": transfer.Started,
	"in development": transfer.Started, "code review": transfer.Review, "in code review": transfer.Review,
	"ready for review": transfer.Review,
	"resolved":         transfer.Done, "complete": transfer.Done, "finished": transfer.Done, "rejected": transfer.Dropped,
	"duplicate": transfer.Dropped,
	"won't fix": transfer.Dropped, "obsolete": transfer.Dropped, "abandoned": transfer.Dropped,
}

// givenUp are reasons for which something is closed that was not done.
var givenUp = []string{
	"won't do", "won't fix", "wont fix", "duplicate", "declined", "cannot reproduce", "incomplete", "invalid",
	"rejected", "abandoned", "obsolete", "not a bug",
}

// state is the state of an item. What whoever imports says of the word comes first, then a state of the workspace that
// is called so, then the words of all trackers; for any other word what else the row says, and else it is unknown.
func (r *tableReader) state(word, stage string, said map[string][]string) string {
	low := strings.ToLower(strings.TrimSpace(word))
	if to, ok := r.m.states[low]; ok {
		return to
	}
	same := strings.NewReplacer(" ", "_", "-", "_").Replace(low)
	if slices.Contains(r.m.Here, same) {
		return same
	}
	if to, ok := stateOf(word); ok {
		return to
	}
	if to, ok := moreStates[low]; ok {
		return to
	}
	if to, ok := stateOf(stage); ok && stage != "" {
		return to
	}
	for _, at := range []struct{ column, state string }{{"dropped", transfer.Dropped}, {"closed", transfer.Done}, {
		"started", transfer.Started}} {
		if len(said[at.column]) > 0 {
			return at.state
		}
	}
	if slices.ContainsFunc(r.t.columns, func(c column) bool { return c.to == "started" }) {
		return transfer.Open // the system says when something is begun
	}
	r.unknown[word]++
	return transfer.Open
}

// refuseStates returns INVALID_INPUT that names the words for states that nobody knows, and the arguments that say what
// they are.
func (r *tableReader) refuseStates(f File) error {
	words := slices.Sorted(maps.Keys(r.unknown))
	var counted, flags []string
	for _, word := range words[:min(len(words), 20)] {
		word = record.Clip(word, 40)
		counted = append(counted, fmt.Sprintf("%q (%d)", word, r.unknown[word]))
		flags = append(flags, fmt.Sprintf("--map 'state:%s=open'", strings.ReplaceAll(word, "'", `'\''`)))
	}
	return bad(f.Name, 0, "has states that are not known: %s%s", strings.Join(counted, ", "), record.AndMore(len(
		words)-len(counted))).
		WithHint("say what each is, such as %s; open, started, review, done, dropped, or a state of this workspace",
			strings.Join(flags, " "))
}
