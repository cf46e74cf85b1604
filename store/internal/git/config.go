package git

import (
	"context"
	"errors"
	"os/exec"
)

// Config returns what the repository's own config says of a key, or "" if nothing.
func (r *Repo) Config(ctx context.Context, key string) (string, error) {
	return answer(Run(ctx, r.Top, "config", "--local", "--get", key))
}

// SetConfig writes a key into the repository's own config, which all its work trees share. An empty value takes it out.
// Nothing but an installation that was asked for may call it.
func (r *Repo) SetConfig(ctx context.Context, key, value string) error {
	if value != "" {
		_, err := Run(ctx, r.Top, "config", "--local", key, value)
		return err
	}
	_, err := Run(ctx, r.Top, "config", "--local", "--unset-all", key)
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.ExitCode() == 5 {
		return nil // it was not there
	}
	return err
}
