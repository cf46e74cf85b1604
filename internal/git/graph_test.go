package git

import (
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"os"
	"testing"
)

// A commit graph that somebody made up does not decide who descends from whom.
func TestForgedCommitGraph(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.write("file", "1")
	r.commit()
	other := r.git("commit-tree", "-m", "of nobody", "HEAD^{tree}")
	r.write("file", "2")
	r.commit()
	middle := r.git("rev-parse", "HEAD")
	r.write("file", "3")
	r.commit()
	tip := r.git("rev-parse", "HEAD")
	r.git("branch", "other", other)
	r.git("commit-graph", "write", "--reachable")
	path := r.path(".git/objects/info/commit-graph")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, withParent(src, middle, other), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := r.try("merge-base", "--is-ancestor", other, tip); err != nil {
		t.Skip("this git does not believe the graph")
	}
	in, err := r.open().History().Contains(t.Context(), tip, other)
	if err != nil || in {
		t.Errorf("contained: %v, %v", in, err)
	}
}

// withParent is a commit graph in which a commit has another parent.
func withParent(src []byte, commit, parent string) []byte {
	at := map[string]uint64{}
	for n := range int(src[6]) {
		row := src[8+12*n:]
		at[string(row[:4])] = binary.BigEndian.Uint64(row[4:])
	}
	position := func(id string) uint64 {
		for n := uint64(0); ; n++ {
			if hex.EncodeToString(src[at["OIDL"]+20*n:][:20]) == id {
				return n
			}
		}
	}
	binary.BigEndian.PutUint32(src[at["CDAT"]+36*position(commit)+20:], uint32(position(parent)))
	body := src[:len(src)-20]
	sum := sha1.Sum(body)
	return append(body, sum[:]...)
}
