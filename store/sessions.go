package store

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store/frontmatter"
)

// Session reads one session. It returns NOT_FOUND if there is none of that id.
func (s *Store) Session(id string) (session.Session, error) {
	_, ses, err := s.readSession(id)
	if isMissing(err) {
		return ses, missing("session", id)
	}
	return ses, ioError(err)
}

func (s *Store) readSession(id string) (file, session.Session, error) {
	if _, err := session.ParseID(id); err != nil {
		return file{}, session.Session{}, err
	}
	f, err := s.readFile(s.session(id), frontmatter.YAML, &patience{patient})
	if err != nil {
		return file{}, session.Session{}, err
	}
	ses, err := readSession(f.doc)
	if err == nil && ses.ID != id {
		err = wrongName(f.doc, id, ses.ID)
	}
	if err != nil {
		return file{}, session.Session{}, s.badFile(f.path, err)
	}
	return f, ses, nil
}

// Sessions reads every session, newest first, and names the files that could not be read.
func (s *Store) Sessions(ctx context.Context) ([]session.Session, []Problem, error) {
	entries, err := os.ReadDir(s.SessionsDir())
	if err != nil && !isMissing(err) {
		return nil, nil, ioError(err)
	}
	var out []session.Session
	var problems []Problem
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), sessionExt)
		if !ok || strings.HasPrefix(id, ".") {
			continue
		}
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		_, ses, err := s.readSession(id)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			problems = append(problems, s.problemOf(s.session(id), err))
		default:
			out = append(out, ses)
		}
	}
	slices.SortFunc(out, newestFirst)
	return out, problems, nil
}

// newestFirst goes by when a session began, since not all ids tell, and by id among equals.
func newestFirst(a, b session.Session) int {
	return cmp.Or(b.StartedAt.Compare(a.StartedAt), strings.Compare(b.ID, a.ID))
}

// ResolveSession completes part of a session's id.
func (s *Store) ResolveSession(part string) (string, error) {
	names, err := s.sessionNames()
	if err != nil {
		return "", err
	}
	return complete("session", part, names)
}

// SessionCandidates lists the ids of sessions in which a part occurs, in any case, sorted; all ids for "".
func (s *Store) SessionCandidates(part string) ([]string, error) {
	names, err := s.sessionNames()
	return fitting(names, part), err
}

func (s *Store) sessionNames() ([]string, error) {
	entries, err := os.ReadDir(s.SessionsDir())
	if err != nil && !isMissing(err) {
		return nil, ioError(err)
	}
	var names []string
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), sessionExt); ok && !strings.HasPrefix(id, ".") {
			names = append(names, id)
		}
	}
	return names, nil
}
