// Package config holds the verbs of the settings in config.yaml.
package config

import (
	"context"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Verbs are the verbs of the settings.
var Verbs = verb.Group{Name: "tasks", Toolset: verb.Admin}.Of(
	verb.Declare(SettingsGet, verb.Verb{Name: "settings_get", Title: "Read the settings",
		Summary: "List the workspace's settings that a verb can change, and what they are now.",
		When:    "To see the time limits in force and who may attest.",
	}),
	verb.Declare(SettingsSet, verb.Verb{Name: "settings_set", Title: "Change a setting", Kind: verb.Write,
		Profile: verb.Maintainer, Idempotent: true,
		Summary: "Change one setting, on its own line of config.yaml.",
		When:    "States and their meaning are not settings; they are changed in an editor.",
	}),
)

// SettingsGetIn is the input of SettingsGet.
type SettingsGetIn struct{}

// SettingsSetIn is the input of SettingsSet.
type SettingsSetIn struct {
	Key   string `json:"key" doc:"setting to change; settings_get lists them" cli:"arg" from:"settings"`
	Value string `json:"value" doc:"its new value, as in config.yaml" cli:"arg" from:"setting-values"`
	verb.Once
}

// Settings are the settings of the workspace that a verb can change.
type Settings struct {
	Settings []Setting `json:"settings" result:"rows"`
	Path     string    `json:"path"`              // of the config file, from the workspace root
	Changed  string    `json:"changed,omitempty"` // the setting that was changed
	Replayed bool      `json:"replayed,omitempty"`
}

// Short is the setting that was changed.
func (s Settings) Short(verb.Verb) any {
	now, _ := record.Find(s.Settings, func(one Setting) bool { return one.Key == s.Changed })
	return struct {
		Key      string `json:"key,omitempty"`
		Value    string `json:"value"`
		Replayed bool   `json:"replayed,omitempty"`
	}{now.Key, now.Value, s.Replayed}
}

// Setting is one of them, with what it is now.
type Setting struct {
	Key   string `json:"key"`
	Value string `json:"value"`
	Doc   string `json:"doc"`
}

// SettingsGet returns every setting as it is in force, whether the config file names it or not.
func SettingsGet(_ context.Context, _ *verb.Workspace, s *store.Store, _ SettingsGetIn) (Settings, error) {
	return settingsOf(s), nil
}

func settingsOf(s *store.Store) Settings {
	out := Settings{Settings: []Setting{}, Path: s.Rel(s.ConfigFile())}
	for _, one := range kind.Settings() {
		out.Settings = append(out.Settings, Setting{one.Key, one.Value(s.Config), one.Doc})
	}
	return out
}

// SettingsSet changes one setting, on its own line of the config file, and appends an entry to the provenance there.
func SettingsSet(ctx context.Context, w *verb.Workspace, s *store.Store, in SettingsSetIn) (Settings, error) {
	s, err := w.EditConfig(ctx, s, func(doc *format.Doc) (*format.Doc, error) {
		return kind.Set(doc, in.Key, in.Value, w.Stamp(""))
	})
	if err != nil {
		return Settings{}, err
	}
	out := settingsOf(s)
	out.Changed = in.Key
	return out, nil
}

// Replay shows the settings as they are now.
func (Settings) Replay(_ *verb.Workspace, s *store.Store, _ session.Key) (any, error) {
	return settingsOf(s), nil
}
