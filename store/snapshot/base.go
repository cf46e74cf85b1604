package snapshot

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
)

// base is what the judged records are compared with.
type base struct {
	commits []string // each is compared with; empty if there is no base
	name    string   // where the base comes from, such as "--base main" or "origin/HEAD"
	note    string   // why there is no base, or what the user should know about it
}

// named is a commit that is named as the base.
type named struct {
	commit string // "" if none is named
	by     string // where the name comes from, for messages
	from   string // one of the constants below
}

// Where the name of a base comes from.
const (
	ofCaller = "caller" // --base
	ofMerge  = "merge"  // a CI: the change is to be merged into it
	ofPush   = "push"   // a CI: it was the tip of the branch before the push
	ofClone  = "clone"  // the clone: it is the default branch
)

const (
	originHead = "refs/remotes/origin/HEAD"
	fetchAll   = "fetch the whole history: fetch-depth: 0 for actions/checkout, GIT_DEPTH: 0 on GitLab, elsewhere git fetch --unshallow"
	judgeAlone = "name one with --base; docs/ci.md says what each CI has to fetch"
)

// mostBases is how many merge bases a change is compared with at most, since the whole record of each is read. More
// than two or three are rare.
const mostBases = 16

// baseFinder finds the base of a check.
type baseFinder struct {
	*git.Repo
	opts CheckOptions
}

// find returns the commits that head is compared with: its merge bases with the named base. It returns NO_BASE if a
// base is named and cannot be compared with, and if none is named in a CI. Outside a CI that is no error.
func (f baseFinder) find(ctx context.Context, head string) (base, error) {
	opts := f.opts
	switch {
	case opts.NoBase:
		return base{note: "nothing is compared, as was asked for"}, nil
	case opts.Staged && opts.Base == "" && head == "":
		return base{note: "nothing is compared: there is no commit yet"}, nil
	case opts.Staged && opts.Base == "": // it will be the parent of what is staged
		return base{commits: []string{head}, name: "HEAD"}, nil
	}
	n, err := f.nameBase(ctx)
	switch {
	case err != nil:
		return base{}, err
	case n.commit == "":
		return without(opts, "nobody names a base, and the clone has no origin/HEAD")
	case head == "" && opts.Base == "":
		return without(opts, "there is no commit yet")
	case head == "":
		return base{}, record.Errorf(record.NoBase, "there is no commit yet to compare with %s", n.by).WithHint("leave the base out")
	case n.from == ofPush:
		return base{commits: []string{n.commit}, name: n.by}, nil // all that a push removed is its change
	}
	commits, err := f.mergeBases(ctx, n, head)
	if err != nil {
		return base{}, err
	}
	if len(commits) == 1 && commits[0] == head {
		if err := f.changeIsThere(n); err != nil {
			return base{}, err
		}
	}
	return base{commits: commits, name: n.by, note: noteOf(commits, head, opts)}, nil
}

// changeIsThere returns NO_BASE where a CI judges a change that is to be merged, and what is judged has nothing that
// the base has not: then the base is checked out in place of the change.
func (f baseFinder) changeIsThere(n named) error {
	if n.from != ofMerge && n.from != ofClone {
		return nil
	}
	e, err := eventOf(f.opts)
	if err != nil || n.from == ofClone && !e.ofChange() {
		return err
	}
	return record.Errorf(record.NoBase, "%s holds all of what is judged, so nothing of the change is compared", n.by).
		WithHint("check out the change, as pull_request does and pull_request_target does not; docs/ci.md says what each CI has to fetch")
}

// without is the result of having no base. In a CI it is an error, since nobody there reads the note that nothing was
// compared.
func without(opts CheckOptions, why string) (base, error) {
	if InCI(opts.Getenv) && !opts.NoBase {
		return base{}, record.Errorf(record.NoBase, "nothing can be compared: %s", why).WithHint(judgeAlone)
	}
	return base{note: "nothing is compared: " + why}, nil
}

// mergeBases returns the merge bases of head and the named commit. It returns NO_BASE if there is none, and if the
// clone is too shallow to be sure.
func (f baseFinder) mergeBases(ctx context.Context, n named, head string) ([]string, error) {
	commits, err := f.History().MergeBases(ctx, n.commit, head)
	if err != nil {
		return nil, err
	}
	cut, err := f.History().Incomplete(ctx, []string{n.commit, head}, commits)
	switch {
	case err != nil:
		return nil, err
	case cut:
		return nil, record.Errorf(record.NoBase, "this clone is too shallow to tell where it parted from %s", n.by).WithHint(fetchAll)
	case len(commits) == 0:
		return nil, record.Errorf(record.NoBase, "%s has no history in common with what is judged", n.by).
			WithHint("name another base")
	case len(commits) > mostBases:
		return nil, record.Errorf(record.NoBase, "the histories of %s and of what is judged crossed so often that they parted at %d commits", n.by, len(commits)).
			WithHint("merge the base once more, so that they part at one: git merge %s", n.commit)
	}
	return commits, nil
}

