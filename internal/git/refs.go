package git

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Refs reads the branches, tags and other refs of a repository.
type Refs struct{ repo *Repo }

// Refs returns the refs of the repository.
func (r *Repo) Refs() Refs { return Refs{r} }

// Commit returns the commit that a ref points at, or "" if there is no such ref. The name is a full one, such as
// refs/heads/main. That a broken clone lacks the commit of a branch is not noticed here.
func (r Refs) Commit(ctx context.Context, name string) (string, error) {
	if id, err := r.repo.branchFromFiles(name); err == nil || record.CodeOf(err) == record.Git {
		return id, err
	}
	refs, err := r.existing(ctx, name)
	if err != nil || len(refs) == 0 {
		return "", err
	}
	return r.repo.Commit(ctx, name)
}

// Kind is the type of what a ref points at: commit, tag, tree or blob; "" if there is no such ref.
func (r Refs) Kind(ctx context.Context, name string) (string, error) {
	out, err := Run(ctx, r.repo.Top, "for-each-ref", "--format=%(objecttype) %(refname)", "--", name)
	for line := range strings.Lines(string(out)) { // git also lists the refs below the name
		if kind, of, _ := strings.Cut(strings.TrimSpace(line), " "); of == name {
			return kind, err
		}
	}
	return "", err
}

// Candidates lists the full names of the refs that a short name can stand for: a tag, a branch, a branch of a remote,
// or a remote's HEAD.
func (r Refs) Candidates(ctx context.Context, short string) ([]string, error) {
	return r.existing(ctx, "refs/"+short, "refs/tags/"+short, "refs/heads/"+short, "refs/remotes/"+short, "refs/remotes/"+short+"/HEAD")
}

// existing returns the names, in their order, of which there is a ref.
func (r Refs) existing(ctx context.Context, names ...string) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, append([]string{"for-each-ref", "--format=%(refname)"}, names...)...)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, name := range names {
		for line := range strings.Lines(string(out)) { // git also lists the refs below each name
			if strings.TrimSuffix(line, "\n") == name {
				found = append(found, name)
			}
		}
	}
	return found, nil
}

// Holding lists the full names of the refs from which a commit is reached.
func (r Refs) Holding(ctx context.Context, commit string) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, "for-each-ref", "--format=%(refname)", "--contains="+commit)
	return strings.Fields(string(out)), err
}

// CommittedOn reports whether a commit was made on a local branch, as the branch's log in this clone tells, and not
// brought to it by a merge, a reset or a fast-forward.
func (r Refs) CommittedOn(ctx context.Context, branch, commit string) (bool, error) {
	out, err := Run(ctx, r.repo.Top, "log", "--walk-reflogs", "--format=%H %gs", "refs/heads/"+branch, "--")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(out)) {
		if did, of := strings.CutPrefix(line, commit+" "); of && (strings.HasPrefix(did, "commit") || strings.HasPrefix(did, "cherry-pick")) {
			return true, nil
		}
	}
	return false, nil
}

// Target returns the name that a symbolic ref points at, whether or not that ref exists; "" if it is no symbolic ref.
func (r Refs) Target(ctx context.Context, ref string) (string, error) {
	return answer(Run(ctx, r.repo.Top, "symbolic-ref", "--quiet", ref))
}

// WithPrefix lists the commits whose ids begin with a prefix.
func (r Refs) WithPrefix(ctx context.Context, prefix string) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, "rev-parse", "--disambiguate="+prefix)
	if err != nil {
		return nil, err
	}
	var commits []string
	for id := range strings.FieldsSeq(string(out)) {
		commit, err := r.repo.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		if commit == id {
			commits = append(commits, commit)
		}
	}
	return commits, nil
}

// HasBranch reports whether the clone has a local branch of that name. A branch without a commit counts while it is
// checked out.
func (r Refs) HasBranch(ctx context.Context, name string) bool {
	if r.has(ctx, "refs/heads/"+name) {
		return true
	}
	head, err := r.repo.Head(ctx)
	return err == nil && head.Branch == name
}

// HasRemoteBranch reports whether the clone has a remote-tracking branch of that name, such as origin/main.
func (r Refs) HasRemoteBranch(ctx context.Context, name string) bool {
	return r.has(ctx, "refs/remotes/"+name)
}

// RemoteBranches lists the names of the remote-tracking branches, such as origin/main.
func (r Refs) RemoteBranches(ctx context.Context) ([]string, error) {
	names, err := r.existing(ctx, "refs/remotes")
	for i, name := range names {
		names[i] = strings.TrimPrefix(name, "refs/remotes/")
	}
	return names, err
}

// LocalBranches lists the names of the local branches, the one that was committed to last first.
func (r Refs) LocalBranches(ctx context.Context) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, "for-each-ref", "--sort=-committerdate", "--format=%(refname:lstrip=2)", "refs/heads")
	return strings.Fields(string(out)), err
}

