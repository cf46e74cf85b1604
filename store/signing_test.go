package store_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/storetest"
)

// The key may be named by anybody's config, for it is only data. A program is named by the user's own config or not at
// all.
func TestSigningConfig(t *testing.T) {
	dir := storetest.NewRepo(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, ".gitconfig"))
	t.Setenv("USERPROFILE", home)
	t.Setenv("XDG_CONFIG_HOME", home)
	read := func() store.SigningConfig {
		t.Helper()
		c, err := store.ReadSigningConfig(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if _, err := read().SSHKey(); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("nothing is set up: %v", err)
	}
	storetest.Git(t, dir, "config", "gpg.format", "openpgp")
	storetest.Git(t, dir, "config", "user.signingkey", "/keys/id.pub")
	storetest.Git(t, dir, "config", "gpg.ssh.program", "/evil")
	if _, err := read().SSHKey(); record.CodeOf(err) != record.InvalidInput {
		t.Errorf("a key of GPG: %v", err)
	}
	storetest.Git(t, dir, "config", "gpg.format", "ssh")
	if c := read(); c.Key != "/keys/id.pub" || c.Program != "" {
		t.Errorf("the clone's config says %+v", c)
	}
	own := "[include]\n\tpath = more\n"
	for name, text := range map[string]string{".gitconfig": own, "more": "[gpg \"ssh\"]\n\tprogram = /usr/bin/sign\n"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if c := read(); c.Program != "/usr/bin/sign" {
		t.Errorf("the user's config says %+v", c)
	}
}
