// Package trust has the consent of this machine's user that a clone may start programs, and which commands of its files.
//
// A clone is trusted or not. In one that is, git may start what the clone's own config names, and a command of the
// workspace's files may run if the user has consented to that command: by its content, so that what a pull brings is
// asked for anew.
package trust

import (
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/disk"
	"github.com/cairn-tasks/cairn/internal/disk/atomicfile"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sorted"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/problem"
)

// The consent is a file in the user's own state folder. Its name is a hash of the path of the clone's live state and of
// a random id in there. Linked worktrees share both. A new clone at an old path has another id, and a clone that was
// moved or copied has another path. The file counts only if nobody but the user can have written it.
//
// A file of the same name beside it has the commands that may run: their hashes, one a line, only ever appended to. A
// consent that was taken back and given again has another name, and so none of the commands from before.

// Trust is the consent of this machine's user that a clone may start programs.
type Trust struct {
	Workspace string       `json:"workspace"` // the root at which it was given; linked worktrees have others
	Path      string       `json:"path"`      // of the clone's live state
	Actor     record.Actor `json:"actor"`
	At        time.Time    `json:"at"`
	From      string       `json:"trusted_from,omitempty"` // a full ref of a remote, whose commands may run
	Seal      string       `json:"seal,omitempty"`         // the key by which live state of the clone is known to be this user's
}

// Given is what this user has consented to of a clone.
type Given struct {
	Trust
	file string // "" for no consent
}

// Of reads what this user has consented to of a clone. What cannot be read is no consent.
//
// A .git file can point at a trusted clone, so consent holds only if git registered this worktree, or if it was given
// at this root.
func Of(c layout.Layout, stateDir string) Given {
	dir, err := folder(stateDir)
	if err != nil {
		return Given{}
	}
	name, err := nameOf(string(c.Live))
	if err != nil {
		return Given{}
	}
	file := filepath.Join(dir, name)
	t, err := readTrust(file)
	if err != nil || t.Path != string(c.Live) || c.Repo != nil && !c.Repo.Registered() && t.Workspace != c.Root {
		return Given{}
	}
	return Given{t, file}
}

// Trusted reports whether the clone may start programs: those that its git config names, and the commands to which the
// user has consented.
func (g Given) Trusted() bool { return g.file != "" }

// Trusted is Given.Trusted of a clone.
func Trusted(c layout.Layout, stateDir string) bool { return Of(c, stateDir).Trusted() }

// Set records that this user trusts the clone. A trusted clone stays as it is. Any other gets a new id, since an id that
// came with the files may be known to their author. It returns IO if the user has no folder that only this user can
// write.
func Set(c layout.Layout, stateDir string, who record.Actor, at time.Time) error {
	if is := Of(c, stateDir); is.Trusted() {
		if is.Seal == "" {
			is.Seal = rand.Text()
			return is.write()
		}
		return nil
	}
	dir, err := folder(stateDir)
	if err != nil {
		return err
	}
	if err := disk.Do(disk.Mkdir, dir, func() error { return os.MkdirAll(dir, 0o700) }); err != nil {
		return problem.IO(err)
	}
	if err := private(dir); err != nil {
		return err
	}
	if err := c.MakeLive(); err != nil {
		return err
	}
	if err := atomicfile.WriteVolatile(cloneID(string(c.Live)), []byte(rand.Text()+"\n")); err != nil {
		return problem.Live(string(c.Live), err)
	}
	name, err := nameOf(string(c.Live))
	if err != nil {
		return problem.Live(string(c.Live), err)
	}
	given := Given{Trust{c.Root, string(c.Live), who, at.UTC().Truncate(time.Second), "", rand.Text()}, filepath.Join(dir, name)}
	return given.write()
}

func (g Given) write() error {
	src, err := json.Marshal(g.Trust)
	if err != nil {
		return err
	}
	return problem.IO(atomicfile.WriteVolatile(g.file, append(src, '\n')))
}

// SetFrom records a remote-tracking branch whose commands may run in a trusted clone; "" for none.
func (g Given) SetFrom(ref string) error {
	g.From = ref
	return g.write()
}

// folder is the folder of a user's consents. It returns IO for a relative state folder, which would be in the
// repository.
func folder(stateDir string) (string, error) {
	if !filepath.IsAbs(stateDir) {
		return "", record.Errorf(record.IO, "this user has no folder to keep consent in").
			WithHint("set HOME, or XDG_STATE_HOME, to a full path")
	}
	return filepath.Join(stateDir, "trust"), nil
}

func nameOf(live string) (string, error) {
	src, err := layout.ReadFile(cloneID(live))
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(src))
	if id == "" {
		return "", fs.ErrNotExist // a power cut may have emptied it
	}
	return layout.Name(live+"\x00"+id) + trustExt, nil
}

const trustExt = ".json"

func cloneID(live string) string { return filepath.Join(live, "clone-id") }