// has reports whether there is a ref of exactly this full name.
func (r Refs) has(ctx context.Context, ref string) bool {
	_, err := Run(ctx, r.repo.Top, "show-ref", "--quiet", "--verify", "--", ref)
	return err == nil
}

// Branches returns the commits at the tips of the local branches, each once.
func (r Refs) Branches(ctx context.Context) ([]string, error) {
	return r.commits(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads")
}

// Fetched returns the commits at the tips of the remote-tracking branches, each once.
func (r Refs) Fetched(ctx context.Context) ([]string, error) {
	return r.commits(ctx, "for-each-ref", "--format=%(objectname)", "refs/remotes")
}

// Reachable returns the tips of everything that the clone still has: of local and remote-tracking branches, and of
// every stash. Commits that only a reflog names are not among them.
func (r Refs) Reachable(ctx context.Context) ([]string, error) {
	tips, err := r.commits(ctx, "for-each-ref", "--format=%(objectname)", "refs/heads", "refs/remotes")
	if err != nil {
		return nil, err
	}
	if _, err := Run(ctx, r.repo.Top, "rev-parse", "--quiet", "--verify", "refs/stash"); err != nil {
		return tips, nil //nolint:nilerr // there is no stash
	}
	// The parents of a stash hold the index and the files that git did not track.
	stashed, err := r.commits(ctx, "rev-list", "--walk-reflogs", "--parents", "refs/stash")
	return append(tips, stashed...), err
}

// Remembered returns what Reachable does, and the commits that the reflogs name: everything that was ever committed
// here, until the reflogs expire.
func (r Refs) Remembered(ctx context.Context) ([]string, error) {
	known, err := r.Reachable(ctx)
	if err != nil {
		return nil, err
	}
	logged, err := r.commits(ctx, "rev-list", "--walk-reflogs", "--all")
	return append(known, logged...), err
}

// commits returns the hashes that a git command prints, sorted and each once.
func (r Refs) commits(ctx context.Context, args ...string) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, args...)
	ids := strings.Fields(string(out))
	slices.Sort(ids)
	return slices.Compact(ids), err
}

