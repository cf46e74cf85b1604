package git

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"slices"
	"strings"
)

// Tree is the content of a work tree or a commit: for each path, relative to the top and with slashes, the mode and the
// object id, as in "100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391". Paths with a component named .cairn are left out.
//
// The modes are git's: 100644 a file, 100755 an executable one, 120000 a link, 160000 a nested repository. The id of a
// nested repository is its commit; if its work tree differs from that, "+" and the fingerprint of the work tree follow.
type Tree map[string]string

// The modes that cairn tells apart.
const (
	modeNone = "000000" // in git's output: no such file
	modeFile = "100644"
	modeExec = "100755"
	modeLink = "120000"
	modeRepo = "160000"
)

// set adds a file, unless it lies in a .cairn folder.
func (t Tree) set(path, mode, id string) {
	if !ours(path) {
		t[path] = mode + " " + id
	}
}

// ours reports whether a path lies in a .cairn folder.
func ours(path string) bool {
	return strings.Contains("/"+path+"/", "/.cairn/")
}

// Fingerprint is the SHA-256, in hex, of the sorted lines "mode id path", each ended by a NUL byte.
func (t Tree) Fingerprint() string {
	lines := make([]string, 0, len(t))
	for path, file := range t {
		lines = append(lines, file+" "+path+"\x00")
	}
	slices.Sort(lines)
	h := sha256.New()
	for _, line := range lines {
		_, _ = io.WriteString(h, line)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Changed returns the paths, sorted, whose content differs between two trees, or which only one of them has.
func (t Tree) Changed(other Tree) []string {
	changed := map[string]bool{}
	for path, file := range t {
		if other[path] != file {
			changed[path] = true
		}
	}
	for path := range other {
		if _, ok := t[path]; !ok {
			changed[path] = true
		}
	}
	return slices.Sorted(maps.Keys(changed))
}
