package skills

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/ledger"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// Folders are where skills are written as a rule: that of Claude Code, and that which the other clients share.
var Folders = []string{".claude/skills", ".agents/skills"}

// Further are folders of single clients. Their clients read .agents/skills too, so that a skill in both would be shown
// twice; skills are written there only if that is asked for, and kept up to date from then on.
var Further = []string{".codex/skills", ".cursor/skills", ".gemini/skills", ".github/skills", ".opencode/skills"}

// State is what a file in a folder of a client is to a sync.
type State string

// The states.
const (
	Current   State = "current" // it says what the skill says
	Missing   State = "missing" // it is to be written
	Stale     State = "stale"   // it was written for an earlier version of the skill
	Left      State = "left"    // it was written for a skill that is gone or archived
	Edited    State = "edited"  // it was written by a sync, and somebody changed it since
	Foreign   State = "foreign" // somebody else wrote it
	Elsewhere State = "link"    // it is, or lies behind, a link
)

// File is one file in a folder of a client.
type File struct {
	Path  string `json:"path"` // from the workspace root, with forward slashes
	State State  `json:"state"`

	content []byte // what it is to hold; nil for nothing
}

// Kept reports whether a sync leaves the file as it is, although it does not say what the skill says.
func (f File) Kept() bool { return f.State == Edited || f.State == Foreign || f.State == Elsewhere }

// Plan compares the folders of clients below a workspace root with skills: Folders, the further ones that are named,
// and those that have files of an earlier sync. Skills that are archived are left out. Without skills it lists all
// files that a sync wrote. It writes nothing.
func Plan(root string, all []ledger.Skill, further ...string) ([]File, error) {
	var out []File
	for _, folder := range slices.Concat(Folders, Further) {
		there, err := written(root, folder)
		if err != nil {
			return nil, err
		}
		wanted := slices.Contains(slices.Concat(Folders, further), folder) || len(there) > 0
		for _, k := range all {
			if !wanted || k.Status != ledger.SkillActive {
				continue
			}
			name := path.Join(folder, k.Ref.ID, fileName)
			f, err := compare(root, name, Render(k))
			if err != nil {
				return nil, err
			}
			delete(there, name)
			out = append(out, f)
		}
		for name, state := range there {
			out = append(out, File{Path: name, State: state})
		}
	}
	sorted.By(out, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return out, nil
}

const fileName = "SKILL.md"

// written finds the files that a sync wrote in a folder, by their paths: Left, or Edited if somebody changed one since.
func written(root, folder string) (map[string]State, error) {
	out := map[string]State{}
	if behindLink(root, folder) || !mayBeFolder(root, folder) {
		return out, nil
	}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(folder)))
	if err != nil && !problem.Missing(err) {
		return nil, problem.IO(err)
	}
	for _, e := range entries {
		name := path.Join(folder, e.Name(), fileName)
		if _, err := ledger.ParseSkillID(e.Name()); err != nil || !e.IsDir() {
			continue
		}
		src, err := layout.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			continue // it is not there, or no file that a sync writes
		}
		if ours, whole := marked(src); ours && whole {
			out[name] = Left
		} else if ours {
			out[name] = Edited
		}
	}
	return out, nil
}

func compare(root, name string, content []byte) (File, error) {
	f := File{Path: name, content: content}
	if behindLink(root, name) {
		f.State = Elsewhere
		return f, nil
	}
	if !mayBeFolder(root, path.Dir(name)) {
		f.State = Foreign
		return f, nil
	}
	src, err := layout.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	ours, whole := marked(src)
	switch {
	case problem.Missing(err):
		f.State = Missing
	case record.CodeOf(err) == record.BadFile: // no regular file, or too large
		f.State = Foreign
	case err != nil:
		return f, problem.IO(err)
	case !ours:
		f.State = Foreign
	case !whole:
		f.State = Edited
	case string(unixLines(src)) == string(content):
		f.State = Current
	default:
		f.State = Stale
	}
	return f, nil
}

// behindLink reports whether a path below a root is a link, or leads through one. What is not there is none.
func behindLink(root, name string) bool {
	const link = fs.ModeSymlink | fs.ModeIrregular
	return onTheWay(root, name, os.Lstat, func(info fs.FileInfo) bool { return info.Mode()&link != 0 })
}

// mayBeFolder reports whether a path below a root is a folder, or could be made one: nothing else, such as a file,
// stands in its way.
func mayBeFolder(root, name string) bool {
	return !onTheWay(root, name, os.Stat, func(info fs.FileInfo) bool { return !info.IsDir() })
}

