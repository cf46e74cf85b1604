package git

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha1"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/record"
)

// History reads the commits of a repository and how they follow each other.
type History struct{ repo *Repo }

// History returns the commits of the repository.
func (r *Repo) History() History { return History{r} }

// MergeBases returns the merge bases of two commits, the best first. Histories that crossed (criss-cross merges) have
// more than one; commits without a common ancestor in this clone have none.
func (h History) MergeBases(ctx context.Context, a, b string) ([]string, error) {
	out, err := answer(Run(ctx, h.repo.Top, "merge-base", "--all", a, b))
	return strings.Fields(out), err
}

// Incomplete reports whether a shallow clone lacks parents of commits that are reachable from some commits and not from
// others. The missing ones could hold a better merge base than those that were found.
func (h History) Incomplete(ctx context.Context, commits, without []string) (bool, error) {
	ends, err := h.ends()
	if err != nil || len(ends) == 0 {
		return false, err
	}
	args := append([]string{"rev-list"}, commits...)
	for _, commit := range without {
		args = append(args, "^"+commit)
	}
	out, err := Run(ctx, h.repo.Top, args...)
	if err != nil {
		return false, err
	}
	for id := range strings.FieldsSeq(string(out)) {
		if ends[id] {
			return true, nil
		}
	}
	return false, nil
}

// CutAt returns the first of some commits whose parents a shallow clone lacks, or "".
func (h History) CutAt(all []Step) (string, error) {
	ends, err := h.ends()
	if err != nil || len(ends) == 0 {
		return "", err
	}
	for _, c := range all {
		if ends[c.ID] {
			return c.ID, nil
		}
	}
	return "", nil
}

// ends are the commits whose parents a shallow clone lacks. Git takes the beginning of each line for an id, whatever
// follows, so a file that git itself would not have written is refused.
func (h History) ends() (map[string]bool, error) {
	text, err := disk.ReadFile(filepath.Join(h.repo.CommonDir, "shallow"))
	if missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(err)
	}
	ends := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		id := strings.TrimSuffix(line, "\n")
		if !IsID(id) {
			return nil, record.Errorf(record.Git, "the shallow file of the git folder has a line that is no id of a commit: %q", record.Clip(id, 80)).
				WithHint("git writes no such file: see where it came from, and fetch the repository anew")
		}
		ends[id], ends[id[:2*sha1.Size]] = true, true // in a clone of short ids git reads no further
	}
	return ends, nil
}

// Shallow reports whether the clone lacks a part of the history.
func (h History) Shallow() bool {
	_, err := os.Stat(filepath.Join(h.repo.CommonDir, "shallow"))
	return err == nil
}

// Partial reports whether the clone leaves objects out that a remote gives when they are needed.
func (r *Repo) Partial(ctx context.Context) (bool, error) {
	_, err := Run(ctx, r.Top, "config", "--get-regexp", `^(extensions\.partialclone|remote\..*\.promisor)$`)
	if Exited(err) == 1 {
		return false, nil
	}
	return err == nil, err
}

// Between lists the commits that are reachable from one commit and not from since, newest first and limit at most.
func (h History) Between(ctx context.Context, since, commit string, limit int) ([]string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--topo-order", "--max-count="+strconv.Itoa(limit), commit, "^"+since)
	return strings.Fields(string(out)), err
}

// Contains reports whether a commit is another, or an ancestor of it. It is not if this clone does not have it.
func (h History) Contains(ctx context.Context, commit, ancestor string) (bool, error) {
	if !IsID(ancestor) {
		return false, nil
	}
	_, err := Run(ctx, h.repo.Top, "merge-base", "--is-ancestor", ancestor, commit)
	if Exited(err) != 0 {
		return false, nil
	}
	return err == nil, err
}

// BroughtBy returns the commit of a branch's own line by which it got another commit; "" if it does not have that.
func (h History) BroughtBy(ctx context.Context, branch, commit string) (string, error) {
	if has, err := h.Contains(ctx, branch, commit); err != nil || !has {
		return "", err
	}
	later, err := Run(ctx, h.repo.Top, "rev-list", "--ancestry-path", branch, "^"+commit)
	if err != nil {
		return "", err
	}
	has := record.SetOf(strings.Fields(string(later)))
	line, err := Run(ctx, h.repo.Top, "rev-list", "--first-parent", branch, "^"+commit)
	found := commit
	for _, one := range strings.Fields(string(line)) {
		if has[one] {
			found = one
		}
	}
	return found, err
}