const (
	commandsExt = ".commands"
	maxCommands = 64 << 20 // bytes of a file of commands; no clone comes near
)

func (g Given) commands() string { return strings.TrimSuffix(g.file, trustExt) + commandsExt }

// Commands returns the hashes of the commands that may run. What cannot be read is no consent.
func (g Given) Commands() map[string]bool {
	known := map[string]bool{}
	if !g.Trusted() || private(g.commands()) != nil {
		return known
	}
	src, err := layout.ReadUpTo(g.commands(), maxCommands)
	if err != nil {
		return known
	}
	for hash := range strings.Lines(string(src)) {
		known[strings.TrimSpace(hash)] = true
	}
	delete(known, "")
	return known
}

// Add records that commands may run in a trusted clone, by their hashes. In any other it does nothing. A power cut may
// take what was added, and a kill the last of it.
func (g Given) Add(hashes ...string) error {
	if !g.Trusted() || len(hashes) == 0 {
		return nil
	}
	if err := private(g.commands()); err != nil && !problem.Missing(err) {
		return err
	}
	var lines strings.Builder
	for known := g.Commands(); len(hashes) > 0; hashes = hashes[1:] {
		if hash := hashes[0]; !known[hash] {
			known[hash] = true
			lines.WriteString(hash + "\n")
		}
	}
	if lines.Len() == 0 {
		return nil
	}
	return problem.IO(disk.Append(g.commands(), []byte("\n"+lines.String()))) // behind a line that a kill has cut, too
}

// readTrust reads a consent. It returns an error if somebody else than the user can have written it.
func readTrust(path string) (Trust, error) {
	if err := private(filepath.Dir(path)); err != nil {
		return Trust{}, err
	}
	if err := private(path); err != nil {
		return Trust{}, err
	}
	src, err := layout.ReadFile(path)
	if err != nil {
		return Trust{}, err
	}
	var t Trust
	return t, json.Unmarshal(src, &t)
}

// private returns an error if others than this user may write to a file or folder. A missing one is fs.ErrNotExist.
func private(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !ownedAlone(info) {
		return record.Errorf(record.IO, "others than this user may write to %s, so nothing there is consent", path).
			WithHint("look at what is in it, then take their right away: chmod go-w %s", path)
	}
	return nil
}

// Consent is a consent of this user, and what has become of the clone.
type Consent struct {
	Trust
	State ConsentState `json:"state"`
	file  string
}

// ConsentState says whether a consent still lets anything run.
type ConsentState string

// The states of a consent. All but the first let nothing run.
const (
	Standing ConsentState = "trusted"  // the clone is there
	Gone     ConsentState = "gone"     // there is no clone any more
	Replaced ConsentState = "replaced" // there is another clone now, or the same one with a newer consent
	Unknown  ConsentState = "unknown"  // its folder cannot be read
)

// Consents lists all consents of this user on this machine, sorted by workspace. It reads the user's state folder, and
// of each clone only its id. Other files in the folder are ignored. It returns IO if others may write to the folder,
// since then nothing in it counts.
func Consents(stateDir string) ([]Consent, error) {
	dir, err := folder(stateDir)
	if err != nil {
		return nil, err
	}
	if err := private(dir); problem.Missing(err) {
		return []Consent{}, nil
	} else if err != nil {
		return nil, problem.IO(err)
	}
	out := []Consent{}
	err = layout.EachName(dir, trustExt, func(name string) {
		file := filepath.Join(dir, name+trustExt)
		if t, err := readTrust(file); err == nil && t.Path != "" {
			t.Seal = "" // no list shows it
			out = append(out, Consent{t, t.state(filepath.Base(file)), file})
		}
	})
	sorted.By(out, func(a, b Consent) int {
		return strings.Compare(a.Workspace+"\x00"+a.file, b.Workspace+"\x00"+b.file)
	})
	return out, err
}

func (t Trust) state(name string) ConsentState {
	now, err := nameOf(t.Path)
	switch {
	case problem.Missing(err):
		return Gone
	case err != nil:
		return Unknown
	case now != name:
		return Replaced
	default:
		return Standing
	}
}

// Revoke revokes the consents for a path: the root of a workspace, even of one that is gone, or a folder below one. It
// returns those that it revoked, which may be none.
func Revoke(stateDir, path string) ([]Consent, error) {
	all, err := Consents(stateDir)
	if err != nil {
		return nil, err
	}
	live, at := "", filepath.Clean(path)
	if resolved, err := filepath.EvalSymlinks(path); err == nil {
		at = resolved
		if found, err := layout.Find(path); err == nil {
			live = string(found.Live)
		}
	}
	revoked := []Consent{}
	for _, c := range all {
		if c.Path != live && c.Workspace != at {
			continue
		}
		for _, file := range []string{c.file, (Given{c.Trust, c.file}).commands()} {
			if err := disk.RemoveFile(file); err != nil {
				return revoked, problem.IO(err)
			}
		}
		revoked = append(revoked, c)
	}
	return revoked, nil
}
