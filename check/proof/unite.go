package proof

// Unite adds findings to others, each once, as grave as the graver of the two finds it. They come as Judge sorts them.
func Unite(found, more []Finding) []Finding {
	type place struct {
		rule    RuleID
		path    string
		line    int
		message string
	}
	at := make(map[place]int, len(found))
	for i, f := range found {
		at[place{f.Rule, f.Path, f.Line, f.Message}] = i
	}
	for _, f := range more {
		i, ok := at[place{f.Rule, f.Path, f.Line, f.Message}]
		switch {
		case !ok:
			found = append(found, f)
		case f.Severity.AtLeast(found[i].Severity):
			found[i].Severity = f.Severity
		}
	}
	Sort(found)
	return found
}
