// Package chain finds circles among records that each name one other, such as their parent.
package chain

// End says where the chain leads that begins at a record and goes on at the one that each names.
type End int

// A chain leads out if it comes to a record that names none, or one that is not known.
const (
	LeadsOut End = iota + 1
	LeadsIntoCircle
	IsInCircle
)

// Known remembers where the chains of records lead. It walks each link once, however long the chains are that somebody
// has made.
type Known map[string]End

// Of finds where the chain of a record leads. next is the id that a record names, "" for none.
func (known Known) Of(id string, next func(string) string) End {
	var path []string
	place := map[string]int{}
	at := id
	for at != "" && known[at] == 0 {
		if begin, again := place[at]; again {
			known.set(path[:begin], LeadsIntoCircle)
			known.set(path[begin:], IsInCircle)
			return known[id]
		}
		place[at] = len(path)
		path = append(path, at)
		at = next(at)
	}
	end := LeadsOut
	if at != "" && known[at] != LeadsOut {
		end = LeadsIntoCircle
	}
	known.set(path, end)
	return known[id]
}

func (known Known) set(ids []string, to End) {
	for _, id := range ids {
		known[id] = to
	}
}