// mostBack is how many commits At looks back.
const mostBack = 5000

// At returns the newest commit of the branch of head before all that were made after a time; "" if there is none. One
// among those that says it is older counts as they do.
func (h History) At(ctx context.Context, head string, at time.Time) (string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--first-parent", "--timestamp", "--max-count="+strconv.Itoa(mostBack), head)
	found, newest := "", true
	for line := range strings.Lines(string(out)) {
		stamp, commit, _ := strings.Cut(strings.TrimSpace(line), " ")
		if seconds, err := strconv.ParseInt(stamp, 10, 64); err != nil || seconds > at.Unix() {
			found, newest = "", true
		} else if newest {
			found, newest = commit, false
		}
	}
	return found, err
}

// WorkFrom returns the commit with which work is compared that is at head and began at another commit. It is that one,
// unless head has since taken in more of the branch that the work goes to: into, by its short name, or the default
// branch of origin, or without one main or master. Where that branch is at head itself, the whole work may be in it: then it counts only if the user
// of this clone has made none of the commits since.
func (h History) WorkFrom(ctx context.Context, head, began, into string) (string, error) {
	if began == head {
		return head, nil
	}
	for _, tip := range h.goesTo(ctx, into) {
		bases, err := h.MergeBases(ctx, head, tip)
		if err != nil || len(bases) == 0 {
			continue // another history
		}
		newer, err := h.Contains(ctx, bases[0], began)
		if err == nil && newer && bases[0] == head {
			newer, err = h.byOthers(ctx, began, head)
		}
		if err != nil {
			return "", err
		}
		if newer {
			return bases[0], nil
		}
	}
	return began, nil
}

// LeftAt returns the commit at which a branch left the branch that its work goes to, as in WorkFrom; "" if none is known,
// or it has not left that.
func (h History) LeftAt(ctx context.Context, tip, into string) string {
	for _, to := range h.goesTo(ctx, into) {
		if bases, err := h.MergeBases(ctx, tip, to); err == nil && len(bases) > 0 && bases[0] != tip {
			return bases[0]
		}
	}
	return ""
}

// goesTo lists the tips of the branches that work may go to.
func (h History) goesTo(ctx context.Context, into string) (tips []string) {
	if into != "" {
		if tip, err := h.repo.Refs().Commit(ctx, "refs/heads/"+into); err == nil && tip != "" {
			tips = append(tips, tip)
		}
	}
	if tip, ok := h.repo.Tracked("origin").Default(); ok {
		return append(tips, tip.Commit)
	}
	head, _ := h.repo.Head(ctx)
	for _, tip := range h.repo.Local().Tips() {
		if (tip.Name == "main" || tip.Name == "master") && tip.Name != head.Branch {
			tips = append(tips, tip.Commit)
		}
	}
	return tips
}

// byOthers reports whether none of the commits since another is by the user of this clone.
func (h History) byOthers(ctx context.Context, since, head string) (bool, error) {
	own, err := Setting(ctx, h.repo.Top, "user.email")
	if err != nil || own == "" {
		return false, err
	}
	out, err := Run(ctx, h.repo.Top, "log", "--format=%ce", since+".."+head)
	return err == nil && !slices.Contains(strings.Fields(string(out)), own), err
}

// Time returns when a commit was made, by the committer's date.
func (h History) Time(ctx context.Context, commit string) (time.Time, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--max-count=1", "--timestamp", commit)
	if err != nil {
		return time.Time{}, err
	}
	stamp, _, _ := strings.Cut(string(out), " ")
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return time.Time{}, garbled("rev-list", string(out))
	}
	return time.Unix(seconds, 0).UTC(), nil
}

// Landings lists the commits that brought a file of a commit as it is and as it was, the newest first, each with the
// committer's date: of a merge only the merge itself, since its branch landed with it.
func (h History) Landings(ctx context.Context, commit, path string) ([]Step, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--first-parent", "--timestamp", commit, "--", path)
	if err != nil {
		return nil, err
	}
	var all []Step
	for line := range strings.Lines(string(out)) {
		stamp, id, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(stamp, 10, 64)
		if err != nil {
			return nil, garbled("rev-list", line)
		}
		all = append(all, Step{ID: id, At: time.Unix(seconds, 0).UTC()})
	}
	return all, nil
}

// Touching lists the commits on the first-parent line of a commit that change a file in a folder, the oldest first.
func (h History) Touching(ctx context.Context, commit, folder string) ([]string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--first-parent", "--reverse", commit, "--", folder)
	return strings.Fields(string(out)), err
}

