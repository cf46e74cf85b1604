package worktree

import (
	"context"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/store/layout"
)

// unsaved adds what would be lost with the work tree because it is in no commit.
func (l *look) unsaved(ctx context.Context) {
	changes, err := l.there.Changes(ctx, git.Looks{Ignored: true, Shallow: l.aside || !l.trusted()})
	if err != nil {
		l.add(Uncertain, "its changes cannot be listed: %s", err)
		return
	}
	l.changes(changes)
	stashes, err := l.repo.Stashes(ctx, l.Branch)
	if err != nil {
		l.add(Uncertain, "the stashes cannot be listed: %s", err)
	} else if stashes > 0 {
		l.add(Stashed, "%d stashed on %s", stashes, l.Branch)
	}
	switch {
	case l.aside:
	case l.trusted():
		l.nested(ctx)
	default:
		l.untrustedNested(ctx)
	}
}

// changes adds what has changed in the work tree, but for ignored files that nobody would miss.
func (l *look) changes(all []git.Change) {
	found := map[Why][]string{}
	for _, c := range all {
		switch {
		case c.Ignored && l.replaceable(c.Path):
		case c.Ignored:
			found[Ignored] = append(found[Ignored], c.Path)
		case c.Untracked:
			found[Untracked] = append(found[Untracked], c.Path)
		default:
			found[Uncommitted] = append(found[Uncommitted], c.Path)
		}
	}
	for _, why := range []Why{Uncommitted, Untracked, Ignored} {
		if paths := found[why]; len(paths) > 0 {
			l.add(why, "%s: %s", why, someOf(paths))
		}
	}
}

// nested adds the nested repositories with commits that are in none of their remotes.
func (l *look) nested(ctx context.Context) {
	nested, err := l.there.Nested(ctx)
	if err != nil {
		l.add(Uncertain, "its nested repositories cannot be looked at: %s", err)
	} else if len(nested) > 0 {
		l.add(Submodule, "commits that are in no remote of theirs, in %s", someOf(nested))
	}
}

// untrustedNested adds that submodules are not examined, if there are any: git would start what their own configs name.
func (l *look) untrustedNested(ctx context.Context) {
	files, err := l.there.Index("").Files(ctx, "")
	if err != nil {
		l.add(Uncertain, "its submodules cannot be listed: %s", err)
		return
	}
	for _, f := range files {
		if f.Repository() {
			l.add(Uncertain, "its submodules are not looked into, since the clone is not trusted")
			return
		}
	}
}

// replaceable reports whether an ignored path holds nothing but copies that .worktreeinclude asked for and that have
// not changed, or what cairn keeps for itself.
func (l *look) replaceable(path string) bool {
	file, folder := filepath.Join(l.there.Top, filepath.FromSlash(path)), strings.HasSuffix(path, "/")
	inWorkspace := layout.SlashRel(l.rootIn(l.there.Top), file)
	if folder {
		inWorkspace += "/"
	}
	if layout.LocalOnly(inWorkspace) {
		return true
	}
	if !folder {
		return l.isCopy(path)
	}
	same := true
	err := filepath.WalkDir(file, func(at string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !e.IsDir() && !l.isCopy(layout.SlashRel(l.there.Top, at)) {
			same = false
			return filepath.SkipAll
		}
		return nil
	})
	return err == nil && same
}

// isCopy reports whether a file is a copy that was made together with the work tree, and has not changed since.
func (l *look) isCopy(name string) bool {
	was, ok := l.Copied[name]
	at := disk.StampOf(filepath.Join(l.there.Top, filepath.FromSlash(name)))
	return ok && was == copied{at.Size, at.Modified}
}
