package snapshot

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/cairn-tasks/cairn/check/proof"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/problem"
)

// files lists the files of a tree.
func (t *tree) files() []*proof.File {
	out := append([]*proof.File{&t.Config.File}, t.All()...)
	if t.Signers.Path != "" {
		out = append(out, &t.Signers.File)
	}
	return out
}

// sum is equal for two files that differ at most in their line ends; "" if the content is not known.
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

// unixLines is a content with line feeds for line ends.
func unixLines(content []byte) []byte { return bytes.ReplaceAll(content, []byte("\r\n"), []byte("\n")) }

// unread returns NO_BASE if a file of the base cannot be read as what it should be: what the change did to it cannot be
// told. A file that the judged tree has unchanged is left to the rules.
func (t *tree) unread(base *tree, name string) error {
	now := record.By(t.files(), func(f *proof.File) string { return f.Path })
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
	hint := ""
	if more := problem.Hint(first.Unread); record.CodeOf(first.Unread) == record.BadFile && more != "" {
		hint = "; " + more // of a file that is not read at all, such as a link
	}
	return record.Errorf(record.NoBase, "%s%s of %s cannot be read (%s), so nobody can tell what the change did to it",
		first.Path, record.AndMore(more), name, whyUnread(first)).
		WithHint("repair it on the base first, by a change of its own: "+
			"--base with the last commit that has it whole compares that; docs/ci.md says how it lands%s", hint)
}

// isAbsent reports whether the file does not exist. Only a config can be in a tree without existing.
func isAbsent(f *proof.File) bool { return errors.Is(f.Unread, errNoConfig) }

// whyUnread says what is wrong with a file, with the line if that is known.
func whyUnread(f *proof.File) string {
	err := cmp.Or(f.Unread, f.Flaw)
	var at *format.Error
	if errors.As(err, &at) && at.Line > 0 {
		return fmt.Sprintf("line %d: %s", at.Line, at.Msg)
	}
	return record.MessageOf(err)
}
