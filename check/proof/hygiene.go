package proof

import (
	"maps"
	"slices"

	"github.com/cairn-tasks/cairn/store/frontmatter"
)

// hygiene judges what does no harm and is most likely not meant.
func (j *judge) hygiene() {
	c := &j.Config
	for _, key := range c.Unknown {
		j.report(UnknownConfigKey, &c.File, frontmatter.Path{key}, "cairn knows no key %q and ignores it", key)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Severities)) {
		if _, ok := Lookup(id); !ok {
			j.report(UnknownConfigKey, &c.File, frontmatter.Path{"rules", string(id)}, "there is no rule %q", id)
		}
	}
}