// noteOf is what the user should know about a base beside its name.
func noteOf(commits []string, head string, opts CheckOptions) string {
	switch {
	case len(commits) > 1:
		return fmt.Sprintf("the histories crossed, so each of the %d commits where they parted is compared with", len(commits))
	case commits[0] != head:
		return ""
	case opts.Commit != "":
		return "the base holds all of the commit: there is no change to judge"
	}
	return "the base holds all that is committed here: only what is not committed yet is compared"
}

// nameBase returns the commit that is named as the base: by the caller, by the CI that runs this, or as the default
// branch of the clone.
func (f baseFinder) nameBase(ctx context.Context) (named, error) {
	if f.opts.Base != "" {
		commit, err := f.commitNamed(ctx, f.opts.Base)
		return f.mustHave(named{commit, "--base " + f.opts.Base, ofCaller}, err, f.opts.Base)
	}
	n, err := f.ofCI(ctx)
	if n.commit != "" || err != nil {
		return n, err
	}
	target, err := f.Refs().Target(ctx, originHead)
	if err != nil {
		return named{}, err
	}
	n = named{by: "origin/HEAD", from: ofClone}
	if n.commit, err = f.Refs().Commit(ctx, originHead); n.commit != "" || err != nil {
		return n, err
	}
	if target != "" {
		return named{}, record.Errorf(record.NoBase, "origin/HEAD names %s, which is not there", target).
			WithHint("git remote set-head origin --auto asks what it should name; or name a base with --base")
	}
	return f.defaultOfCI(ctx)
}

var (
	// A name of a commit is an id or a ref, perhaps followed by the way to an ancestor, as in main~2 or v1^{commit}.
	commitName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^([^~^:\s\x00-\x1f]+)((?:[~^][0-9]*|\^\{commit\}|\^\{\})*)$`)
	})
	shortID   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{4,64}$`) })
	pseudoRef = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(@|([A-Z]+_)?HEAD)$`) })
)

// commitNamed returns the commit that a name stands for, or "" if there is none. It returns NO_BASE for a name that
// could stand for several commits, where git would only warn, and for one whose meaning depends on the day or the clone
// (main@{yesterday}).
func (f baseFinder) commitNamed(ctx context.Context, name string) (string, error) {
	parts := commitName().FindStringSubmatch(name)
	if parts == nil || name[0] == '-' || strings.Contains(name, "@{") || strings.Contains(name, "..") {
		return "", record.Errorf(record.NoBase, "%q is not the name of one commit", name).
			WithHint("name a branch, a tag or the id of a commit; main~2 is fine too")
	}
	short, way := parts[1], parts[2]
	if git.IsID(short) {
		return f.Commit(ctx, name)
	}
	meanings, err := f.meanings(ctx, short)
	switch {
	case err != nil || len(meanings) == 0:
		return "", err
	case len(meanings) == 1:
		return f.Commit(ctx, meanings[0]+way)
	}
	return "", record.Errorf(record.NoBase, "%q could be any of %s", name, strings.Join(meanings, ", ")).
		WithHint("name the one that is meant in full: --base %s", meanings[len(meanings)-1]+way)
}

// meanings lists everything that a name can stand for: refs, by their full names, and commits whose id begins so.
func (f baseFinder) meanings(ctx context.Context, short string) ([]string, error) {
	if strings.HasPrefix(short, "refs/") {
		if commit, err := f.Refs().Commit(ctx, short); commit == "" || err != nil {
			return nil, err
		}
		return []string{short}, nil
	}
	meanings, err := f.Refs().Candidates(ctx, short)
	switch {
	case err != nil:
		return nil, err
	case pseudoRef().MatchString(short):
		return append([]string{short}, meanings...), nil
	case shortID().MatchString(short): // git prefers a ref to an id, without a warning
		ids, err := f.Refs().WithPrefix(ctx, short)
		return append(meanings, ids...), err
	}
	return meanings, nil
}

// mustHave returns NO_BASE for a commit that is named and that the clone does not have.
func (f baseFinder) mustHave(n named, err error, value string) (named, error) {
	if n.commit != "" || err != nil {
		return n, err
	}
	hint := fetchAll
	switch {
	case n.from == ofPush:
		hint = "the push did away with what was there, or the clone is too shallow to hold it; name another base with --base"
	case !f.History().Shallow():
		hint = "fetch it: git fetch origin " + strings.TrimPrefix(value, "origin/") + "; or name another base"
	}
	return named{}, record.Errorf(record.NoBase, "%s: this clone has no such commit", n.by).WithHint("%s", hint)
}
