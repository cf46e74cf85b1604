package session

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Branches is what the remote-tracking branches of a clone say of tasks, beyond what the commit has that is checked out
// in one worktree. It follows from git alone, and is kept so that it need not be found anew.
type Branches struct {
	Remote string   `json:"remote"`
	Head   string   `json:"head"`            // the commit that is checked out
	Stamp  string   `json:"stamp,omitempty"` // of the refs when they were read; "" if they may change unnoticed
	Tips   []Branch `json:"tips,omitempty"`
}

// Branch is a remote-tracking branch.
type Branch struct {
	Name    string    `json:"name"` // such as origin/fix
	Commit  string    `json:"commit"`
	Made    time.Time `json:"made"`            // when the commit was
	Forks   []string  `json:"forks,omitempty"` // where the branch and what is checked out went apart; the commit itself if all of it is merged
	Carried []Carried `json:"carried,omitempty"`
}

// Carried is a status that a branch has brought a record to since it went apart.
type Carried struct {
	Ref    record.Ref    `json:"ref"`
	Status record.Status `json:"status"`
	Entry  string        `json:"entry"` // hash of the entry that did
	At     time.Time     `json:"at"`
}

// Moved is the last change of the status of a record, by its file. It reports false for a record that was never moved,
// and for one whose status is not the one that the change led to.
func Moved(h record.Header) (Carried, bool) {
	for _, e := range slices.Backward(h.Log) {
		if e.To != "" && e.To != e.From {
			return Carried{Ref: h.Ref, Status: h.Status, Entry: e.Hash(), At: e.At}, e.To == h.Status
		}
	}
	return Carried{}, false
}

// Of returns what is known of a branch whose tip is a commit; nil if that is nothing.
func (b Branches) Of(name, commit string) *Branch {
	for i := range b.Tips {
		if b.Tips[i].Name == name && b.Tips[i].Commit == commit {
			return &b.Tips[i]
		}
	}
	return nil
}

// Progress is what the branches say of each record, the newest last.
func (b Branches) Progress() map[record.Ref][]Progress {
	out := map[record.Ref][]Progress{}
	for _, tip := range b.Tips {
		for _, c := range tip.Carried {
			out[c.Ref] = append(out[c.Ref], Progress{Status: c.Status, Branch: tip.Name, Head: tip.Commit, Entry: c.Entry, At: c.At, Source: FromBranch})
		}
	}
	for _, of := range out {
		slices.SortStableFunc(of, func(a, b Progress) int {
			return cmp.Or(a.At.Compare(b.At), strings.Compare(b.Branch, a.Branch))
		})
	}
	return out
}

// ParseBranches reads what is kept of the branches of a remote.
func ParseBranches(src []byte, remote string) (Branches, error) {
	return parse(src, "what is kept of branches", func(b *Branches) bool {
		return b.Remote == remote && isObject(b.Head) && isName(b.Stamp) && all(b.Tips, Branch.valid)
	})
}

func (b Branch) valid() bool {
	return b.Name != "" && isName(b.Name) && b.Commit != "" && isObject(b.Commit) && all(b.Forks, isObject) && all(b.Carried, Carried.valid)
}

func (c Carried) valid() bool {
	return isName(c.Ref.Kind) && isName(c.Ref.ID) && c.Status != "" && isName(string(c.Status)) && isHash(c.Entry) && !c.At.IsZero()
}
