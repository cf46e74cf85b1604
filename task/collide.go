package task

// Area is what a task is about: the globs of its scope and, of a task at work, the paths that its branch changed.
type Area []Place

// Place is one glob or path of an area.
type Place struct {
	Text string
	glob Glob
}

// AreaOf is the area of a scope. A glob that is not valid, as an edit by hand can leave it, is left out.
func AreaOf(scope []string) Area {
	var out Area
	for _, s := range scope {
		if g, err := ParseGlob(s); err == nil {
			out = append(out, Place{s, g.Scope()})
		}
	}
	return out
}

// With is the area with some paths, whatever their names are.
func (a Area) With(paths []string) Area {
	for _, path := range paths {
		a = append(a, Place{path, GlobOfPath(path)})
	}
	return a
}

// Overlap is a glob of one area, and a glob or path of another that can stand for the same file.
type Overlap struct {
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
}

// Meets lists where two areas overlap, the first so many.
func (a Area) Meets(other Area, most int) (out []Overlap) {
	for _, ours := range a {
		for _, theirs := range other {
			if len(out) < most && ours.glob.Meets(theirs.glob) {
				out = append(out, Overlap{ours.Text, theirs.Text})
			}
		}
	}
	return out
}
