package refs

import (
	"cmp"
	"context"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
)

// AddIn is the input of Add.
type AddIn struct {
	ID          verb.RecordID `json:"id" doc:"record that it belongs to" cli:"arg"`
	Type        string        `json:"type" doc:"commit, branch, tag, compare, pr, link, file, record or origin" cli:"arg" values:"commit,branch,tag,compare,pr,link,file,record,origin"`
	Sha         string        `json:"sha,omitempty" doc:"commit, by its hash or, in this repository, any name of it; the one that is checked out by default"`
	Branch      string        `json:"branch,omitempty" doc:"branch; the one that is checked out by default"`
	Repo        string        `json:"repo,omitempty" doc:"repository, as host and path or as the URL of a remote; this one by default" cli:"flag=repository"`
	Number      verb.Count    `json:"number,omitempty" doc:"of a pull request"`
	URL         string        `json:"url,omitempty" doc:"address of a link or a pull request; credentials are left out"`
	State       string        `json:"state,omitempty" doc:"of a pull request: open, draft, merged or closed" values:"open,draft,merged,closed"`
	Path        string        `json:"path,omitempty" doc:"file to copy, in this work tree"`
	Target      string        `json:"target,omitempty" doc:"id of a record, name of a tag, A...B of a compare, or SYSTEM:ID of an origin"`
	Title       string        `json:"title,omitempty" doc:"what it is, on one line"`
	ExpectedRev string        `json:"expected_rev,omitempty" doc:"rev that the record must still have, else CONFLICT"`
	verb.Once
}

// Add adds a reference to a record of any kind. It returns the record, as get does.
func Add(ctx context.Context, w *verb.Workspace, s *store.Store, in AddIn) (any, error) {
	k, _, err := kind.Find(s, string(in.ID))
	if err != nil {
		return nil, err
	}
	ref, file, err := in.reference(ctx, w, s)
	if err != nil {
		return nil, err
	}
	return verb.Change{Kind: k, IDs: []string{string(in.ID)}, ExpectedRev: in.ExpectedRev, Decide: func(wc verb.WriteContext) (any, error) {
		refs, entry, err := k.Header(wc.Was).AddReference(ref, w.Stamp(""))
		if err == nil && entry != nil && file != nil {
			err = wc.Tx.Attach(*file)
		}
		if err != nil {
			return nil, err
		}
		return k.Referring(wc.Was, refs, entry)
	}}.Any(ctx, w, s)
}

// reference is what the input says, with what follows from the repository, and the file that it is about.
func (in AddIn) reference(ctx context.Context, w *verb.Workspace, s *store.Store) (record.Reference, *store.Attachment, error) {
	r := record.Reference{
		Type: record.ReferenceType(in.Type), Sha: in.Sha, Branch: in.Branch, Number: int(in.Number),
		State: in.State, Target: in.Target, Title: in.Title,
	}
	if in.Path != "" && r.Type != record.FileRef {
		return r, nil, verb.BadInput("path", "belongs to a reference of type file, and type is %q", in.Type)
	}
	if in.URL != "" {
		if r.URL = record.CleanURL(in.URL); r.URL == "" {
			return r, nil, verb.BadInput("url", "is no address of the web").WithHint("it begins with https:// or http://")
		}
	}
	if in.Repo != "" {
		if r.Repo = record.RepoOf(in.Repo); r.Repo == "" {
			return r, nil, verb.BadInput("repo", "is no repository on a host").WithHint("github.com/o/r, or the URL of a remote; a path on this machine means nothing to others")
		}
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

// lasting is what is compared, A...B, with the hashes of commits in place of names that mean another commit tomorrow,
// such as HEAD~1.
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
