package verb

import (
	"context"
	"path"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Exist returns INVALID_INPUT for what cannot be the id of a record, and NOT_FOUND for one that is not there.
func Exist(r kind.Reader, ids []RecordID) error {
	for _, id := range ids {
		if _, _, err := kind.Find(r, string(id)); err != nil && record.CodeOf(err) != record.BadFile {
			return err
		}
	}
	return nil
}

// AsTexts is a list of ids, or of other words of one type, as texts; nil for an empty one.
func AsTexts[T ~string](list []T) []string {
	return record.Each(list, func(v T) string { return string(v) })
}

// leastShort is the least that is shown of an id as its short form: what is shorter is soon another's too.
const leastShort = 3

// ShortIDs returns for each of some ids how many bytes at its end occur in no other id of the workspace, so that they
// are enough to name it: of records of every kind, closed ones and those whose file is broken included. It is the whole
// length where the end of the id, up to its last dash, is not enough. It lists folders and reads no file; a process that
// shares its reads asks these.
func (r *SharedReads) ShortIDs(ctx context.Context, s *store.Store, of []string) (map[string]int, error) {
	var all []string
	for _, k := range kind.Kinds() {
		ids, err := r.idsOf(ctx, s, k)
		if err != nil {
			return nil, err
		}
		all = append(all, ids...)
	}
	return shortest(of, all), nil
}

func (r *SharedReads) idsOf(ctx context.Context, s *store.Store, k *kind.Kind) ([]string, error) {
	if r == nil {
		return s.Candidates(k, "")
	}
	view, err := r.Look(ctx, s, k)
	if err != nil {
		return nil, err
	}
	ids := record.Each(view.Rows(), func(r *kind.Row) string { return r.ID })
	for _, p := range view.Problems() {
		name := path.Base(p.Path)
		ids = append(ids, strings.TrimSuffix(name, path.Ext(name)))
	}
	return ids, nil
}

// shortest is ShortIDs among the ids that there are.
func shortest(of, all []string) map[string]int {
	ends := map[[leastShort]byte][]string{} // the ids by their last bytes
	var some [1 << 15]bool                  // of which of these there are some, perhaps
	need := make(map[string]int, len(of))
	for _, id := range of {
		if _, twice := need[id]; len(id) > leastShort && !twice {
			low := strings.ToLower(id)
			end := [leastShort]byte([]byte(low[len(low)-leastShort:]))
			ends[end], some[sieve(low[len(low)-leastShort:])] = append(ends[end], id), true
		}
		need[id] = leastShort
	}
	for _, other := range all {
		low := ""
		for at := leastShort; at <= len(other); at++ {
			if !some[sieve(other[at-leastShort:at])] {
				continue
			}
			if low == "" {
				low = strings.ToLower(other)
			}
			if at > len(low) {
				break
			}
			for _, id := range ends[[leastShort]byte([]byte(low[at-leastShort:at]))] {
				if id != other {
					need[id] = max(need[id], sameEnd(strings.ToLower(id), low[:at])+1)
				}
			}
		}
	}
	for id, n := range need {
		if n > len(id)-1-strings.LastIndexByte(id, '-') || n > len(id) {
			need[id] = len(id)
		}
	}
	return need
}

// sieve is a number of three bytes, in any case, which others can have too. Most parts of ids fall through it.
func sieve(s string) int { return int(s[0]&31)<<10 | int(s[1]&31)<<5 | int(s[2]&31) }

// sameEnd is how many bytes two texts have in common at their ends.
func sameEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[len(a)-1-n] == b[len(b)-1-n] {
		n++
	}
	return n
}
