package work

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/git"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/worktree"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Dispute is a record of which two versions were to be merged, and that is not settled: git stopped at it in a merge
// that is under way here, or a sync could not merge it.
type Dispute struct {
	Ref  record.Ref
	Path string // of its file, from the workspace root
	With string // where their version comes from: the branch, or "the other side" of what is under way

	Deleted bool // one side deleted it, and the other changed it

	kind.Choices
	kind  *kind.Kind
	sides [2][]byte // our version and theirs
	now   []byte    // what the file holds
	took  bool      // the file is staged, so whoever did that has chosen
	sync  *worktree.Conflict
}

// disputes reads the disputes of a workspace.
type disputes struct {
	*store.Store
	trees *worktree.Worktrees
}

// Disputes lists the records that are in dispute: first those of a merge, a rebase, a cherry-pick or a revert that is
// under way in this work tree, also where one side was checked out and staged; where none is, those of the last sync.
func Disputes(ctx context.Context, s *store.Store, now func() time.Time) ([]Dispute, error) {
	trees, err := Trees(s, now)
	if err != nil {
		return nil, err
	}
	in := disputes{s, trees}
	unmerged, err := s.Repo.Index("").Unmerged(ctx)
	if err != nil {
		return nil, err
	}
	var all []Dispute
	listed := map[string]bool{}
	for _, u := range unmerged {
		listed[u.Path] = true
		d, err := in.of(ctx, u)
		if err != nil {
			return nil, err
		}
		if d != nil {
			all = append(all, *d)
		}
	}
	if theirs := filepath.Join(s.Repo.GitDir, "MERGE_HEAD"); layout.Exists(theirs) {
		staged, err := in.taken(ctx, listed)
		return append(all, staged...), err
	}
	if len(unmerged) > 0 {
		return all, nil
	}
	return in.ofSync(ctx)
}

// of is the dispute of a path that git has as unmerged; nil if it is no record of the workspace, no side has it, or one
// has it in another folder, which check --fix makes one of.
func (in disputes) of(ctx context.Context, u git.Unmerged) (*Dispute, error) {
	name, below := strings.CutPrefix(u.Path, in.InRepo(""))
	k, id, ok := kind.At(name)
	if !below || !ok || u.Ours == "" && u.Theirs == "" {
		return nil, nil
	}
	if moved, err := worktree.InAnotherFolder(ctx, in.Repo, u); err != nil || moved {
		return nil, err
	}
	var versions [3][]byte
	for i, blob := range []string{u.Base, u.Ours, u.Theirs} {
		if blob == "" {
			continue
		}
		err := in.Repo.Objects().Blobs(ctx, []string{blob}, format.MaxFile, func(_ int, b git.Blob) { versions[i] = b.Content })
		if err != nil {
			return nil, err
		}
	}
	now, err := layout.ReadFile(in.Abs(name))
	if err != nil && !problem.Missing(err) {
		return nil, problem.IO(err)
	}
	d := &Dispute{Ref: k.Ref(id), Path: name, With: "the other side", kind: k, now: now, sides: [2][]byte{versions[1], versions[2]}}
	if d.Deleted = u.Ours == "" || u.Theirs == ""; d.Deleted {
		d.Choices = k.ChooseWhole(versions[1], versions[2])
	} else {
		d.Choices = k.Choose(name, versions[0], versions[1], versions[2], in.Config.Flow)
	}
	return d, nil
}

// taken lists the records that both sides of a merge changed, and whose staged file lacks entries of one: somebody has
// checked out the other and staged it.
func (in disputes) taken(ctx context.Context, but map[string]bool) (all []Dispute, err error) {
	bases, err := in.Repo.History().MergeBases(ctx, "HEAD", "MERGE_HEAD")
	if err != nil || len(bases) == 0 {
		return nil, err
	}
	changed := map[string]int{}
	for _, side := range []string{"HEAD", "MERGE_HEAD"} {
		out, err := git.Run(ctx, in.Repo.Top,
			"diff", "--name-only", "--no-renames", "-z", bases[0], side, "--", in.InRepo(layout.Folder))
		if err != nil {
			return nil, err
		}
		for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if changed[path]++; changed[path] < 2 || but[path] {
				continue
			}
			u := git.Unmerged{Path: path}
			for to, rev := range map[*string]string{&u.Base: bases[0], &u.Ours: "HEAD", &u.Theirs: "MERGE_HEAD"} {
				files, err := in.Repo.Objects().Files(ctx, rev, path)
				if err != nil {
					return nil, err
				}
				if len(files) == 1 {
					*to = files[0].ID
				}
			}
			d, err := in.of(ctx, u)
			if err != nil {
				return nil, err
			}
			if d != nil && d.now != nil && len(d.kind.Lost(d.now, d.sides)) > 0 {
				d.took = true
				all = append(all, *d)
			}
		}
	}
	return all, nil
}

