package sandbox

import (
	"slices"
	"strings"
	"testing"
)

// The profile for macOS denies first and allows after; what is kept and hidden in what may be written comes last. That
// sandbox-exec does what it says is not tried here.
func TestProfile(t *testing.T) {
	b := Box{Write: []string{"/u/shop"}, Read: []string{"/u/go"}, Keep: []string{"/u/shop/.git"}, Hide: []string{"/u/shop/.git/cairn"}, Home: "/u",
		Show: []string{"/u/shop/.git/cairn/prompt"}, Sockets: []string{"/u/mcp"}}
	words := seatbelt(b, []string{"sh", "-c", "make \"x\""}, "/u/shop")
	if !slices.Equal(words[2:], []string{"sh", "-c", "make \"x\""}) {
		t.Errorf("the words: %q", words)
	}
	lines := strings.Split(strings.TrimSpace(words[1]), "\n")
	at := func(line string) int { return slices.Index(lines, line) }
	order := []string{
		"(allow default)", "(deny file-write*)", "(deny network*)", `(allow network-outbound (subpath "/u/mcp"))`, `(deny file-read* (subpath "/Users") (subpath "/u") (subpath "/private/var/run"))`,
		`(allow file-read* (subpath "/u/go") (subpath "/u/shop"))`, `(allow file-write* (subpath "/private/tmp") (subpath "/dev") (subpath "/u/shop"))`,
		`(deny file-write* (subpath "/u/shop/.git"))`, `(deny file-read* file-write* (subpath "/u/shop/.git/cairn"))`,
		`(allow file-read* (subpath "/u/shop/.git/cairn/prompt") (subpath "/u/mcp"))`,
	}
	for i, line := range order {
		if at(line) < 0 || i > 0 && at(line) < at(order[i-1]) {
			t.Errorf("%s is missing, or comes too early:\n%s", line, words[1])
		}
	}
	if b.Network = true; strings.Contains(profile(b), "network") {
		t.Error("the network is denied")
	}
}
