package task

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Mode says who does a task: an agent alone, as a job, or an agent and a person together; "" for either.
type Mode string

// The modes.
const (
	AutoMode Mode = "auto"
	PairMode Mode = "pair"
)

// Modes is every mode.
var Modes = []Mode{AutoMode, PairMode}

// ParseMode accepts a mode, in any case of letters; "" is none. It returns INVALID_INPUT for anything else.
func ParseMode(s string) (Mode, error) {
	m := Mode(strings.ToLower(s))
	return m, m.valid()
}

func (m Mode) valid() error {
	if m == "" {
		return nil
	}
	return record.OneOf("mode", m, Modes)
}

// ModeInStatus is the mode that a caller wrote where a state is asked for, as systems do that keep both in one list; ""
// for anything else, and for a word that is a state of this workspace.
func (f Flow) ModeInStatus(s string) Mode {
	if f.Known(record.Status(s)) == nil {
		return ""
	}
	if m, err := ParseMode(s); err == nil {
		return m
	}
	return ""
}

// maxRepo is the most bytes of the name of a repository in the config.
const maxRepo = 64

// ValidRepo returns INVALID_INPUT for what is no name of a repository: letters, digits and ._- , at most 64, and
// neither "." nor "..". "" is none.
func ValidRepo(name string) error {
	if name == "" || len(name) <= maxRepo && record.IsWord(name, "._-") && strings.Trim(name, ".") != "" {
		return nil
	}
	return record.Errorf(record.InvalidInput, "repo %q is not the name of a repository", record.Clip(name, 100)).WithHint("%s lists those of the workspace", record.CallTo("repo_list"))
}

// InRepo returns the task as one whose files are in a repository of the workspace: its commands run there, so each asks
// for something else than the same command did elsewhere.
func (t Task) InRepo(name string) Task {
	t.Repo, t.Checks = name, slices.Clone(t.Checks)
	for i := range t.Checks {
		if t.Checks[i].Repo = name; t.Checks[i].Manual() {
			t.Checks[i].Repo = ""
		}
	}
	return t
}