// ofSync lists what the last sync could not merge and nobody has settled, as long as our version is the one that is
// committed.
func (in disputes) ofSync(ctx context.Context) (all []Dispute, err error) {
	noted, err := in.trees.Conflicts()
	for _, one := range noted {
		if err != nil {
			return nil, err
		}
		files, err := in.Repo.Objects().Files(ctx, "HEAD", in.InRepo(one.Path))
		if err != nil {
			return nil, err
		}
		ours := ""
		if len(files) == 1 {
			ours = files[0].ID
		}
		if ours != one.Ours || one.IsSettled() {
			continue
		}
		d, err := in.of(ctx, git.Unmerged{Path: in.InRepo(one.Path), Base: one.Base, Ours: one.Ours, Theirs: one.Theirs})
		if err != nil {
			return nil, err
		}
		if d != nil {
			d.sync, d.With = &one, one.With
			all = append(all, *d)
		}
	}
	return all, nil
}

// Title is the title of the record in a version that can be read; "" if there is none.
func (d Dispute) Title() string {
	for _, src := range d.sides {
		if v, err := d.kind.Parse(src); err == nil {
			return d.kind.Header(v).Title
		}
	}
	return ""
}

// OfSync reports whether a sync could not merge it, so that the file here has no markers.
func (d Dispute) OfSync() bool { return d.sync != nil }

// Taken says which side somebody has put in place of the file, true for theirs. It reports false if neither is, and for
// our side where git may have left it there itself: it does so where it finds no merge driver.
func (d Dispute) Taken() (theirs, ok bool) {
	lf := func(src []byte) []byte { return bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n")) }
	switch {
	case d.sync != nil, d.Deleted: // git leaves the changed one there
		return false, false
	case bytes.Equal(lf(d.now), lf(d.sides[1])):
		return true, true
	default:
		return false, d.took && bytes.Equal(lf(d.now), lf(d.sides[0]))
	}
}

// ByHand reports whether somebody has settled it in the file, which has the entries of both sides and no markers.
func (d Dispute) ByHand() bool {
	doc, err := format.Parse(d.now, d.kind.Form)
	return d.sync == nil && !d.Deleted && err == nil && doc.Unmerged() == 0 && len(d.kind.Lost(d.now, d.sides)) == 0
}

// Text is what the file holds.
func (d Dispute) Text() []byte { return d.now }

// Chosen is the text of the entry that says what was chosen: theirs says for each difference whether it was theirs.
func (d Dispute) Chosen(theirs []bool) string {
	var parts []string
	for i, one := range d.Differences {
		took, left, side := "ours", one.Theirs, d.sides[0]
		if theirs[i] {
			took, left, side = "theirs", one.Ours, d.sides[1]
		}
		if d.Deleted && len(side) == 0 {
			took = "deleted"
		}
		parts = append(parts, fmt.Sprintf("%s is %s, not %q", one.Field, took, record.Clip(left, 200)))
	}
	if len(parts) == 0 {
		parts = []string{"both sides go together"}
	}
	return "settled a merge with " + d.With + ": " + strings.Join(parts, "; ")
}

// Settle settles a dispute: the record becomes a text that somebody chose, with the entries of both sides, and one that
// says what was chosen; or the record is deleted, where one side deleted it and the text is empty. In a merge that is
// under way the file is written and staged; what a sync could not merge is
// noted, and the next sync merges it so. It returns BAD_FILE for a text that cannot be read, and CONFLICT if the file
// changed meanwhile.
func (d Dispute) Settle(
	ctx context.Context, s *store.Store, now func() time.Time, text []byte, stamp record.Stamp,
) error {
	trees, err := Trees(s, now)
	if err != nil {
		return err
	}
	gone := d.Deleted && len(text) == 0
	var settled []byte
	if !gone {
		stamp.Text = record.Clip(stamp.Text, record.MaxText-len("…"))
		settled, err = d.kind.Settled(d.Path, text, d.sides, s.Config.Flow, kind.Deps(s, s.Config.Flow), stamp)
		if err != nil {
			return err
		}
	}
	if d.sync != nil {
		d.sync.Settled, d.sync.Gone = settled, gone
		return trees.Settle(*d.sync)
	}
	if err := (store.Fix{Path: d.Path, Old: d.now, New: settled}).Apply(ctx, s.Layout); err != nil {
		return err
	}
	return trees.Stage(ctx, d.Path)
}
