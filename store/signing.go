package store

import (
	"context"

	"github.com/cairn-tasks/cairn/store/internal/git"
	"github.com/cairn-tasks/cairn/task"
)

// SigningConfig is what git's config says about the key that a person signs commits with.
type SigningConfig struct {
	Format  string // gpg.format
	Key     string // user.signingkey
	Program string // gpg.ssh.program, which only the user's own config can name
}

// ReadSigningConfig reads it as it holds in a folder. The key may be named by the repository's config, since it is only data; a
// program may not. It returns GIT if git cannot be asked.
func ReadSigningConfig(ctx context.Context, dir string) (SigningConfig, error) {
	var c SigningConfig
	var err error
	for _, setting := range []struct {
		to  *string
		get func(context.Context, string, string) (string, error)
		key string
	}{
		{&c.Format, git.Setting, "gpg.format"},
		{&c.Key, git.Setting, "user.signingkey"},
		{&c.Program, git.UserSetting, "gpg.ssh.program"},
	} {
		if *setting.to, err = setting.get(ctx, dir, setting.key); err != nil {
			return c, err
		}
	}
	return c, nil
}

// SSHKey is the key that the config names, or INVALID_INPUT with what to do.
func (c SigningConfig) SSHKey() (string, error) {
	const hint = "git config --global gpg.format ssh; git config --global user.signingkey ~/.ssh/id_ed25519.pub; or --key FILE"
	switch {
	case c.Key == "":
		return "", task.Errorf(task.InvalidInput, "git's config names no key to sign with").WithHint(hint)
	case c.Format != "ssh":
		return "", task.Errorf(task.InvalidInput, "git does not sign with SSH keys here: gpg.format is %q", c.Format).WithHint(hint)
	default:
		return c.Key, nil
	}
}