// Newest is the newest commit on the way to HEAD, no merge, that changed a file, in short; "" for none.
func (h History) Newest(ctx context.Context, path string) (string, error) {
	out, err := Run(ctx, h.repo.Top, "rev-list", "--max-count=1", "--no-merges", "--abbrev-commit", "HEAD", "--", path)
	return strings.TrimSpace(string(out)), err
}

// Versions calls fn at least once with the id of every content that a file below one of some paths had in a commit that
// is reachable from commit and not from since, those of a commit before those of its ancestors; "" for since means the
// whole history. Contents that only a merge commit had are left out. The dates of commits do not matter, since anybody
// can set them.
func (h History) Versions(ctx context.Context, since, commit string, below []string, fn func(path, id string)) error {
	args := []string{
		"log", "--date-order", "--full-history", "--raw", "--root",
		"--no-abbrev", "--no-renames", "--no-follow", "--no-diff-merges", "--ignore-submodules=none",
		"--no-show-signature", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-relative", "--no-color", "-z", "--format=",
	}
	args = append(args, commit)
	if since != "" {
		args = append(args, "^"+since)
	}
	out, err := Run(ctx, h.repo.Top, append(append(args, "--"), below...)...)
	if err != nil {
		return err
	}
	fields := records(out)
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(strings.TrimLeft(fields[i], "\x00\n")) // :mode mode id id letter
		if len(f) != 5 || !strings.HasPrefix(f[0], ":") {
			return garbled("log", fields[i])
		}
		for _, id := range []string{f[3], f[2]} { // what it became, and what it was
			if strings.Trim(id, "0") != "" {
				fn(fields[i+1], id)
			}
		}
	}
	return nil
}

// LogIn says which commits Log lists.
type LogIn struct {
	Paths    []string  // that change one of these files, or a file in one of these folders; nil for all commits
	Mentions string    // whose message has this word, such as an id; "" for any message
	Since    time.Time // not those before; zero for all
	Most     int       // the newest so many
}

// Logged is a commit in a log.
type Logged struct {
	ID      string
	Merge   bool // it has several parents
	At      time.Time
	Author  string // as the commit names them, which proves nothing
	Subject string
	Changed []Changed // with Paths: the files of these that it changes
}

// Changed is a file that a commit changes.
type Changed struct {
	Path  string   // from the top
	New   bool     // the commit brings it
	Gone  bool     // the commit deletes it
	Added []string // of the lines that it adds those that fit; see Log
}

// mostRead is how much of the output of one log is read. What would follow is left out, as are older commits.
const mostRead = 32 << 20

// errEnough ends the reading of an output that is too long.
var errEnough = errors.New("enough was read")

