package task

// The most that a task may be given of each. Files that hold more are read all the same.
const (
	MaxChecks = 500
	MaxLabels = 1000
	MaxDeps   = 1000
)

// ValidCounts returns INVALID_INPUT if a write gives a task more checks, labels or deps than one may have. What a file holds
// already may stay, and get less.
func ValidCounts(before, after Task) error {
	for _, kind := range []struct {
		name          string
		was, is, most int
		instead       string
	}{
		{"checks", len(before.Checks), len(after.Checks), MaxChecks, "let one command run many of them, or divide the task"},
		{"labels", len(before.Labels), len(after.Labels), MaxLabels, "put long lists into the body"},
		{"deps", len(before.Deps), len(after.Deps), MaxDeps, "let a task in between wait for some of them"},
	} {
		if kind.is > kind.most && kind.is > kind.was {
			return Errorf(InvalidInput, "%d %s are more than %d", kind.is, kind.name, kind.most).WithHint("%s", kind.instead)
		}
	}
	return nil
}
