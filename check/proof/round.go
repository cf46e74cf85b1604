package proof

// chain says where the chain leads that begins at a record and goes on at the one that each names, such as its parent.
type chain int

// The kinds of chain. One that leads nowhere ends at a record that names none, or one that is not known.
const (
	leadsOut chain = iota + 1
	leadsIntoCircle
	isInCircle
)

// chains remembers where the chains of records lead. It walks each link once, however long the chains are that somebody
// has made.
type chains map[string]chain

// of finds where the chain of a record leads. next is the id that a record names, "" for none.
func (known chains) of(id string, next func(string) string) chain {
	var path []string
	place := map[string]int{}
	at := id
	for at != "" && known[at] == 0 {
		if begin, again := place[at]; again {
			known.set(path[:begin], leadsIntoCircle)
			known.set(path[begin:], isInCircle)
			return known[id]
		}
		place[at] = len(path)
		path = append(path, at)
		at = next(at)
	}
	end := leadsOut
	if at != "" && known[at] != leadsOut {
		end = leadsIntoCircle
	}
	known.set(path, end)
	return known[id]
}

func (known chains) set(ids []string, to chain) {
	for _, id := range ids {
		known[id] = to
	}
}