// Log lists commits that are reachable from HEAD, the newest first, with one git process. Of the changes of files it
// keeps the added lines that keep says. It reports whether there may be more. What a commit changes whose parents a
// shallow clone lacks, git cannot say: with Paths it is left out. A repository without a commit has none.
func (h History) Log(ctx context.Context, in LogIn, keep func(line string) bool) (all []Logged, cut bool, err error) {
	args := []string{
		"log", "HEAD", "--max-count=" + strconv.Itoa(in.Most+1), "--format=%x01%H%x00%P%x00%ct%x00%an%x00%s",
		"--no-renames", "--no-show-signature", "--no-notes", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=none",
	}
	if !in.Since.IsZero() {
		args = append(args, "--since="+in.Since.UTC().Format(time.RFC3339))
	}
	if in.Mentions != "" {
		args = append(args, "--extended-regexp", "--grep=(^|[^A-Za-z0-9_-])"+literally(in.Mentions)+"($|[^A-Za-z0-9_-])")
	}
	if in.Paths != nil {
		args = append(append(args, "--patch", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/", "--"), in.Paths...)
	}
	read := &logReader{keep: keep}
	err = h.repo.stream(ctx, nil, nil, read.all, args...)
	if errors.Is(err, errEnough) {
		err, cut = nil, true
	}
	if len(read.commits) > in.Most {
		read.commits, cut = read.commits[:in.Most], true
	}
	if err != nil || in.Paths == nil {
		return read.commits, cut, err
	}
	ends, err := h.ends()
	return slices.DeleteFunc(read.commits, func(c Logged) bool { return ends[c.ID] }), cut || len(ends) > 0, err
}

// literally is a word as an extended regular expression.
func literally(word string) string {
	var b strings.Builder
	for _, r := range word {
		switch {
		case r == '-', r == '_', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r > 0x7f:
			b.WriteRune(r)
		case r != '^' && r != '\\' && r != ']':
			b.WriteString("[" + string(r) + "]")
		default:
			b.WriteString(`\` + string(r))
		}
	}
	return b.String()
}

// logReader reads what git log prints.
type logReader struct {
	keep    func(string) bool
	commits []Logged
	hunk    bool // the line is one of a file, and not about one
}

// all reads to the end, or until it is enough.
func (r *logReader) all(in *bufio.Reader) error {
	for size := 0; ; {
		line, err := readLine(in)
		if size += len(line); size > mostRead {
			return errEnough
		}
		if line != "" {
			if err := r.line(strings.TrimSuffix(line, "\n")); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lineKept is how much of a line is kept. The rest of a longer one is skipped.
const lineKept = 64 << 10

func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(line) < lineKept {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), err
		}
	}
}

// line takes one line. Those of a file begin with a sign, so none can pass for the beginning of a commit or of a file.
func (r *logReader) line(text string) error {
	if header, ok := strings.CutPrefix(text, "\x01"); ok {
		f := strings.SplitN(header, "\x00", 5)
		if len(f) != 5 || !IsID(f[0]) {
			return garbled("log", text)
		}
		seconds, err := strconv.ParseInt(f[2], 10, 64)
		if err != nil {
			return garbled("log", text)
		}
		r.hunk = false
		r.commits = append(r.commits, Logged{
			ID: f[0], Merge: strings.Contains(f[1], " "), At: time.Unix(seconds, 0).UTC(),
			Author: strings.ToValidUTF8(f[3], "\uFFFD"), Subject: strings.ToValidUTF8(f[4], "\uFFFD"),
		})
		return nil
	}
	if len(r.commits) == 0 {
		return nil
	}
	at := &r.commits[len(r.commits)-1]
	switch {
	case strings.HasPrefix(text, "diff --git "):
		r.hunk = false
		at.Changed = append(at.Changed, Changed{Path: pathOf(strings.TrimPrefix(text, "diff --git "))})
	case strings.HasPrefix(text, "@@ "):
		r.hunk = true
	case !r.hunk && strings.HasPrefix(text, "new file mode ") && len(at.Changed) > 0:
		at.Changed[len(at.Changed)-1].New = true
	case !r.hunk && strings.HasPrefix(text, "deleted file mode ") && len(at.Changed) > 0:
		at.Changed[len(at.Changed)-1].Gone = true
	case r.hunk && strings.HasPrefix(text, "+") && len(at.Changed) > 0 && r.keep(text[1:]):
		last := &at.Changed[len(at.Changed)-1]
		last.Added = append(last.Added, text[1:])
	}
	return nil
}

// pathOf is the file of the header of a diff without renames, which names it twice, as a/PATH and b/PATH: both are as
// long, and git quotes both or neither.
func pathOf(twice string) string {
	half := twice[(len(twice)+1)/2:]
	if path, err := strconv.Unquote(half); err == nil {
		half = path
	}
	return strings.TrimPrefix(half, "b/")
}

// Within are those of some commits, by their hashes, that are in the history of a tip. Tips that are not there are left
// out.
func (h History) Within(ctx context.Context, commits []string, tips ...string) (map[string]bool, error) {
	var there, bounds []string
	err := h.repo.Objects().Blobs(ctx, commits, 0, func(i int, b Blob) {
		if b.Size > 0 { // of a commit too
			there = append(there, commits[i])
		}
	})
	for _, tip := range tips {
		commit, failed := h.repo.Commit(ctx, tip)
		if err = cmp.Or(err, failed); commit != "" {
			bounds = append(bounds, "^"+commit)
		}
	}
	if err != nil || len(bounds) == 0 || len(there) == 0 {
		return nil, err
	}
	list := func(args ...string) io.Reader { return strings.NewReader(strings.Join(args, "\n") + "\n") }
	outside, err := h.repo.run(ctx, list(append(bounds, there...)...), nil, "rev-list", "--stdin")
	if err != nil {
		return nil, err
	}
	commitsOf, err := h.repo.run(ctx, list(there...), nil, "rev-list", "--no-walk", "--stdin") // and nothing that is no commit
	if err != nil {
		return nil, err
	}
	out := record.SetOf(strings.Fields(string(outside)))
	in := map[string]bool{}
	for _, id := range strings.Fields(string(commitsOf)) {
		if !out[id] {
			in[id] = true
		}
	}
	return in, nil
}
