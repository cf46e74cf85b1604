package sessions

import (
	"context"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
)

// HeartbeatIn is the input of Heartbeat.
type HeartbeatIn struct {
	Session  verb.SessionID `json:"session,omitempty" doc:"session that is alive, or its task; your only one by default" cli:"arg" else:"session"`
	Progress string         `json:"progress,omitempty" doc:"what is being done, for other readers" cli:"arg"`
	Counts   []string       `json:"counts,omitempty" doc:"such as tests_passed=12" cli:"flag=count" mcp:"quiet"`
	Head     string         `json:"head,omitempty" doc:"commit at work on" mcp:"quiet"`
	Branch   string         `json:"branch,omitempty" doc:"branch at work on" mcp:"quiet"`
	Dirty    *bool          `json:"dirty,omitempty" doc:"whether there are uncommitted changes" mcp:"quiet"`
	verb.Once
}

// Heartbeat says that a session is alive, and how it does. It changes no committed file.
func Heartbeat(ctx context.Context, w *verb.Workspace, s *store.Store, in HeartbeatIn) (verb.Session, error) {
	var err error
	if in.Session, err = meant(ctx, w, s, in.Session); err != nil {
		return verb.Session{}, err
	}
	beat, err := in.beat()
	if err != nil {
		return verb.Session{}, err
	}
	if in.Head != "" {
		if beat.Head, err = s.Git().Commit(ctx, "head", in.Head); err != nil {
			return verb.Session{}, err
		}
	}
	if in.Branch != "" {
		if err := s.Git().Branch(ctx, "branch", in.Branch); err != nil {
			return verb.Session{}, err
		}
	}
	if err := w.Beat(ctx, s, beat); err != nil {
		return verb.Session{}, err
	}
	return w.View(s).SessionByID(beat.Session)
}

// beat is what the input reports.
func (in HeartbeatIn) beat() (session.Heartbeat, error) {
	for _, f := range []struct{ name, text string }{{"progress", in.Progress}, {"head", in.Head}, {"branch", in.Branch}} {
		if err := record.ValidText(f.name, f.text); err != nil {
			return session.Heartbeat{}, err
		}
	}
	beat := session.Heartbeat{Session: string(in.Session), Progress: in.Progress, Branch: in.Branch, Dirty: in.Dirty}
	for _, said := range in.Counts {
		name, text, ok := strings.Cut(said, "=")
		n, err := strconv.Atoi(text)
		if !ok || err != nil {
			return beat, verb.BadInput("counts", "has %q", verb.Head(said, 100)).WithHint("NAME=NUMBER, such as tests_passed=12")
		}
		if beat.Counts == nil {
			beat.Counts = map[string]int{}
		}
		beat.Counts[name] = n
	}
	return beat, beat.Valid()
}
