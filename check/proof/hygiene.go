package proof

import (
	"maps"
	"slices"
	"strings"
)

// hygiene judges what does no harm and is most likely not meant.
func (j *judge) hygiene() {
	c := &j.Config
	for _, key := range c.Unknown {
		j.report(UnknownConfigKey, &c.File, Path{key}, "cairn knows no key %q and ignores it", key)
	}
	for _, id := range slices.Sorted(maps.Keys(c.Severities)) {
		if _, ok := Lookup(id); !ok {
			j.report(UnknownConfigKey, &c.File, Path{"rules", string(id)}, "there is no rule %q", id)
		}
	}
	j.local()
}

// local is one finding for each folder, or single file, that belongs to one machine.
func (j *judge) local() {
	files := map[string][]string{}
	for _, name := range j.Local {
		parts := strings.SplitN(name, "/", 3)
		top := strings.Join(parts[:2], "/")
		files[top] = append(files[top], name)
	}
	for _, top := range slices.Sorted(maps.Keys(files)) {
		j.report(IgnoredCommitted, &File{Path: slices.Min(files[top])}, nil, "git has %d of what belongs to one machine only, in %s", len(files[top]), top).
			mend("git rm -r --cached %s keeps the files on disk; cairn init writes the lines that have git ignore them", top)
	}
}
