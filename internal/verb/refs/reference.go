package refs

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// reference is what the input says, with what follows from the repository, and the file that it is about.
func (in AddIn) reference(ctx context.Context, w *verb.Workspace, s *store.Store) (record.Reference, *store.Attachment, error) {
	r := record.Reference{
		Type: record.ReferenceType(in.Type), Sha: in.Sha, Branch: in.Branch, Number: int(in.Number),
		State: in.State, Target: in.Target, Title: in.Title,
	}
	if in.Path != "" && r.Type != record.FileRef {
		return r, nil, verb.BadInput("path", "belongs to a reference of type file, and type is %q", in.Type)
	}
	var err error
	if r.URL, err = cleanURL(in.URL); err != nil {
		return r, nil, err
	}
	if r.Repo, err = repoNamed(in.Repo, "; a path on this machine means nothing to others"); err != nil {
		return r, nil, err
	}
	switch {
	case r.Type.InGit():
		err := inGit{w, s}.complete(ctx, &r)
		return r, nil, err
	case r.Type == record.FileRef:
		file, err := s.ReadAttachment(w.Dir, in.Path)
		if err != nil {
			return r, nil, err
		}
		r.Path, r.Size, r.Mime, r.Title = file.Path, len(file.Content), file.Mime(), cmp.Or(in.Title, file.Name)
		return r, &file, nil
	case r.Type == record.RecordRef && r.Target != "":
		_, _, err := kind.Find(s, r.Target)
		return r, nil, err
	default:
		return r, nil, nil
	}
}

// cleanURL is an address without credentials; "" for none.
func cleanURL(address string) (string, error) {
	clean := record.CleanURL(address)
	if clean == "" && address != "" {
		return "", verb.BadInput("url", "is no address of the web").WithHint("it begins with https:// or http://")
	}
	return clean, nil
}

// repoNamed is a repository as references name it; "" for none.
func repoNamed(name, hint string) (string, error) {
	repo := record.RepoOf(name)
	if repo == "" && name != "" {
		return "", verb.BadInput("repo", "is no repository on a host").WithHint("github.com/o/r, or the URL of a remote%s", hint)
	}
	return repo, nil
}

// inGit completes references by the repository around the workspace, and by the session that the call is made under.
type inGit struct {
	w *verb.Workspace
	s *store.Store
}

// complete fills in what a reference leaves out. In this repository it resolves names of commits, and refuses what is
// not there; of another one nothing is known.
func (g inGit) complete(ctx context.Context, r *record.Reference) error {
	branch, commit := g.here(ctx)
	if number, repo := pullIn(r.URL); r.Type == record.PullRef && r.Number == 0 && number > 0 {
		r.Number, r.Repo = number, cmp.Or(r.Repo, repo)
	}
	if r.Repo == "" && (r.Type != record.PullRef || r.Number > 0) {
		r.Repo = g.s.Git().Repository(branch)
	}
	if !g.s.Git().Known(r.Repo, branch) {
		return nil
	}
	switch {
	case r.Type == record.CommitRef && r.Sha == "":
		r.Sha = commit
	case r.Sha != "":
		sha, err := g.s.Git().Commit(ctx, "sha", r.Sha)
		if err != nil {
			return err
		}
		r.Sha = sha
	case r.Type == record.TagRef && r.Target != "":
		sha, err := g.s.Git().Tag(ctx, "target", r.Target)
		if err != nil {
			return err
		}
		r.Sha = sha
	case r.Type == record.CompareRef:
		target, err := g.lasting(ctx, r.Target)
		if err != nil {
			return err
		}
		r.Target = target
	}
	switch {
	case r.Branch != "" && r.Type != record.PullRef:
		return g.s.Git().Branch(ctx, "branch", r.Branch)
	case r.Type == record.BranchRef, r.Type == record.CommitRef && r.Sha == commit:
		r.Branch = branch
	}
	return nil
}

// lasting is what is compared, A...B, with hashes in place of names that mean another commit tomorrow, such as HEAD~1.
func (g inGit) lasting(ctx context.Context, target string) (string, error) {
	sides := strings.Split(target, "...")
	for i, side := range sides {
		if side != "HEAD" && !strings.ContainsAny(side, "~^@") {
			continue
		}
		sha, err := g.s.Git().Commit(ctx, "target", side)
		if err != nil {
			return "", err
		}
		sides[i] = sha[:min(len(sha), 12)]
	}
	return strings.Join(sides, "..."), nil
}

// here is the branch and the commit that are checked out. Where none is, they are those of the session.
func (g inGit) here(ctx context.Context) (branch, commit string) {
	head := g.s.Head(ctx)
	if g.w.Session != "" && (head.Branch == "" || head.Commit == "") {
		if ses, err := kind.Sessions.Get(g.s, g.w.Session); err == nil {
			return cmp.Or(head.Branch, ses.Branch), cmp.Or(head.Commit, ses.Head)
		}
	}
	return head.Branch, head.Commit
}

// pullPaths stand between the repository and the number of a pull request, on the hosts that are most used.
var pullPaths = []string{"/-/merge_requests/", "/pull/", "/pulls/", "/pull-requests/"}

// pullIn reads the number and the repository of a pull request from its address; 0 if the address does not say.
func pullIn(address string) (number int, repo string) {
	for _, between := range pullPaths {
		before, after, ok := strings.Cut(address, between)
		if !ok {
			continue
		}
		digits, _, _ := strings.Cut(after, "/")
		digits, _, _ = strings.Cut(digits, "?")
		digits, _, _ = strings.Cut(digits, "#")
		if n, err := strconv.Atoi(digits); err == nil && n > 0 {
			return n, record.RepoOf(before)
		}
	}
	return 0, ""
}
