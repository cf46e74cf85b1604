package git

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// RefUpdate changes one ref of a remote, if it still points at Old.
type RefUpdate struct {
	Ref string
	Old string // "" if there must be no such ref
	New string // "" removes the ref
}

// RefResult is what a remote said of one update.
type RefResult int

// The results. A remote that said nothing may have taken the update or not.
const (
	Unknown RefResult = iota
	Taken             // also if the ref pointed at New already
	Refused           // by the remote or by this side: the ref may point elsewhere, or the remote does not allow it
)

// PushRefs has a remote change refs, each only if it still points at what is expected, all or none if atomic. It runs
// no hook of this clone and asks for nothing. The results are in the order of the updates. The error is that of git;
// also with one, updates may have been taken. The words are what the remote gave as its reasons.
func (r *Repo) PushRefs(ctx context.Context, remote string, updates []RefUpdate, atomic bool) (results []RefResult, words string, err error) {
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-recurse-submodules", "--no-signed", "--no-thin"}
	if atomic {
		args = append(args, "--atomic")
	}
	for _, u := range updates {
		args = append(args, "--force-with-lease="+u.Ref+":"+u.Old)
	}
	args = append(args, "--", remote)
	for _, u := range updates {
		args = append(args, u.New+":"+u.Ref)
	}
	how := networked()
	how.more = []setting{{"remote." + remote + ".mirror", "false"}, {"push.pushOption", ""}} // a mirror takes no single refs
	out, err := how.Run(ctx, r.Top, args...)
	results, words = readPushed(string(out), updates)
	if words == "" && err != nil {
		words = Complaint(err)
	}
	return results, record.Clip(words, 500), err
}

// readPushed reads what git push --porcelain prints: a line for each ref, of a flag, the two names and a summary.
func readPushed(out string, updates []RefUpdate) (results []RefResult, words string) {
	results = make([]RefResult, len(updates))
	for line := range strings.Lines(out) {
		fields := strings.SplitN(strings.TrimRight(line, "\r\n"), "\t", 3)
		if len(fields) < 2 || len(fields[0]) != 1 {
			continue
		}
		_, ref, _ := strings.Cut(fields[1], ":")
		n := slices.IndexFunc(updates, func(u RefUpdate) bool { return u.Ref == ref })
		switch {
		case n < 0:
		case fields[0] == "!":
			results[n] = Refused
			if len(fields) == 3 {
				words = fields[2]
			}
		case results[n] != Refused && strings.Contains(" +-*=", fields[0]): // a remote with several URLs has lines of each
			results[n] = Taken
		}
	}
	return results, words
}

// FetchRefs makes the refs below one prefix here what those below another are in a remote, and removes the others. Each
// prefix ends without a slash. It changes nothing else: no branch, no tag, no FETCH_HEAD.
func (r *Repo) FetchRefs(ctx context.Context, remote, from, to string) error {
	_, err := networked().Run(ctx, r.Top, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--prune", "--no-auto-maintenance",
		"--no-recurse-submodules", "--refmap=", "--", remote, "+"+from+"/*:"+to+"/*")
	return err
}

// networked is how git speaks to a remote for claims: with the user's credentials, asking for nothing.
func networked() Writing {
	return Writing{Network: true, Batch: os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == ""}
}

// RefMessage is a ref below a prefix, and the message of its commit.
type RefMessage struct {
	Name    string // without the prefix and the slash after it
	Object  string
	Message string // "" for what is no commit
}

// maxMessage is the longest message that is read, in bytes.
const maxMessage = 16 << 10

// RefMessages lists the refs of this clone below a prefix.
func (r *Repo) RefMessages(ctx context.Context, prefix string) ([]RefMessage, error) {
	out, err := Run(ctx, r.Top, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents)%00%00", prefix+"/")
	if err != nil {
		return nil, err
	}
	var all []RefMessage
	for one := range strings.SplitSeq(string(out), "\x00\x00\n") {
		fields := strings.SplitN(one, "\x00", 3)
		if len(fields) < 3 {
			continue
		}
		m := RefMessage{Name: strings.TrimPrefix(fields[0], prefix+"/"), Object: fields[1], Message: strings.TrimSpace(fields[2])}
		if len(m.Message) > maxMessage {
			m.Message = ""
		}
		all = append(all, m)
	}
	return all, nil
}

