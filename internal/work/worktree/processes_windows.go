package worktree

// inside returns none: Windows does not let a folder be moved in which a process works, and a work tree is moved before
// it is removed.
func inside(string) ([]process, error) { return nil, nil }
