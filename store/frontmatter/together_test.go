package frontmatter

import (
	"bytes"
	"testing"
)

// Edits that are made together come out as those that are made one after another, byte for byte.
func TestEditsTogetherAreThoseInTurn(t *testing.T) {
	compared := 0
	for name, src := range fixtures(t) {
		for variant, change := range variants {
			d := mustParse(t, change(src))
			all := editsOf(d.Root(), nil)
			for i := range all {
				for _, j := range []int{i + 1, i + 7, i + 29, i + 83} {
					pair := []Edit{all[i], all[j%len(all)]}
					got, ok := editor{d, order}.applyTogether(pair)
					if !ok {
						continue
					}
					want := d
					for _, e := range pair {
						next, err := editor{want, order}.apply(e)
						if err != nil {
							t.Fatalf("%s, %s: together %s and %s can be changed, in turn not: %v", name, variant, pair[0].path(), pair[1].path(), err)
						}
						want = next
					}
					compared++
					if !bytes.Equal(got.Bytes(), want.Bytes()) {
						t.Fatalf("%s, %s: %T of %s and %T of %s give\n%s\nand in turn\n%s", name, variant, pair[0], pair[0].path(), pair[1], pair[1].path(), got.Bytes(), want.Bytes())
					}
				}
			}
		}
	}
	t.Logf("%d pairs of edits", compared)
	if compared < 500 {
		t.Errorf("only %d pairs of edits were made together", compared)
	}
}
