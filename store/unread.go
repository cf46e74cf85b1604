package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/store/frontmatter"
	"github.com/cairn-tasks/cairn/task"
)

// files lists the files of a tree.
func (t *tree) files() []*proof.File {
	out := []*proof.File{&t.Config.File}
	for i := range t.Tasks {
		out = append(out, &t.Tasks[i].File)
	}
	for i := range t.Records {
		out = append(out, &t.Records[i].File)
	}
	if t.Signers.Path != "" {
		out = append(out, &t.Signers.File)
	}
	return out
}

// sum is the same for two files, each of one tree, if nothing but their line ends differs; "" if that is not known.
func (t *tree) sum(f *proof.File) string {
	if f.Src != nil {
		return sumOf(f.Src)
	}
	return t.sums[f.Path]
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(unixLines(content))
	return string(sum[:])
}

// unixLines is a content with the line ends that git keeps.
func unixLines(content []byte) []byte { return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")) }

// unread returns NO_BASE if a file of the base cannot be read as what it should be, unless what is judged has the very same one, in
// which the rules find what is wrong. What a change did to such a file nobody can tell.
func (t *tree) unread(base *tree, name string) error {
	now := map[string]*proof.File{}
	for _, f := range t.files() {
		now[f.Path] = f
	}
	var first *proof.File
	more := 0
	for _, was := range base.files() {
		if was.Sound() {
			continue
		}
		if f := now[was.Path]; f != nil && !f.Sound() && t.sum(f) == base.sum(was) && (t.sum(f) != "" || isAbsent(f) && isAbsent(was)) {
			continue
		}
		if first == nil {
			first = was
		} else {
			more++
		}
	}
	if first == nil {
		return nil
	}
	return task.Errorf(task.NoBase, "%s%s of %s cannot be read (%s), so nobody can tell what the change did to it",
		first.Path, andMore(more), name, whyUnread(first)).
		WithHint("repair it on the base first, by a change of its own: --base with the last commit that has it whole compares that; docs/ci.md says how it lands%s",
			hintOfUnread(first))
}

// isAbsent reports whether a tree has no such file. Only the config is in a tree without being there.
func isAbsent(f *proof.File) bool { return errors.Is(f.Unread, errNoConfig) }

// whyUnread is what is wrong with a file, with the line if that is known.
func whyUnread(f *proof.File) string {
	err := f.Unread
	if err == nil {
		err = f.Flaw
	}
	var at *frontmatter.Error
	if errors.As(err, &at) && at.Line > 0 {
		return fmt.Sprintf("line %d: %s", at.Line, at.Msg)
	}
	return messageOf(err)
}

// hintOfUnread is what helps with a file of a kind that git or cairn will not read at all.
func hintOfUnread(f *proof.File) string {
	if hint := hintOf(f.Unread); task.CodeOf(f.Unread) == task.BadFile && hint != "" {
		return "; " + hint
	}
	return ""
}

// baseTree reads the record of a commit that another one is compared with. It returns nil if the commit has no record anywhere, and
// NO_BASE if it cannot be compared with.
func (l Layout) baseTree(ctx context.Context, s subject, commit, name string) (*tree, error) {
	before, err := l.readTree(ctx, l.commitSource(commit), s.tree)
	if task.CodeOf(err) == task.InvalidInput { // a link, a submodule or a file in place of a folder
		return nil, task.Errorf(task.NoBase, "the record of %s cannot be read: %s", name, messageOf(err)).WithHint(ownChange)
	}
	if err != nil {
		return nil, err
	}
	if before.empty() {
		return nil, l.elsewhere(ctx, commit, name)
	}
	if err := knownFormat(before.format); err != nil {
		return nil, task.Errorf(task.NoBase, "the record of %s cannot be read: %s", name, messageOf(err)).WithHint("take a newer cairn")
	}
	if err := l.keepsAll(ctx, s, commit, name); err != nil {
		return nil, err
	}
	return before, s.tree.unread(before, name)
}
