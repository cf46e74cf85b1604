package activity

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Change is a field that is not what it was.
type Change = verb.FieldChange

const (
	changesShown    = 50
	newEntriesShown = 10
	newTextShown    = 500 // bytes of an entry's text
)

// row is one record that a wait watches. Any kind of record can be one: its fields are the top-level keys of the JSON
// object that its value marshals to, and changes are listed in the order of those keys.
type row struct {
	id    string
	stamp string     // differs whenever the value does, so that values with equal stamps need not be compared
	value func() any // marshalled only when it is compared; the same for as long as the row is kept

	// Of one of many tasks.
	of      *kind.Row
	hash    uint64 // of id and stamp
	foreign bool   // it depends on what is no task
}

// snapshot is what one read of what is watched found. Waits share it, so it is not to be changed.
type snapshot struct {
	rows   []*row               // sorted by id
	many   bool                 // the rows are those that fit filters; coming or going is a change of one
	exists func(id string) bool // whether a record can be read, whether or not it fits
	met    bool                 // the condition of the wait holds
	lost   bool                 // the caller held it, until the git remote gave it to another clone
	cursor string
	log    record.Log // of the record, if one is watched
	descs  verb.Descs
	answer func() Waited // what is watched, as it is returned; nil if nothing was found
	among  *among        // of the tasks that fit filters
}

// cursorOf makes a cursor: a hash of what is watched and of the rows, a dash, and how many entries the record had.
func cursorOf(about string, rows []*row, entries int) string {
	sum := sha256.New()
	add := func(text string) { _, _ = io.WriteString(sum, text); _, _ = sum.Write([]byte{0}) }
	add(about)
	for _, r := range rows {
		add(r.id)
		add(r.stamp)
	}
	return fmt.Sprintf("%s-%d", hex.EncodeToString(sum.Sum(nil))[:16], entries)
}

var cursorForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{16}-[0-9]+$`) })

func (s snapshot) missing(now snapshot) bool {
	switch {
	case s.among != nil && s.among == now.among:
		return false
	case s.among != nil && now.among != nil && now.among.before == s.among.serial:
		return now.among.vanished
	default:
		return slices.ContainsFunc(s.rows, func(r *row) bool { return !now.exists(r.id) })
	}
}

type news struct {
	changes []Change
	entries record.Log
}

func (s snapshot) waited(code WaitCode, n news) Waited {
	var out Waited
	if s.answer != nil {
		out = s.answer()
	}
	out.Code, out.Cursor, out.Changed, out.Entries = code, s.cursor, verb.NoNil(n.changes), []verb.Entry{}
	if len(out.Changed) > changesShown {
		out.Changed = out.Changed[:changesShown]
	}
	if len(n.entries) > newEntriesShown {
		out.EntriesTotal = len(n.entries)
		n.entries = n.entries[len(n.entries)-newEntriesShown:]
	}
	for _, e := range n.entries {
		e.Text = verb.Head(e.Text, newTextShown)
		out.Entries = append(out.Entries, verb.ViewEntry(e, s.descs))
	}
	return out
}

func (s snapshot) changes(before snapshot) news {
	n := news{entries: s.log.Since(len(before.log))}
	was, now := before.rows, s.rows
	for len(was)+len(now) > 0 {
		var changes []Change
		id := ""
		switch {
		case len(was) > 0 && len(now) > 0 && was[0] == now[0]:
			was, now = was[1:], now[1:]
		case len(now) == 0 || len(was) > 0 && was[0].id < now[0].id:
			id, changes = was[0].id, []Change{{Field: "fits", From: "yes", To: "no"}}
			was = was[1:]
		case len(was) == 0 || now[0].id < was[0].id:
			id, changes = now[0].id, []Change{{Field: "fits", From: "no", To: "yes"}}
			now = now[1:]
		default:
			id = now[0].id
			if was[0].stamp != now[0].stamp {
				changes = difference(fieldsOfRow(was[0].value()), fieldsOfRow(now[0].value()))
			}
			was, now = was[1:], now[1:]
		}
		for _, c := range changes {
			if s.many {
				c.Task = record.ID(id)
			}
			n.changes = append(n.changes, c)
		}
	}
	return n
}

// timeOf is a cursor that is a time, to the second as entries have it; zero for any other.
func timeOf(cursor string) time.Time {
	at, err := time.Parse(time.RFC3339, cursor)
	if err != nil {
		return time.Time{}
	}
	return at
}

// had is how many entries the record had at a cursor.
func (s snapshot) had(cursor string) int {
	if at := timeOf(cursor); !at.IsZero() {
		if n := slices.IndexFunc(s.log, func(e record.Entry) bool { return e.At.After(at) }); n >= 0 {
			return n
		}
		return len(s.log)
	}
	_, count, _ := strings.Cut(cursor, "-")
	had, err := strconv.Atoi(count)
	if err != nil {
		return len(s.log)
	}
	return had
}

// changesSince is what changed since the answer that a cursor is from, as far as new entries say it.
func (s snapshot) changesSince(cursor string) news {
	n := news{entries: s.log.Since(s.had(cursor))}
	var status, assignee *Change
	for _, e := range n.entries {
		if e.To != "" {
			if status == nil {
				status = &Change{Field: "status", From: string(e.From)}
			}
			status.To = string(e.To)
		}
		if e.Assignee != nil {
			assignee = &Change{Field: "assignee", To: string(*e.Assignee)}
		}
	}
	for _, c := range []*Change{status, assignee} {
		if c != nil {
			n.changes = append(n.changes, *c)
		}
	}
	return n
}

type rowField struct{ name, value string }

// difference lists the fields that differ between two states of a record. What one of them lacks is empty there.
func difference(before, now []rowField) []Change {
	was := make(map[string]string, len(before))
	for _, f := range before {
		was[f.name] = f.value
	}
	var out []Change
	add := func(name, from, to string) {
		switch {
		case from == to:
		case len(from)+len(to) > verb.ValuesShown, kind.Digested(from), kind.Digested(to):
			out = append(out, Change{Field: name})
		default:
			out = append(out, Change{Field: name, From: from, To: to})
		}
	}
	for _, f := range now {
		add(f.name, was[f.name], f.value)
		delete(was, f.name)
	}
	for _, f := range before {
		if from, gone := was[f.name]; gone {
			add(f.name, from, "")
		}
	}
	return out
}

// fieldsOfRow lists the top-level keys of the JSON object that a value marshals to, in their order.
func fieldsOfRow(value any) []rowField {
	src := jsonOf(value)
	d := json.NewDecoder(bytes.NewReader(src))
	_, _ = d.Token() // the brace
	var out []rowField
	for d.More() {
		name, err := d.Token()
		var raw json.RawMessage
		if err == nil {
			err = d.Decode(&raw)
		}
		if err != nil {
			panic("verb: a row that is waited for is no JSON object: " + string(src))
		}
		out = append(out, rowField{fmt.Sprint(name), textOf(raw)})
	}
	return out
}

func jsonOf(value any) []byte {
	src, err := json.Marshal(value)
	if err != nil {
		panic("verb: a row that is waited for does not marshal: " + err.Error())
	}
	return src
}

// textOf is a JSON value in words: a text as it is, a list with commas, nothing for null, and anything else as JSON.
func textOf(raw json.RawMessage) string {
	switch raw[0] {
	case '"':
		var text string
		_ = json.Unmarshal(raw, &text) // it was marshalled by us
		return text
	case '[':
		var items []json.RawMessage
		_ = json.Unmarshal(raw, &items)
		return strings.Join(record.Each(items, textOf), ", ")
	case 'n':
		return ""
	default:
		return string(raw)
	}
}