// MessageCommit makes a commit without a parent and without files that says something, and returns its id. No ref
// points at it.
func (r *Repo) MessageCommit(ctx context.Context, message string, at time.Time) (string, error) {
	tree, err := Writing{Input: strings.NewReader("")}.Run(ctx, r.Top, "hash-object", "-w", "-t", "tree", "--stdin")
	if err != nil {
		return "", err
	}
	who := "cairn <cairn@localhost> " + strconv.FormatInt(at.Unix(), 10) + " +0000\n"
	text := "tree " + strings.TrimSpace(string(tree)) + "\nauthor " + who + "committer " + who + "\n" + message + "\n"
	out, err := Writing{Input: strings.NewReader(text)}.Run(ctx, r.Top, "hash-object", "-w", "-t", "commit", "--stdin")
	return strings.TrimSpace(string(out)), err
}

// Remotes lists the names of the remotes of the clone.
func (r *Repo) Remotes(ctx context.Context) ([]string, error) {
	out, err := Run(ctx, r.Top, "remote")
	return strings.Fields(string(out)), err
}

// Apart reports whether a remote is pushed to another place than it is fetched from, or to several.
func (r *Repo) Apart(ctx context.Context, remote string) (bool, error) {
	from, to, err := r.urls(ctx, remote)
	return err == nil && !slices.Equal(from[:1], to), err
}

// urls are where a remote is fetched from, of which git asks the first, and where it is pushed to, which is each of
// them.
func (r *Repo) urls(ctx context.Context, remote string) (from, to []string, err error) {
	out, err := Run(ctx, r.Top, "remote", "get-url", "--all", "--", remote)
	if err != nil {
		return nil, nil, err
	}
	from = strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	out, err = Run(ctx, r.Top, "remote", "get-url", "--all", "--push", "--", remote)
	return from, strings.Split(strings.TrimRight(string(out), "\n"), "\n"), err
}

// Bundled reports whether a remote is reached by a path that begins at this clone, for fetching or for pushing. What
// lies there may have come along with a copied folder, and git runs its hooks. A clone made by git names a repository
// on the same machine by its full path.
func (r *Repo) Bundled(ctx context.Context, remote string) (bool, error) {
	from, to, err := r.urls(ctx, remote)
	return err == nil && slices.ContainsFunc(slices.Concat(from, to), r.isBundled), err
}

// isBundled reports whether a URL is a path, and one that begins at this clone or leads into it.
func (r *Repo) isBundled(url string) bool {
	url = strings.TrimPrefix(url, "file://")
	if scheme, _, found := strings.Cut(url, ":"); found && !strings.Contains(scheme, "/") && !filepath.IsAbs(url) {
		return false // a URL with a scheme, or a host
	}
	if !filepath.IsAbs(url) {
		return true
	}
	for _, around := range []string{r.Top, r.CommonDir} {
		if rel, err := filepath.Rel(around, url); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// LocalPrograms lists the keys of the clone's own config that have git start a program when it talks to a remote,
// sorted. Such a config may have come with a copied folder; the user's own is the user's.
func (r *Repo) LocalPrograms(ctx context.Context) ([]string, error) {
	out, err := Run(ctx, r.Top, "config", "--show-scope", "--null", "--list")
	if err != nil {
		return nil, err
	}
	var keys []string
	fields := records(out)
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, _ := strings.Cut(fields[i+1], "\n")
		if (fields[i] == "local" || fields[i] == "worktree") && startsProgram(strings.ToLower(key), value) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), nil
}

// startsProgram reports whether a setting, its key in lower case, names a program that git starts when it talks to a
// remote.
func startsProgram(key, value string) bool {
	name := key[strings.LastIndexByte(key, '.')+1:]
	section, _, _ := strings.Cut(key, ".")
	switch {
	case key == "core.sshcommand", key == "core.gitproxy", key == "core.askpass", key == "core.alternaterefscommand":
		return value != ""
	case section == "credential" && name == "helper":
		return value != ""
	case section == "remote" && (name == "receivepack" || name == "uploadpack" || name == "vcs"):
		return true
	case section == "protocol" && name == "allow":
		return value != "never"
	case section == "remote" && (name == "url" || name == "pushurl"):
		return strings.Contains(value, "::")
	case section == "url":
		return strings.Contains(key, "::")
	default:
		return false
	}
}
