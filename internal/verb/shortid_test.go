package verb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// The end of an id that is shown occurs in no other id, and one that is shorter does, unless it is as short as any.
func TestShortIDs(t *testing.T) {
	all := []string{"T-1", "T-11", "T-walls", "T-wallpaper", "T-ALLS", "SHOP-01m82n2fgv1ce6", "SHOP-01m82n2fgtnhb4", "ses-01m82n2fgaahb4", "DEC-01m82n2fgce6zz", "PROJ-01m82n2fgV1CE6"}
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		id := "SHOP-01m82n2f"
		for range 6 {
			id += string("0123456789abcdefghjkmnpqrstvwxyz"[random.IntN(32)])
		}
		all = append(all, id)
	}
	got := shortest(all, all)
	count := func(part string) (n int) {
		for _, id := range all {
			if strings.Contains(strings.ToLower(id), strings.ToLower(part)) {
				n++
			}
		}
		return n
	}
	for _, id := range all {
		n := got[id]
		if n == len(id) {
			continue
		}
		if n < leastShort || count(id[len(id)-n:]) != 1 {
			t.Errorf("%s: %q is the part of %d ids", id, id[len(id)-n:], count(id[len(id)-n:]))
		}
		if n > leastShort && count(id[len(id)-n+1:]) == 1 {
			t.Errorf("%s: %q would be enough, not %q", id, id[len(id)-n+1:], id[len(id)-n:])
		}
	}
	for id, want := range map[string]int{"T-1": 3, "T-11": 4, "SHOP-01m82n2fgtnhb4": 4, "DEC-01m82n2fgce6zz": 3, "SHOP-01m82n2fgv1ce6": len("SHOP-01m82n2fgv1ce6")} {
		if got[id] != want {
			t.Errorf("%s: %d, want %d", id, got[id], want)
		}
	}
}

func BenchmarkShortIDs(b *testing.B) {
	var all []string
	for n := range 10_000 {
		all = append(all, fmt.Sprintf("SHOP-01m82n2fg%06x", uint32(n)*2654435761>>8))
	}
	for b.Loop() {
		shortest(all[:50], all)
	}
}
