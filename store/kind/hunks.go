package kind

import (
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Choices is a merge of two versions of a record in which a person has to choose: texts that are merged, and between
// them the differences.
type Choices struct {
	kind        *Kind
	texts       []string // one more than there are differences
	Differences []Difference
}

// Difference is a place where two versions of a record say different things that do not go together.
type Difference struct {
	Field        string // the key that it is about, "text" for the body
	Ours, Theirs string // what they say: the value of a key where it is on one line, else the lines
	Note         string // why it does not go together, if that is not plain

	lines [2]string // with their line ends
}

// choiceMarkers are longer than those of git, which a text may mention.
var choiceMarkers = format.Markers{Size: 40, Ours: "ours", Theirs: "theirs"}

// Choose merges two versions of the record at a path as Merge does, and returns what is left to choose.
func (k *Kind) Choose(name string, base, ours, theirs []byte, flow task.Flow) Choices {
	merged, _ := Merge(name, base, ours, theirs, flow, choiceMarkers)
	c := Choices{kind: k, texts: []string{""}}
	first, middle, last := strings.Repeat("<", 40), strings.Repeat("=", 40), strings.Repeat(">", 40)
	side, at, rules := -1, Difference{}, 0
	key := ""
	for line := range strings.Lines(string(merged)) {
		text := strings.TrimRight(line, "\r\n")
		switch {
		case side < 0 && text == first+" ours":
			side, at = 0, Difference{}
		case side == 0 && text == middle:
			side = 1
		case side == 1 && strings.HasPrefix(text, last+" theirs"):
			at.Note = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, last+" theirs"), " ("), ")")
			at.name(key, rules > 1 && k.Form == format.Markdown)
			c.Differences, c.texts, side = append(c.Differences, at), append(c.texts, ""), -1
		case side >= 0:
			at.lines[side] += line
		default:
			c.texts[len(c.texts)-1] += line
			if text == "---" {
				rules++
			}
			if found := topKey(text); found != "" && (rules < 2 || k.Form != format.Markdown) {
				key = found
			}
		}
	}
	return c
}

// ChooseWhole is what is left to choose where one side deleted the record and the other changed it: the version of that
// side, or nothing, which is an empty text.
func (k *Kind) ChooseWhole(ours, theirs []byte) Choices {
	d := Difference{Field: "the record", Ours: k.inShort(ours), Theirs: k.inShort(theirs), lines: [2]string{string(ours), string(theirs)}}
	return Choices{kind: k, texts: []string{"", ""}, Differences: []Difference{d}}
}

// inShort is what a version of a record says, and who wrote to it last.
func (k *Kind) inShort(src []byte) string {
	if len(src) == 0 {
		return "deleted"
	}
	v, err := k.Parse(src)
	if err != nil {
		return "changed"
	}
	h := k.Header(v)
	last := h.Log.Last()
	return strings.TrimSpace("changed, " + string(last.Did) + " by " + string(last.Who) + ": " + h.Title)
}

// topKey is the key of the top mapping that a line begins with; "" for a line that begins otherwise.
func topKey(line string) string {
	key, rest, found := strings.Cut(line, ":")
	if !found || key == "" ||
		strings.ContainsAny(key, " \t#'\"[]{}") || rest != "" && !strings.ContainsAny(rest[:1], " \t\r\n") {
		return ""
	}
	return key
}

// name sets what the difference is about: the last key above it, or the one that its own lines begin with.
func (d *Difference) name(above string, inBody bool) {
	d.Field = above
	if inBody {
		d.Field = "text"
	}
	said := [2]*string{&d.Ours, &d.Theirs}
	for i, lines := range d.lines {
		*said[i] = strings.TrimSpace(lines)
		if key := topKey(*said[i]); key != "" && !inBody {
			d.Field = key
			if !strings.Contains(*said[i], "\n") {
				*said[i] = strings.Trim(strings.TrimSpace((*said[i])[len(key)+1:]), `"'`)
			}
		}
	}
}

// With is the text of the record with a side for each difference.
func (c Choices) With(theirs []bool) []byte {
	var b strings.Builder
	b.WriteString(c.texts[0])
	for i, d := range c.Differences {
		side := 0
		if theirs[i] {
			side = 1
		}
		b.WriteString(d.lines[side] + c.texts[i+1])
	}
	return []byte(b.String())
}

// Marked is the text of the record with git's markers around the differences, for an editor.
func (c Choices) Marked() []byte {
	text := c.texts[0]
	for i, d := range c.Differences {
		note := ""
		if d.Note != "" {
			note = " (" + d.Note + ")"
		}
		text += "<<<<<<< ours\n" + d.lines[0] + "=======\n" + d.lines[1] + ">>>>>>> theirs" + note + "\n" + c.texts[i+1]
	}
	return []byte(text)
}

// Settled is a text of the record, as somebody chose it, with every entry of both versions, and with one more that
// says what was chosen: the stamp has its text. Where the state is not what the newest move says, that entry is a
// move to it, unless the record is closed by that. It returns BAD_FILE for a text that cannot be read or has markers.
func (k *Kind) Settled(
	name string, text []byte, versions [2][]byte, flow task.Flow, deps task.Find, s record.Stamp,
) ([]byte, error) {
	doc, err := format.Parse(text, k.Form)
	var v any
	if err == nil {
		v, err = k.Decode(doc)
	}
	if err != nil {
		return nil, record.Errorf(record.BadFile, "%s: %w", name, err)
	}
	if line := doc.Unmerged(); line > 0 {
		return nil, record.Errorf(record.BadFile, "%s:%d: conflict markers are left", name, line)
	}
	was := v
	if lost := k.lost(k.Header(v).Log, versions); len(lost) > 0 {
		v, _, _ = k.PutBack(flow, v, lost, deps, s)
	}
	v = k.WithEntry(v, k.choice(k.Header(v), flow, s))
	if doc, err = k.Edit(doc, was, v); err != nil {
		return nil, record.Errorf(record.BadFile, "%s: %w", name, err)
	}
	return doc.Bytes(), nil
}

// lost are the entries of some versions that a log lacks, in their order. What cannot be read has none.
func (k *Kind) lost(log record.Log, versions [2][]byte) (lost []record.Entry) {
	have := log.Hashes()
	for _, src := range versions {
		doc, err := format.Parse(src, k.Form)
		if err != nil {
			continue
		}
		entries, _ := Entries(doc)
		for _, e := range entries {
			if hash := e.Hash(); !have[hash] {
				have[hash], lost = true, append(lost, e)
			}
		}
	}
	return lost
}

// Lost are the entries of two versions of a record that a text of it lacks. A text that cannot be read lacks all.
func (k *Kind) Lost(text []byte, versions [2][]byte) []record.Entry {
	var log record.Log
	if doc, err := format.Parse(text, k.Form); err == nil {
		log, _ = Entries(doc)
	}
	return k.lost(log, versions)
}

// choice is the entry that says what was chosen.
func (k *Kind) choice(h record.Header, flow task.Flow, s record.Stamp) record.Entry {
	moved, found := h.Log.Newest(func(e record.Entry) bool { return e.To != "" })
	if k != Tasks.Kind || !found || moved.To == h.Status || flow.IsClosed(h.Status) {
		return s.Entry(record.Noted)
	}
	e := s.Entry(record.Transitioned)
	e.From, e.To = moved.To, h.Status
	return e
}
