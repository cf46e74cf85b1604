package kind

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Said is what a row keeps of one entry that concerns somebody: who wrote it, when, its short hash, and a word more.
type Said struct {
	Who  record.Actor
	At   time.Time
	Hash string
	More string // "" for nothing
}

// SaidOf is what a row keeps of an entry.
func SaidOf(e record.Entry) Said { return Said{Who: e.Who, At: e.At, Hash: e.ShortHash()} }

// String is the value of a fact.
func (s Said) String() string {
	return strings.TrimRight(strings.Join([]string{strconv.FormatInt(seconds(s.At), 10), s.Hash, string(s.Who), s.More}, " "), " ")
}

// parseSaid reads the value of a fact. It reports false for what String never returns.
func parseSaid(value string) (Said, bool) {
	parts := strings.SplitN(value, " ", 4)
	if len(parts) < 3 {
		return Said{}, false
	}
	at, err := strconv.ParseInt(parts[0], 10, 64)
	out := Said{Who: record.Actor(parts[2]), At: time.Unix(at, 0).UTC(), Hash: parts[1]}
	if len(parts) == 4 {
		out.More = parts[3]
	}
	return out, err == nil && record.IsShortHash(out.Hash)
}

// Said returns the values of all facts with a name that tell of entries, the oldest first.
func (r *Row) Said(name string) []Said {
	var out []Said
	for _, f := range r.Facts {
		if f.Name != name {
			continue
		}
		if s, ok := parseSaid(f.Value); ok {
			out = append(out, s)
		}
	}
	return out
}

// saidKept is how many entries of one sort a row tells of.
const saidKept = 32

// newest is the last few of a list.
func newest(list []string) []string {
	return slices.Clip(list[max(0, len(list)-saidKept):])
}
