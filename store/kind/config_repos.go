package kind

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// Repo is a git repository that the tasks of a workspace are about: one of repos in the config. A task names it by its
// name.
type Repo struct {
	Name string
	Path string // its folder, relative to the workspace's, with forward slashes; "" where only its address is known
	URL  string // host and path, as record.RepoOf has it, so that no credentials are in it; "" for none
	Role string // primary, dependency or docs; "" for none
	Base string // the branch that work there starts from and is merged into; "" for the one that is checked out
}

// RepoRoles is what a workspace has a repository for.
var RepoRoles = []string{"primary", "dependency", "docs"}

// MaxRepos is the most repositories that a config names.
const MaxRepos = 100

// Repo is the repository with a name.
func (c Config) Repo(name string) (Repo, bool) {
	return record.Find(c.Repos, func(r Repo) bool { return r.Name == name })
}

// Valid returns INVALID_INPUT for what no repository of a config may be.
func (r Repo) Valid() error {
	switch {
	case r.Name == "":
		return record.Errorf(record.InvalidInput, "a repository needs a name")
	case (r.Path == "") == (r.URL == ""):
		return record.Errorf(record.InvalidInput, "the repository %q has neither a path nor an address, or both", r.Name).WithHint("give one of the two")
	case r.URL != "" && record.RepoOf(r.URL) != r.URL:
		return record.Errorf(record.InvalidInput, "the repository %q has no address that is known", r.Name).WithHint("such as https://github.com/o/r, without a name and a password")
	case r.Path != "" && !isRepoPath(r.Path):
		return record.Errorf(record.InvalidInput, "the repository %q has no path that a config may have: %q", r.Name, record.Clip(r.Path, 100)).
			WithHint("a path from the workspace's folder, with forward slashes, such as ../web")
	case r.Base != "" && !isBranch(r.Base):
		return record.Errorf(record.InvalidInput, "the repository %q has no base that a branch may be called: %q", r.Name, record.Clip(r.Base, 100))
	}
	if r.Role != "" {
		if err := record.OneOf("role", r.Role, RepoRoles); err != nil {
			return err
		}
	}
	return task.ValidRepo(r.Name)
}

// isRepoPath reports whether a path may lead to a repository: it is relative, in its shortest form, and has no
// character that is not plain text.
func isRepoPath(p string) bool {
	return p != "" && record.ValidLine("path", p) == nil && !strings.Contains(p, `\`) && !path.IsAbs(p) && !filepath.IsAbs(filepath.FromSlash(p)) && path.Clean(p) == p
}

// isBranch is as strict as what cairn passes to git needs: no option, no range, no space.
func isBranch(name string) bool {
	return record.ValidLine("base", name) == nil && name[0] != '-' && !strings.Contains(name, "..") && !strings.ContainsAny(name, " \t~^:?*[\\")
}

// repoKeys are the keys of a repository of the config.
func repoKeys() []Key {
	return []Key{
		KeyOf("name", func(r *Repo) *string { return &r.Name }),
		oneKey("path", func(r *Repo) *string { return &r.Path }, func(r *reader, name string, n *format.Node) string {
			if text := r.text(name, n); text != "" {
				return path.Clean(text)
			}
			return ""
		}, unlessEmpty),
		oneKey("url", func(r *Repo) *string { return &r.URL }, func(r *reader, name string, n *format.Node) string {
			url := record.RepoOf(r.text(name, n))
			if !format.IsNull(n) && url == "" {
				r.fail(n, "url is no address of a repository that is known")
			}
			return url
		}, func(text string) format.Value {
			if text != "" {
				text = "https://" + text
			}
			return unlessEmpty(text)
		}),
		KeyOf("role", func(r *Repo) *string { return &r.Role }),
		KeyOf("base", func(r *Repo) *string { return &r.Base }),
	}
}

// repos reads the repositories that the tasks are about.
func (r *configReader) repos(n *format.Node) {
	for _, m := range r.maps("repos", n) {
		one := readObject[Repo](&r.reader, m, repoKeys())
		if err := one.Valid(); err != nil {
			r.fail(m, "%v", err)
		}
		if _, twice := r.c.Repo(one.Name); twice {
			r.fail(m, "another repository is called %q", one.Name)
		}
		r.c.Repos = append(r.c.Repos, one)
	}
	if len(r.c.Repos) > MaxRepos {
		r.fail(n, "repos has %d, more than %d", len(r.c.Repos), MaxRepos)
	}
}

// SetRepo puts a repository into the list of the config, or changes the one of that name, on its own lines, and appends
// an entry about it to the config's provenance. If the list says so already, nothing changes. It returns INVALID_INPUT
// for one that the list cannot have.
func SetRepo(doc *format.Doc, repo Repo, stamp record.Stamp) (*format.Doc, error) {
	was, err := ParseConfig(doc.Bytes())
	if err == nil {
		err = repo.Valid()
	}
	if err != nil {
		return nil, err
	}
	old, known := was.Repo(repo.Name)
	if known && old == repo {
		return doc, nil
	}
	next, err := doc.Edit(configOrder(), repoEdits(doc, was.Repos, repo)...)
	if err != nil {
		return nil, err
	}
	if now, err := ParseConfig(next.Bytes()); err != nil {
		return nil, record.Errorf(record.InvalidInput, "the list cannot have the repository %q: %w", repo.Name, err)
	} else if got, _ := now.Repo(repo.Name); got != repo {
		return nil, record.Errorf(record.InvalidInput, "the list in config.yaml cannot be edited").WithHint("edit repos there by hand")
	}
	place := repo.Path + repo.URL
	if repo.Role != "" {
		place += ", " + repo.Role
	}
	return noted(doc, next, "repos: "+repo.Name+" "+place, stamp)
}

// repoEdits replaces the item of the list that has the name, or adds one.
func repoEdits(doc *format.Doc, was []Repo, repo Repo) []format.Edit {
	now := format.NewItem(objectOf(repoKeys(), &repo))
	items := make([]format.Item, len(was), len(was)+1)
	for i := range was {
		items[i] = format.Old(i)
	}
	if at := slices.IndexFunc(was, func(r Repo) bool { return r.Name == repo.Name }); at >= 0 {
		items[at] = now
	} else {
		items = append(items, now)
	}
	return setItems(doc, "repos", items)
}
