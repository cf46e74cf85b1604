package git

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestCommitsWithinAHistory(t *testing.T) {
	isolate(t)
	r := newRepoAt(t, "")
	r.commit()
	first := r.git("rev-parse", "HEAD")
	r.git("switch", "-q", "-c", "side")
	r.write("aside", "of the side\n")
	r.commit()
	side := r.git("rev-parse", "HEAD")
	r.git("switch", "-q", "main")
	r.commit()
	last := r.git("rev-parse", "HEAD")
	none := strings.Repeat("0", 39) + "1"
	asked := []string{first, side, last, none}
	for name, c := range map[string]struct{ tips, want []string }{
		"of a branch":        {[]string{"HEAD"}, []string{first, last}},
		"of two":             {[]string{"HEAD", "refs/heads/side"}, []string{first, last, side}},
		"of one not there":   {[]string{"refs/heads/none"}, nil},
		"of an older commit": {[]string{first, "refs/heads/none"}, []string{first}},
	} {
		in, err := r.open().History().Within(t.Context(), asked, c.tips...)
		if got := slices.Sorted(maps.Keys(in)); err != nil || !slices.Equal(got, slices.Sorted(slices.Values(c.want))) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
