package ledger

import (
	"cmp"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Successor is what the order of succession asks of a decision.
type Successor struct {
	ID         DecisionID
	Supersedes DecisionID
	Status     record.Status
	Created    int64 // in seconds since 1970
}

// Succession is which decisions stand in the place of others. Decisions that supersede one another form a line, and of
// a line at most one governs: of those accepted ones that no accepted one has followed, directly or over others, the
// newest. So a successor that is proposed or rejected governs nothing, its predecessor still does, and of two accepted
// successors the newest governs.
type Succession struct {
	of      map[DecisionID]Successor
	root    map[DecisionID]DecisionID // of each, the first of its line
	governs map[DecisionID]DecisionID // of each root, which of its line governs; none if none is accepted
}

// Succeed returns the succession among decisions.
func Succeed(all []Successor) Succession {
	s := Succession{of: make(map[DecisionID]Successor, len(all)), root: make(map[DecisionID]DecisionID, len(all)), governs: map[DecisionID]DecisionID{}}
	for _, d := range all {
		s.of[d.ID] = d
	}
	followed := map[DecisionID]bool{} // by an accepted one
	for _, d := range all {
		if d.Status == Accepted {
			// above one that is marked already all are
			for at, ok := s.of[d.Supersedes]; ok && !followed[at.ID]; at, ok = s.of[at.Supersedes] {
				followed[at.ID] = true
			}
		}
		s.findRoot(d)
	}
	for _, d := range all {
		if d.Status != Accepted {
			continue
		}
		root := s.root[d.ID]
		now, ok := s.of[s.governs[root]]
		switch {
		case !ok, followed[now.ID] && !followed[d.ID], followed[now.ID] == followed[d.ID] && cmp.Or(cmp.Compare(d.Created, now.Created), cmp.Compare(d.ID, now.ID)) > 0:
			s.governs[root] = d.ID
		}
	}
	return s
}

// findRoot finds the first of a line, for each decision on the way to it. In a circle, which only an edit by hand can
// make, the least of its ids is the first.
func (s Succession) findRoot(d Successor) {
	var path []DecisionID
	seen, root := map[DecisionID]bool{}, DecisionID("")
	for at := d; root == ""; {
		before, ok := s.of[at.Supersedes]
		switch {
		case s.root[at.ID] != "":
			root = s.root[at.ID]
		case seen[at.ID]:
			root = at.ID
			for other := before; other.ID != at.ID; other = s.of[other.Supersedes] {
				root = min(root, other.ID)
			}
		case !ok:
			root = at.ID
		}
		seen[at.ID], path = true, append(path, at.ID)
		at = before
	}
	for _, id := range path {
		s.root[id] = root
	}
}

// Governs reports whether a decision governs: it is accepted, and none stands in its place.
func (s Succession) Governs(id DecisionID) bool {
	_, ok := s.of[id]
	return ok && s.governs[s.root[id]] == id
}

// SupersededBy is the decision that governs in the place of another; "" if none does, or it governs itself. One that
// nothing was ever to follow, and that was never accepted, has none.
func (s Succession) SupersededBy(id DecisionID) DecisionID {
	now := s.governs[s.root[id]]
	if now == id || !s.descends(now, id) && s.of[id].Status != Accepted {
		return ""
	}
	return now
}

func (s Succession) descends(id, from DecisionID) bool {
	seen := map[DecisionID]bool{}
	for at := s.of[id]; at.ID != "" && !seen[at.ID]; at = s.of[at.Supersedes] {
		seen[at.ID] = true
		if at.Supersedes == from {
			return true
		}
	}
	return false
}