// Between counts the commits that lead to one commit and not to another, most of them at most. Both are hashes or full
// names of refs. It returns 0 if the clone lacks one of them.
func (r Refs) Between(ctx context.Context, from, to string, most int) (int, error) {
	out, err := Run(ctx, r.repo.Top, "rev-list", "--count", "--max-count="+strconv.Itoa(most), to, "^"+from, "--")
	if err != nil {
		for _, end := range []string{from, to} {
			if hash, lacks := r.repo.Commit(ctx, end); lacks == nil && hash == "" {
				return 0, nil
			}
		}
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// Remotes are the remotes of a clone: what their refs are, and how git reaches them.
type Remotes struct{ repo *Repo }

// Remotes returns the remotes of the clone.
func (r *Repo) Remotes() Remotes { return Remotes{r} }

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

// Push has a remote change refs, each only if it still points at what is expected, all or none if atomic. It runs
// no hook of this clone and asks for nothing. The results are in the order of the updates. The error is that of git;
// also with one, updates may have been taken. The words are what the remote gave as its reasons.
func (r Remotes) Push(ctx context.Context, remote string, updates []RefUpdate, atomic bool) (results []RefResult, words string, err error) {
	flags := []string{"--no-verify", "--no-follow-tags", "--no-thin"}
	if atomic {
		flags = append(flags, "--atomic")
	}
	how := Networked()
	how.more = []setting{{"push.pushOption", ""}}
	return r.push(ctx, how, remote, updates, flags...)
}

// PushBranch has a remote change one branch, if it still points at what is expected. Unlike Push it leaves to the
// user's config what else belongs to a push, and its hooks run if how says so.
func (r Remotes) PushBranch(ctx context.Context, how Writing, remote string, u RefUpdate) (RefResult, string, error) {
	results, words, err := r.push(ctx, how, remote, []RefUpdate{u})
	return results[0], words, err
}

func (r Remotes) push(
	ctx context.Context, how Writing, remote string, updates []RefUpdate, flags ...string,
) (results []RefResult, words string, err error) {
	if !strings.Contains(remote, "=") { // which git would take for the end of the key
		how.more = append(how.more, setting{"remote." + remote + ".mirror", "false"}) // a mirror takes no single refs
	}
	args := append([]string{"push", "--porcelain", "--no-recurse-submodules", "--no-signed"}, flags...)
	for _, u := range updates {
		args = append(args, "--force-with-lease="+u.Ref+":"+u.Old)
	}
	args = append(args, "--", remote)
	for _, u := range updates {
		args = append(args, u.New+":"+u.Ref)
	}
	out, err := how.Run(ctx, r.repo.Top, args...)
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

// Fetch makes the refs below one prefix here what those below another are in a remote, and removes the others. Each
// prefix ends without a slash. It changes nothing else: no branch, no tag, no FETCH_HEAD.
func (r Remotes) Fetch(ctx context.Context, remote, from, to string) error {
	_, err := Networked().Run(ctx, r.repo.Top, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--prune", "--no-auto-maintenance",
		"--no-recurse-submodules", "--refmap=", "--", remote, "+"+from+"/*:"+to+"/*")
	return err
}

// fetches is how often a fetch is tried from a remote that answers: another git may be fetching into the same refs.
const fetches = 3

// FetchBranch fetches what a user's git fetch fetches from a remote, and makes the ref to what a branch of the remote is
// now. It reports whether the remote answers and has such a branch; then an error is one of this clone.
func (r Remotes) FetchBranch(ctx context.Context, how Writing, remote, branch, to string) (there bool, err error) {
	args := []string{"fetch", "--quiet", "--no-write-fetch-head", "--no-auto-maintenance", "--no-recurse-submodules", "--", remote}
	usual, err := Run(ctx, r.repo.Top, "config", "--get-all", "remote."+remote+".fetch")
	if err != nil && Exited(err) != 1 {
		return false, err
	}
	for _, spec := range strings.Fields(string(usual)) {
		if strings.Contains(spec, ":refs/remotes/") { // a mirror's would change the branch that is checked out
			args = append(args, spec)
		}
	}
	args = append(args, "+"+branch+":"+to)
	for range fetches {
		if _, err = how.Run(ctx, r.repo.Top, args...); err == nil || ctx.Err() != nil {
			return err == nil, err
		}
		if _, asked := how.Run(ctx, r.repo.Top, "ls-remote", "--exit-code", "--", remote, branch); Exited(asked) == 2 {
			return false, nil
		} else if asked != nil {
			return false, err
		}
	}
	return true, err
}

// Networked is how git speaks to a remote: with the user's credentials, asking for nothing.
func Networked() Writing {
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

// Messages lists the refs of this clone below a prefix.
func (r Refs) Messages(ctx context.Context, prefix string) ([]RefMessage, error) {
	out, err := Run(ctx, r.repo.Top, "for-each-ref", "--format=%(refname)%00%(objectname)%00%(contents)%00%00", prefix+"/")
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
func (r Refs) MessageCommit(ctx context.Context, message string, at time.Time) (string, error) {
	tree, err := Writing{Input: strings.NewReader("")}.Run(ctx, r.repo.Top, "hash-object", "-w", "-t", "tree", "--stdin")
	if err != nil {
		return "", err
	}
	who := "cairn <cairn@localhost> " + strconv.FormatInt(at.Unix(), 10) + " +0000\n"
	text := "tree " + strings.TrimSpace(string(tree)) + "\nauthor " + who + "committer " + who + "\n" + message + "\n"
	out, err := Writing{Input: strings.NewReader(text)}.Run(ctx, r.repo.Top, "hash-object", "-w", "-t", "commit", "--stdin")
	return strings.TrimSpace(string(out)), err
}

// Drop removes the refs below a prefix, also those whose objects are gone, and returns how many there were.
func (r Refs) Drop(ctx context.Context, prefix string) (int, error) {
	out, err := Run(ctx, r.repo.Top, "for-each-ref", "--format=delete %(refname)", prefix+"/")
	if err != nil || len(out) == 0 {
		return 0, err
	}
	_, err = Writing{Input: bytes.NewReader(out)}.Run(ctx, r.repo.Top, "update-ref", "--stdin")
	return bytes.Count(out, []byte("\n")), err
}

// Names lists the names of the remotes of the clone.
func (r Remotes) Names(ctx context.Context) ([]string, error) {
	out, err := Run(ctx, r.repo.Top, "remote")
	return strings.Fields(string(out)), err
}

// Apart reports whether a remote is pushed to another place than it is fetched from, or to several.
func (r Remotes) Apart(ctx context.Context, remote string) (bool, error) {
	from, to, err := r.urls(ctx, remote)
	return err == nil && !slices.Equal(from[:1], to), err
}

// urls are where a remote is fetched from, of which git asks the first, and where it is pushed to, which is each of
// them.
func (r Remotes) urls(ctx context.Context, remote string) (from, to []string, err error) {
	out, err := Run(ctx, r.repo.Top, "remote", "get-url", "--all", "--", remote)
	if err != nil {
		return nil, nil, err
	}
	from = strings.Split(strings.TrimRight(string(out), "\n"), "\n")
	out, err = Run(ctx, r.repo.Top, "remote", "get-url", "--all", "--push", "--", remote)
	return from, strings.Split(strings.TrimRight(string(out), "\n"), "\n"), err
}

// Bundled reports whether a remote is reached by a path that begins at this clone, for fetching or for pushing. What
// lies there may have come along with a copied folder, and git runs its hooks. A clone made by git names a repository
// on the same machine by its full path.
func (r Remotes) Bundled(ctx context.Context, remote string) (bool, error) {
	from, to, err := r.urls(ctx, remote)
	return err == nil && slices.ContainsFunc(slices.Concat(from, to), r.isBundled), err
}

// isBundled reports whether a URL is a path, and one that begins at this clone or leads into it, be it through links.
func (r Remotes) isBundled(at string) bool {
	if encoded, ok := strings.CutPrefix(at, "file://"); ok {
		var err error
		if at, err = url.PathUnescape(encoded); err != nil {
			return true
		}
	}
	if scheme, _, found := strings.Cut(at, ":"); found && !strings.Contains(scheme, "/") && !filepath.IsAbs(at) {
		return false // a URL with a scheme, or a host
	}
	if !filepath.IsAbs(at) || strings.HasPrefix(filepath.ToSlash(filepath.Clean(at)), "/proc/") { // as /proc/self/cwd
		return true
	}
	if target, err := filepath.EvalSymlinks(at); err == nil {
		at = target
	} else if strings.Contains(at, "..") {
		return true // it may lead elsewhere for git, whose current folder is another, as /dev/fd/../cwd does
	}
	for dir := filepath.Clean(at); ; dir = filepath.Dir(dir) {
		info, err := os.Stat(dir)
		for _, around := range []string{r.repo.Top, r.repo.CommonDir} {
			same, missing := os.Stat(around)
			if dir == filepath.Clean(around) || err == nil && missing == nil && os.SameFile(info, same) {
				return true
			}
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// Programs lists the keys of the clone's own config that have git start a program when it talks to a remote,
// sorted. Such a config may have come with a copied folder; the user's own is the user's.
func (r Remotes) Programs(ctx context.Context) ([]string, error) {
	return r.repo.Config().programs(ctx, startsProgram)
}

// Starts says what programs git starts when it talks to a remote that the user did not choose: the settings that name
// one, as Programs has them, and the hooks of a remote that is Bundled.
func (r Remotes) Starts(ctx context.Context, remote string) ([]string, error) {
	keys, err := r.Programs(ctx)
	if err != nil {
		return nil, err
	}
	bundled, err := r.Bundled(ctx, remote)
	if bundled {
		keys = append(keys, "the hooks of the repository that its URL leads to")
	}
	return keys, err
}

// FetchRef makes a ref here what a ref of a remote is, and takes it away if the remote has none. Refs whose names begin
// alike come too: git takes a name with a star alone for one that need not be there. Where one of them is broken, the ref
// itself comes alone.
func (r Remotes) FetchRef(ctx context.Context, remote, from, to string) error {
	fetch := func(spec string) error {
		_, err := Networked().Run(ctx, r.repo.Top, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--prune", "--no-auto-maintenance",
			"--no-recurse-submodules", "--refmap=", "--", remote, spec)
		return err
	}
	err := fetch("+" + from + "*:" + to + "*")
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, asked := Networked().Run(ctx, r.repo.Top, "ls-remote", "--exit-code", "--", remote, from); Exited(asked) == 2 {
		_, err = Writing{}.Run(ctx, r.repo.Top, "update-ref", "-d", to)
		return err
	} else if asked != nil {
		return err
	}
	return fetch("+" + from + ":" + to)
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

// Address tells one URL of a remote from another without saying it, as the config of the clone has it; "" if that has
// none.
func (r Remotes) Address(remote string) string {
	cfg, err := readConfig(filepath.Join(r.repo.CommonDir, "config"))
	if err != nil {
		return ""
	}
	urls := cfg.Section("remote").Subsection(remote).OptionAll("url")
	if len(urls) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(urls[0])) // of several git fetches from the first
	return hex.EncodeToString(sum[:8])
}

// URL is the URL of the repository that a branch is shared through, as the config of the clone has it: that of the
// remote which the branch follows, or else of origin, or else of the only remote. It is "" if there is none. It may
// hold credentials.
func (r Remotes) URL(branch string) string {
	cfg, err := readConfig(filepath.Join(r.repo.CommonDir, "config"))
	if err != nil {
		return ""
	}
	remotes := cfg.Section("remote")
	follows := ""
	if branch != "" {
		follows = cfg.Section("branch").Subsection(branch).Option("remote")
	}
	url := cmp.Or(remotes.Subsection(cmp.Or(follows, "origin")).Option("url"), remotes.Subsection("origin").Option("url"))
	if url == "" && len(remotes.Subsections) == 1 {
		url = remotes.Subsections[0].Option("url")
	}
	return url
}
