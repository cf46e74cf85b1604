package cmd

import (
	"context"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/sshsign"
	"github.com/cairn-tasks/cairn/verb"
	"github.com/urfave/cli/v3"
)

// signFlags are those of a verb whose record a person can sign. No agent can be asked to, so they are no part of its input.
func signFlags(v verb.Verb) []cli.Flag {
	if !v.Signs {
		return nil
	}
	return []cli.Flag{
		&cli.BoolFlag{Name: "sign", Local: true, Usage: "sign it with your SSH key, as git signs commits; docs/approvals.md says how that is set up"},
		&cli.StringFlag{Name: "key", Local: true, Usage: "the key to sign with, a `FILE` or a public key in words; else git's user.signingkey"},
	}
}

// signer gives a workspace the key that its actor signs with, if that is asked for.
func (p *program) signer(ctx context.Context, c *cli.Command, w *verb.Workspace) error {
	if !c.Bool("sign") {
		if c.String("key") != "" {
			return usage("--key goes with --sign").WithHint("add --sign")
		}
		return nil
	}
	tool, err := p.signingTool(ctx, w.Dir, c.String("key"))
	w.Signer = tool
	return err
}

// signingTool is what a key signs with: one that is named, else that of git's config.
func (p *program) signingTool(ctx context.Context, dir, named string) (*sshsign.Tool, error) {
	config, err := store.ReadSigningConfig(ctx, dir)
	if err != nil {
		return nil, err
	}
	if named == "" {
		if named, err = config.SSHKey(); err != nil {
			return nil, err
		}
	} else if !sshsign.InWords(named) {
		named = p.at(p.underHome(named))
	}
	key, err := sshsign.FindKey(named, p.home())
	if err != nil {
		return nil, err
	}
	return &sshsign.Tool{Key: key, Program: p.underHome(config.Program), Socket: p.Getenv("SSH_AUTH_SOCK"), Say: p.Stderr}, nil
}

// home is the user's own folder, or "".
func (p *program) home() string {
	if home := p.Getenv("HOME"); home != "" || runtime.GOOS != "windows" {
		return home
	}
	return p.Getenv("USERPROFILE")
}

// underHome resolves ~/ as git does for paths in its config.
func (p *program) underHome(path string) string {
	if below, ok := strings.CutPrefix(path, "~/"); ok && p.home() != "" {
		return filepath.Join(p.home(), below)
	}
	return path
}
