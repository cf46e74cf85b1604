package git

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Growing is a ref whose commits only add files, each named by its content, so that any two of them merge without a
// conflict: the union has the files of both. No work tree has them.
type Growing struct {
	repo *Repo
	ref  string // full name
}

// Growing returns a ref of that kind. It need not exist.
func (r *Repo) Growing(ref string) Growing { return Growing{r, ref} }

// Tip is the commit of the ref; "" if there is none.
func (g Growing) Tip(ctx context.Context) (string, error) { return g.repo.Refs().Commit(ctx, g.ref) }

// Files lists the files of a commit below a folder that have a plain name.
func (g Growing) Files(ctx context.Context, commit, below string) ([]File, error) {
	if commit == "" {
		return nil, nil
	}
	files, err := g.repo.Objects().Files(ctx, commit, below)
	return slices.DeleteFunc(files, func(f File) bool { return !f.Regular() || !isPlain(f.Path) }), err
}

// GrowingExt ends the name of each file, behind the hash of its content. No folder is named so, so that a file and a
// folder never meet.
const GrowingExt = ".json"

// isPlain accepts a path that every system and every git takes as it is, of a file that is named as it should be. Others
// are left out where they come from elsewhere.
func isPlain(path string) bool {
	names := strings.Split(path, "/")
	last := len(names) - 1
	for i, name := range names {
		if !record.IsWord(name, "._-") || strings.HasPrefix(name, ".") || strings.HasSuffix(name, GrowingExt) != (i == last) {
			return false
		}
	}
	return len(path) < 500
}

// tries is how often a ref that others move is read and moved again.
const tries = 6

// Add adds files, by their plain paths, and what other commits have: those that are "" are left out. What is there
// already stays as it is. It returns the commit that the ref has then.
func (g Growing) Add(ctx context.Context, files map[string][]byte, others []string, at time.Time) (tip string, err error) {
	for range tries {
		was, readErr := g.Tip(ctx)
		if readErr != nil {
			return "", readErr
		}
		script, has, readErr := g.union(ctx, files, append([]string{was}, others...), at)
		switch {
		case readErr != nil:
			return "", readErr
		case has != "" && has == was || has == "" && script == "":
			return was, nil
		case has != "": // another commit has all that is here
			args := []string{"update-ref", g.ref, has, was}
			if was == "" {
				args[3] = strings.Repeat("0", len(has))
			}
			_, err = Writing{}.Run(ctx, g.repo.Top, args...)
		default: // it moves no ref to a commit that does not descend from the one it has by then
			_, err = Writing{Input: strings.NewReader(script)}.Run(ctx, g.repo.Top, "fast-import", "--quiet", "--date-format=raw")
		}
		now, readErr := g.Tip(ctx)
		if err == nil || readErr != nil {
			return now, readErr
		}
		if now == was {
			break
		}
	}
	return "", err
}

// union is the input of git fast-import that makes a commit with files and what some commits have; or one of the commits,
// if it has all of it.
func (g Growing) union(ctx context.Context, files map[string][]byte, commits []string, at time.Time) (script, has string, err error) {
	var parents []string
	var sets []map[string]string
	all := map[string]string{}
	for _, commit := range commits {
		if commit == "" || slices.Contains(parents, commit) {
			continue
		}
		found, err := g.Files(ctx, commit, "")
		if err != nil {
			return "", "", err
		}
		set := map[string]string{}
		for _, f := range found {
			set[f.Path] = f.ID
			all[f.Path] = f.ID
		}
		parents, sets = append(parents, commit), append(sets, set)
	}
	fresh := maps.Clone(files)
	maps.DeleteFunc(fresh, func(path string, _ []byte) bool { return all[path] != "" })
	for i, set := range sets {
		if len(fresh) == 0 && len(set) == len(all) {
			return "", parents[i], nil
		}
	}
	if len(fresh)+len(parents) == 0 {
		return "", "", nil
	}
	return g.commit(fresh, parents, sets, at), "", nil
}

func (g Growing) commit(fresh map[string][]byte, parents []string, sets []map[string]string, at time.Time) string {
	var b strings.Builder
	const subject = "cairn: evidence"
	fmt.Fprintf(&b, "commit %s\ncommitter cairn <cairn@localhost> %d +0000\ndata %d\n%s\n", g.ref, at.Unix(), len(subject), subject)
	for i, parent := range parents {
		if i == 0 {
			fmt.Fprintf(&b, "from %s\n", parent)
			continue
		}
		fmt.Fprintf(&b, "merge %s\n", parent)
	}
	for i := 1; i < len(sets); i++ {
		for _, path := range slices.Sorted(maps.Keys(sets[i])) {
			if sets[0][path] == "" {
				fmt.Fprintf(&b, "M 100644 %s %s\n", sets[i][path], path)
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(fresh)) {
		fmt.Fprintf(&b, "M 100644 inline %s\ndata %d\n%s\n", path, len(fresh[path]), fresh[path])
	}
	return b.String()
}