// onTheWay reports whether something that is there on the way from a root to a path is what is asked for.
func onTheWay(root, name string, look func(string) (fs.FileInfo, error), is func(fs.FileInfo) bool) bool {
	at := root
	for part := range strings.SplitSeq(name, "/") {
		at = filepath.Join(at, part)
		info, err := look(at)
		if err != nil || is(info) {
			return err == nil
		}
	}
	return false
}

// Apply does what is to be done about the files of a plan: those that are missing or stale are written, and those that
// are left are removed, with the folders that are empty then. Each file is compared once more before it is replaced.
// With keep nothing is removed: a skill that cannot be read now keeps what was written of it. It returns the files as
// they are then, and the paths of those that were written or removed.
func Apply(root string, plan []File, keep bool) (now []File, changed []string, err error) {
	for _, f := range plan {
		was := f.State
		switch {
		case was == Missing, was == Stale:
			f, err = write(root, f)
		case was == Left && keep:
			continue
		case was == Left:
			err = remove(root, f)
		}
		if err != nil {
			return now, changed, problem.IO(err)
		}
		if was == Left || f.State != was {
			changed = append(changed, f.Path)
		}
		if was != Left {
			now = append(now, f)
		}
	}
	return now, changed, nil
}

// InSync reports whether each file that agents read is as its skill says. One that somebody else wrote is theirs.
func InSync(files []File) bool {
	return !slices.ContainsFunc(files, func(f File) bool {
		return f.State != Current && f.State != Foreign && f.State != Elsewhere
	})
}

func write(root string, f File) (File, error) {
	now, err := compare(root, f.Path, f.content)
	if err != nil || now.State != f.State {
		return now, err
	}
	at := filepath.Join(root, filepath.FromSlash(f.Path))
	if err := disk.MakeFolder(root, filepath.Dir(at)); err != nil {
		return f, err
	}
	if err := atomicfile.Write(at, f.content, 0o644); err != nil {
		return f, err
	}
	f.State = Current
	return f, nil
}

// remove takes a file away, if it still is what a sync wrote, and the folders around it that are empty then.
func remove(root string, f File) error {
	at := filepath.Join(root, filepath.FromSlash(f.Path))
	src, err := layout.ReadFile(at)
	if ours, whole := marked(src); err != nil || !ours || !whole || behindLink(root, f.Path) {
		return nil
	}
	if err := disk.RemoveFile(at); err != nil {
		return err
	}
	for dir := path.Dir(f.Path); dir != "."; dir = path.Dir(dir) {
		if disk.RemoveFile(filepath.Join(root, filepath.FromSlash(dir))) != nil {
			break // something else is in it
		}
	}
	return nil
}

// Render returns the file of a skill in the Agent Skills format, with the line at its end by which a sync knows it
// again.
func Render(k ledger.Skill) []byte {
	front := format.Map{
		{Key: "name", Value: format.String(k.Ref.ID)},
		{Key: "description", Value: format.String(k.Description)},
		{Key: "metadata", Value: format.Map{{Key: "version", Value: format.String(strconv.Itoa(k.Version))}}},
	}
	doc, err := format.New(format.Markdown, front, "\n"+k.Body+"\n\n")
	if err != nil {
		return nil // no skill has such a description
	}
	content := unixLines(doc.Bytes())
	return fmt.Appendf(content, markForm, k.Ref.ID, sumOf(content))
}

// markForm is the last line of a file that a sync wrote.
const markForm = "<!-- Written by cairn skill sync; a file that is changed is left alone. To change the skill: cairn skill upsert %s. sha256 %s -->\n"

var markLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?:^|\n)(<!-- Written by cairn skill sync; [^\n]* sha256 ([0-9a-f]{16}) -->\n?)$`)
})

// marked reports whether a sync wrote a file, and whether it is as it was written. Git may have changed the ends of its
// lines.
func marked(src []byte) (ours, whole bool) {
	text := string(unixLines(src))
	m := markLine().FindStringSubmatchIndex(text)
	if m == nil {
		return strings.Contains(text, "<!-- Written by cairn skill sync; "), false
	}
	return true, sumOf([]byte(text[:m[2]])) == text[m[4]:m[5]]
}

func unixLines(src []byte) []byte {
	return []byte(strings.ReplaceAll(string(src), "\r\n", "\n"))
}

func sumOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}
