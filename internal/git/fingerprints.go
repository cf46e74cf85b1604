package git

import (
	"context"
	"slices"
)

// Fingerprints are those of some trees one after the other. Git is started twice for all of them, and each is made from
// the one before it.
type Fingerprints struct {
	repo   *Repo
	differ *differ
	lines  []string // as Tree.Fingerprint hashes them
	known  string   // their fingerprint; "" before the first
}

// Fingerprints returns those of some trees, in their order. It must be closed.
func (h History) Fingerprints(ctx context.Context, trees []string) (*Fingerprints, error) {
	pairs := make([]Pair, len(trees))
	was := ""
	for i, tree := range trees {
		pairs[i], was = Pair{was, tree}, tree
	}
	d, err := h.repo.differ(ctx, pairs, nil)
	return &Fingerprints{repo: h.repo, differ: d}, err
}

// Next returns the fingerprint of the next tree.
func (f *Fingerprints) Next() (string, error) {
	gone := map[string]bool{}
	var added []string
	err := f.differ.next(func(c FileChange) {
		if c.Was.ID != "" && !f.repo.setsAside(c.Path, c.Was.Mode) {
			gone[lineOf(c.Was.Mode+" "+c.Was.ID, c.Path)] = true
		}
		if c.Now.ID != "" && !f.repo.setsAside(c.Path, c.Now.Mode) {
			added = append(added, lineOf(c.Now.Mode+" "+c.Now.ID, c.Path))
		}
	})
	if err != nil {
		return "", err
	}
	if len(gone)+len(added) > 0 || f.known == "" {
		f.lines = append(slices.DeleteFunc(f.lines, func(line string) bool { return gone[line] }), added...)
		f.known = hashLines(f.lines)
	}
	return f.known, nil
}

// Close ends git.
func (f *Fingerprints) Close() { f.differ.close() }
