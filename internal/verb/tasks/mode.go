package tasks

import (
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// modeInStatus returns TASK_TYPE_VALUE_IN_STATUS for a mode where a state to move a task to is asked for.
func modeInStatus(flow task.Flow, id record.ID, to record.Status) error {
	m := flow.ModeInStatus(string(to))
	if m == "" {
		return nil
	}
	return verb.WithID(record.Errorf(record.TaskTypeInStatus, "%q is a mode of a task, and not a state", record.Clip(string(to), 40)).
		WithHint("%s sets who does it; the states are %s", record.CallTo("update", "id", id, "mode", string(m)), flow.StatesText()), id)
}

// knownRepo returns INVALID_INPUT for a repository that the workspace does not name. "" is its own.
func knownRepo(s *store.Store, name string) error {
	if err := task.ValidRepo(name); err != nil || name == "" {
		return err
	}
	if _, ok := s.Config.Repo(name); !ok {
		return record.Errorf(record.InvalidInput, "repo: the workspace names no repository %q", record.Clip(name, 100)).
			WithHint("%s lists them, and %s adds one", record.CallTo("repo_list"), record.CallTo("repo_register")).WithNext(record.CallTo("repo_list"))
	}
	return nil
}
