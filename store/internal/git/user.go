package git

import "context"

// UserName returns the name that git would commit with in this work tree (user.name), or "" if none is set.
func (r *Repo) UserName(ctx context.Context) (string, error) { return UserName(ctx, r.Top) }

// UserName returns the name that git would commit with in a folder, which outside a repository is the user's own
// setting, or "" if none is set.
func UserName(ctx context.Context, dir string) (string, error) { return Setting(ctx, dir, "user.name") }

// UserSetting returns what the user's own config, or the machine's, says of a key; "" if nothing. What the repository's config
// says is not asked: it may be a stranger's, and some keys name programs.
func UserSetting(ctx context.Context, dir, key string) (string, error) {
	for _, whose := range []string{"--global", "--system"} {
		value, err := answer(Run(ctx, dir, "config", whose, "--includes", "--get", key))
		if value != "" || ctx.Err() != nil {
			return value, err
		} // git fails where the user has no home, and then has no config
	}
	return "", nil
}

// Setting returns what git goes by for a key in a folder, whoever says so; "" if nobody does.
func Setting(ctx context.Context, dir, key string) (string, error) {
	if _, _, err := Find(dir); err != nil {
		return "", err // a pipe in the place of one of git's files would hold git up
	}
	return answer(Run(ctx, dir, "config", "--get", key))
}
