package proof

import (
	"maps"
	"slices"
	"strings"
)

// hygieneRules find what does no harm and is most likely a mistake.
type hygieneRules struct{ *judge }

func (r hygieneRules) apply() {
	c := &r.Config
	for _, key := range c.Unknown {
		r.report(UnknownConfigKey, &c.File, Path{key}, "cairn knows no key %q and ignores it", key)
	}
	rules := r.rules()
	for _, id := range slices.Sorted(maps.Keys(c.Severities)) {
		if !slices.ContainsFunc(rules, func(rule Rule) bool { return rule.ID == id }) {
			r.report(UnknownConfigKey, &c.File, Path{"rules", string(id)}, "there is no rule %q", id)
		}
	}
	// each folder, or single file, that git has and that belongs to one machine
	files := map[string][]string{}
	for _, name := range r.Local {
		parts := strings.SplitN(name, "/", 3)
		top := strings.Join(parts[:2], "/")
		files[top] = append(files[top], name)
	}
	for _, top := range slices.Sorted(maps.Keys(files)) {
		r.report(IgnoredCommitted, &File{Path: slices.Min(files[top])}, nil, "git has %d of what belongs to one machine only, in %s", len(files[top]), top).
			fix("take them out of git, where they stay on disk, and have git ignore them: git rm -r --cached %s; cairn init", top)
	}
}
