package git

import (
	"slices"
	"testing"
)

// The fingerprint is written into task files, so it must never come out differently.
func TestFingerprintIsPinned(t *testing.T) {
	tree := Tree{}
	tree.set("b", modeFile, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391")
	tree.set("a b", modeExec, "814f4a422927b82f5f8a43f8fab6d3839e3983f2")
	// printf '%s\0' '100644 e69de... b' '100755 814f4... a b' | sha256sum
	const want = "1083ca53d9c70ef1dffdbadc9ef5004cc5660d25893d2c36b1e5a48d09f37f60"
	if got := tree.Fingerprint(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestChanged(t *testing.T) {
	a := Tree{"same": "1", "changed": "1", "removed": "1"}
	b := Tree{"same": "1", "changed": "2", "added": "1"}
	want := []string{"added", "changed", "removed"}
	if got := a.Changed(b); !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	if got := a.Changed(a); len(got) != 0 {
		t.Errorf("of itself: %v", got)
	}
}
