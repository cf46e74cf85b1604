package verb

import (
	"context"

	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
)

// SettingsGetIn is the input of SettingsGet.
type SettingsGetIn struct{}

// SettingsSetIn is the input of SettingsSet.
type SettingsSetIn struct {
	Key   string `json:"key" doc:"setting to change; settings_get lists them" cli:"arg" from:"settings"`
	Value string `json:"value" doc:"its new value, as in config.yaml" cli:"arg"`
	Once
}

// Settings are the settings of the workspace that a verb can change.
type Settings struct {
	Settings []Setting `json:"settings"`
	Path     string    `json:"path"` // of the config file, from the workspace root
	Replayed bool      `json:"replayed,omitempty"`
}

// Setting is one of them, with what it is now.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Doc   string `json:"doc"`
}

// SettingsGet returns every setting as it is in force, whether the config file names it or not.
func (w *Workspace) SettingsGet(context.Context, SettingsGetIn) (Settings, error) {
	s, err := w.open()
	if err != nil {
		return Settings{}, err
	}
	return settingsOf(s), nil
}

func settingsOf(s *store.Store) Settings {
	out := Settings{Settings: []Setting{}, Path: s.ConfigPath()}
	for _, one := range store.Settings {
		out.Settings = append(out.Settings, Setting{one.Key, one.Value(s.Config), one.Doc})
	}
	return out
}

// SettingsSet changes one setting, on its own line of the config file, and appends an entry to the provenance there.
func (w *Workspace) SettingsSet(ctx context.Context, in SettingsSetIn) (Settings, error) {
	s, err := w.open()
	if err != nil {
		return Settings{}, err
	}
	err = w.update(ctx, s, func(tx *store.Tx) error {
		entries, err := s.ConfigEntries()
		if err == nil {
			err = w.among(entries, session.Key{})
		}
		if err != nil {
			return err
		}
		w.remember(tx, "", "")
		return tx.Set(in.Key, in.Value, w.stamp(""))
	})
	if err != nil {
		return Settings{}, err
	}
	return w.SettingsGet(ctx, SettingsGetIn{})
}

func (Settings) again(_ *Workspace, s *store.Store, _ session.Key) (any, error) {
	out := settingsOf(s)
	out.Replayed = true
	return out, nil
}
