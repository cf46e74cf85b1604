package git

import "context"

// UserName returns the name that git would commit with in this work tree (user.name), or "" if none is set.
func (r *Repo) UserName(ctx context.Context) (string, error) { return UserName(ctx, r.Top) }

// UserName returns the name that git would commit with in a folder, which outside a repository is the user's own
// setting, or "" if none is set.
func UserName(ctx context.Context, dir string) (string, error) {
	return answer(Run(ctx, dir, "config", "--get", "user.name"))
}
