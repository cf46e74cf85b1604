package record

import (
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Detail is what entries say that only few kinds of write make: comments, answers, references, decisions and ends of
// sessions. Who reads it from an entry must not change it.
type Detail struct {
	Mentions []Actor  `json:"mentions,omitempty"` // who is mentioned in the text
	Re       string   `json:"re,omitempty"`       // short hash of the entry that this one answers
	Verb     string   `json:"verb,omitempty"`     // what was done, of a milestone that is worth telling
	Severity string   `json:"severity,omitempty"` // how grave that is: info, warn or critical
	Option   string   `json:"option,omitempty"`   // which of the options an answer chose
	About    []string `json:"about,omitempty"`    // ids of the records that an answer is about, or of the question that was asked
	Content  string   `json:"content,omitempty"`  // hash of what never changes in the record
	Merged   string   `json:"merged,omitempty"`   // the commit of the branch that was merged, of the close that came with it
	Reviewed string   `json:"reviewed,omitempty"` // fingerprint of the files that were approved, where the move was made on others
	Base     string   `json:"base,omitempty"`     // the commit whose guarded files a run was held against
	Round    string   `json:"round,omitempty"`    // of a task that repeats: of its close the one behind it, and where it was made by that the one before
	Guards   []string `json:"guards,omitempty"`   // changed files on which the checks stand and that were looked at: of each its path, =, and the short hash of what it holds
	Red      []string `json:"red,omitempty"`      // of a close: the checks that were seen to fail without the work and of which no entry says so
	Refs     []string `json:"refs,omitempty"`     // references that were added, changed or taken away, by their ref
	Seen     []string `json:"seen,omitempty"`     // what an import saw: of each field its name, =, and a hash of what the source says
	Next     []string `json:"next,omitempty"`     // what is to be done next, of the end of a session
	Blockers []string `json:"blockers,omitempty"` // what stood in its way
}

// DetailKeys are the keys of a detail, in the order in which a file has them and a hash is made of them.
var DetailKeys = []string{"re", "verb", "severity", "option", "content", "merged", "reviewed", "base", "round", "mentions", "about", "guards", "red", "refs", "seen", "next", "blockers"}

// detailsOf lists the keys of a Detail that an entry of each kind may have. No verb writes others.
var detailsOf = sync.OnceValue(func() map[Did][]string {
	return map[Did][]string{
		Created:    {"content", "round"},
		GuardsSeen: {"guards"},
		Checked:    {"base"},
		Noted:      {"mentions", "re", "verb", "severity"},
		Updated:    {"refs", "seen", "round"},
		Assigned:   {"seen"},
		Finished:   {"next", "blockers", "base", "red"},
		Failed:     {"next", "blockers"},
		Canceled:   {"next", "blockers"},
		Asked:      {"about"},

		Transitioned: {"merged", "reviewed", "seen", "base", "red", "round"},

		Responded: {"option", "about"},
	}
})

// MayDetail reports whether an entry has no keys of a Detail but those that its kind may have.
func (e Entry) MayDetail() bool {
	return e.Detail == nil || !slices.ContainsFunc(e.Detail.keys(), func(key string) bool { return !slices.Contains(detailsOf()[e.Did], key) })
}

// Said returns the detail of an entry; a zero one if it has none.
func (e Entry) Said() Detail {
	if e.Detail == nil {
		return Detail{}
	}
	return *e.Detail
}

// Saying returns the entry with a detail, or without one if there is nothing in it.
func (e Entry) Saying(d Detail) Entry {
	if e.Detail = nil; len(d.keys()) > 0 {
		e.Detail = &d
	}
	return e
}

// values are the texts of each key that is set.
func (d *Detail) values(each func(key string, texts []string)) {
	one := func(text string) []string {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	for i, texts := range [][]string{
		one(d.Re), one(d.Verb), one(d.Severity), one(d.Option), one(d.Content), one(d.Merged), one(d.Reviewed), one(d.Base), one(d.Round),
		Texts(d.Mentions), d.About, d.Guards, d.Red, d.Refs, d.Seen, d.Next, d.Blockers,
	} {
		if len(texts) > 0 {
			each(DetailKeys[i], texts)
		}
	}
}

// keys lists the keys that are set.
func (d *Detail) keys() (out []string) {
	d.values(func(key string, _ []string) { out = append(out, key) })
	return out
}

// parts are what the hash of an entry is made of.
func (d *Detail) parts() (out []string) {
	if d != nil {
		d.values(func(key string, texts []string) { out = append(append(out, key), texts...) })
	}
	return out
}

// equal reports whether two details say the same. None is another than one with nothing in it.
func (d *Detail) equal(other *Detail) bool {
	if d == nil || other == nil {
		return d == other
	}
	said := func(d *Detail) (out [][]string) {
		d.values(func(key string, texts []string) { out = append(out, append([]string{key}, texts...)) })
		return out
	}
	return slices.EqualFunc(said(d), said(other), slices.Equal)
}

// membersOf lists the names of the fields of a struct in JSON.
func membersOf(t reflect.Type) []string {
	var out []string
	for f := range t.Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		out = append(out, name)
	}
	return out
}
