package store_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/layout"
	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestInit(t *testing.T) {
	t.Run("makes a workspace, and does nothing the second time", func(t *testing.T) {
		dir := t.TempDir()
		_, made, err := store.Init(dir, "PROJ")
		storetest.WantCode(t, err, "")
		if want := []string{".cairn/config.yaml", ".cairn/.gitignore"}; !slices.Equal(made, want) {
			t.Errorf("made %v, want %v", made, want)
		}
		before := storetest.Files(t, dir)
		_, made, err = store.Init(dir, "OTHER")
		storetest.WantCode(t, err, "")
		if len(made) > 0 || len(storetest.Changed(before, storetest.Files(t, dir))) > 0 {
			t.Errorf("made %v, and changed %v", made, storetest.Changed(before, storetest.Files(t, dir)))
		}
		storetest.WantClean(t, storetest.Open(t, dir))
	})
	t.Run("finishes one that is half made", func(t *testing.T) {
		dir := t.TempDir()
		config := filepath.Join(dir, layout.Folder, "config.yaml")
		storetest.WriteFile(t, config, "prefix: MINE\n")
		_, made, err := store.Init(dir, "PROJ")
		storetest.WantCode(t, err, "")
		if !slices.Equal(made, []string{".cairn/.gitignore"}) || storetest.ReadFile(t, config) != "prefix: MINE\n" {
			t.Errorf("made %v", made)
		}
		if s := storetest.Open(t, dir); s.Config.Prefix != "MINE" {
			t.Errorf("has prefix %s", s.Config.Prefix)
		}
	})
	t.Run("refuses links, and leaves what they lead to alone", func(t *testing.T) {
		dir, elsewhere := t.TempDir(), t.TempDir()
		storetest.Link(t, elsewhere, filepath.Join(dir, layout.Folder))
		_, _, err := store.Init(dir, "PROJ")
		storetest.WantMessage(t, err, record.InvalidInput, "is a link")
		if files := storetest.Files(t, elsewhere); len(files) > 0 {
			t.Errorf("wrote %v", files)
		}
	})
	t.Run("refuses a prefix that is none", func(t *testing.T) {
		dir := t.TempDir()
		_, _, err := store.Init(dir, "a b")
		storetest.WantCode(t, err, record.InvalidInput)
		if layout.Exists(filepath.Join(dir, layout.Folder)) {
			t.Error("made a folder")
		}
	})
	t.Run("a file in the place of a folder", func(t *testing.T) {
		dir := t.TempDir()
		storetest.WriteFile(t, filepath.Join(dir, layout.Folder), "")
		_, _, err := store.Init(dir, "PROJ")
		storetest.WantCode(t, err, record.IO)
	})
}

func TestInitDerivesThePrefix(t *testing.T) {
	for folder, want := range map[string]string{
		"shop": "SHOP", "my-web.app": "MYWEBAPP", "2fast": "FAST", "größe": "GRE", "日本": "TASK",
		"a-very-long-folder-name": "AVERYLONGF",
	} {
		dir := storetest.Mkdir(t, t.TempDir(), folder)
		_, _, err := store.Init(dir, "")
		storetest.WantCode(t, err, "")
		if got := storetest.Open(t, dir).Config.Prefix; got != want {
			t.Errorf("%s: got %s, want %s", folder, got, want)
		}
	}
}

// Everything that is this machine's alone is ignored by git.
func TestIgnoredByGit(t *testing.T) {
	repo := storetest.NewRepo(t)
	s := storetest.NewAt(t, repo)
	storetest.WriteTask(t, s, "PROJ-1")
	for _, name := range []string{"runs/PROJ-1-x.log", "local/write.lock", "tasks/.PROJ-1.md.ABCDEFGHIJKLMNOPQRSTUVWXYZ.tmp"} {
		storetest.WriteFile(t, filepath.Join(repo, layout.Folder, filepath.FromSlash(name)), "x")
	}
	storetest.Git(t, repo, "add", ".")
	want := ".cairn/.gitignore\n.cairn/config.yaml\n.cairn/tasks/PROJ-1.md\n"
	if got := storetest.GitOutput(t, repo, "ls-files"); got != want {
		t.Errorf("git would commit\n%s", got)
	}
}

// What Init writes reads back, and means what its comments say.
func TestConfigTemplate(t *testing.T) {
	got, err := kind.ParseConfig(fmt.Appendf(nil, store.ConfigTemplate, "PROJ"))
	storetest.WantCode(t, err, "")
	want := kind.DefaultConfig()
	want.Prefix, want.Flow.Prefix = "PROJ", "PROJ"
	want.Flow.Working, want.Flow.Review, want.Flow.Abandoned = "in_progress", "in_review", []record.Status{"canceled"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
