package kind

import (
	"bytes"
	"encoding/json"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Proposals is the row of proposals in the table of kinds. Newer files have actor, at, key, made_by and made_at as
// entries in provenance.
var Proposals = define[string, task.Proposal](Kind{
	Name: task.ProposalKind, Folder: "plans", Form: format.YAML, Lists: "list_proposals",
	keys: func() []string {
		return []string{"id", "summary", "actor", "at", "key", "tasks", "made", "made_by", "made_at", "refs", "provenance"}
	},
	ParseID: Prefixed(task.ProposalKind, task.ProposalPrefix),
	Judge:   &proof.Proposals, Life: task.ProposalLife,
}, codec{
	keys: func() []Key {
		return []Key{
			KeyOf("id", func(p *task.Proposal) *string { return &p.ID }).Required(),
			KeyOf("summary", func(p *task.Proposal) *string { return &p.Summary }),
			oneKey("tasks", func(p *task.Proposal) *json.RawMessage { return &p.Tasks }, planned, plannedValue),
			KeyOf("made", func(p *task.Proposal) *[]record.ID { return &p.Made }).United(),
			refsKey(place(func(p *task.Proposal) *[]record.Reference { return &p.Refs })),
			logKey(place(func(p *task.Proposal) *record.Log { return &p.Provenance })),
		}
	},
	set: func(v any, h record.Header) {
		p := v.(*task.Proposal)
		p.Refs, p.Provenance, p.Rev = h.Refs, h.Log, h.Rev
	},
	read: func(r *reader, v any) {
		p := v.(*task.Proposal)
		p.Provenance = append(r.oldEntries(), p.Provenance...)
	},
	words: func(v any) []string { return textsOf(plannedValue(v.(task.Proposal).Tasks)) },
})

// planned is what a proposal plans, as JSON.
func planned(r *reader, _ string, n *format.Node) json.RawMessage {
	var tasks any
	if n != nil {
		tasks = plain(n)
	}
	src, err := json.Marshal(tasks)
	if err != nil {
		r.fail(n, "%v", err)
	}
	return src
}

// plannedValue writes it. What is no JSON stays a text.
func plannedValue(src json.RawMessage) format.Value {
	v, err := jsonValue(src)
	if err != nil {
		return format.String(src)
	}
	return v
}

// oldEntries are the entries that older proposals have in keys of their own.
func (r *reader) oldEntries() record.Log {
	var out record.Log
	text := func(key string) string { return r.text(key, r.doc.Get(key)) }
	if who := text("actor"); who != "" {
		out = append(out, record.Entry{Who: record.Actor(who), At: r.instant("at", r.doc.Get("at")), Did: record.Created, Key: text("key")})
	}
	if who := text("made_by"); who != "" {
		out = append(out, record.Entry{
			Who: record.Actor(who), At: r.instant("made_at", r.doc.Get("made_at")), Did: record.Updated, Text: task.MadeReal,
		})
	}
	return out
}

// jsonValue turns JSON into a value to write, with the keys in their order.
func jsonValue(src []byte) (format.Value, error) {
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	return nextValue(d)
}

func nextValue(d *json.Decoder) (format.Value, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		var seq format.Seq
		var m format.Map
		for d.More() {
			var key json.Token
			if token == '{' {
				if key, err = d.Token(); err != nil {
					return nil, err
				}
			}
			value, err := nextValue(d)
			if err != nil {
				return nil, err
			}
			if name, ok := key.(string); ok {
				m = append(m, format.Field{Key: name, Value: value})
			} else {
				seq = append(seq, value)
			}
		}
		_, err := d.Token()
		if token == '{' {
			return m, err
		}
		return seq, err
	case bool:
		return format.Bool(token), nil
	case json.Number:
		return format.Plain(token.String()), nil
	case string:
		return format.String(token), nil
	default:
		return format.Plain("null"), nil
	}
}
