package cmd

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer/source"
)

const ghFields = "number,title,body,state,stateReason,labels,assignees,author,milestone,createdAt,closedAt,url,comments"

// askGitHub asks gh, with its own log-in, for all issues of the repository around a folder. The person who typed the
// command chose to.
func askGitHub(ctx context.Context, dir string) (source.File, error) {
	program, err := exec.LookPath("gh")
	if err != nil {
		return source.File{}, usage("the program gh is not there to ask").
			WithHint("install it, or name a file: gh issue list --state all --limit 20000 --json %s > issues.json elsewhere, then cairn import github issues.json", ghFields)
	}
	c := exec.CommandContext(ctx, program, "issue", "list", "--state", "all", "--limit", "20000", "--json", ghFields)
	var stderr bytes.Buffer
	c.Dir, c.Stderr = dir, &limited{to: &stderr, room: 4 << 10}
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		return source.File{}, record.Errorf(record.IO, "gh: %w", err)
	}
	f, readErr := source.Bytes("gh", out, 0)
	if readErr != nil {
		_ = c.Process.Kill()
	}
	switch err := c.Wait(); {
	case ctx.Err() != nil:
		return f, ctx.Err()
	case readErr != nil:
		return f, readErr
	case err != nil && errors.As(err, new(*exec.ExitError)):
		return f, record.Errorf(record.IO, "gh: %s", strings.TrimSpace(stderr.String())).WithHint("gh auth status says whether it is logged in; or name a file with the issues")
	case err != nil:
		return f, record.Errorf(record.IO, "gh: %w", err)
	}
	return f, nil
}

// limited keeps the beginning of what is written to it.
type limited struct {
	to   *bytes.Buffer
	room int
}

func (l *limited) Write(b []byte) (int, error) {
	l.to.Write(b[:min(len(b), max(0, l.room-l.to.Len()))])
	return len(b), nil
}
