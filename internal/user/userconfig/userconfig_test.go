package userconfig_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/user/userconfig"
)

func folder(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, userconfig.Name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestUserWithoutAConfig(t *testing.T) {
	for _, dir := range []string{"", t.TempDir(), folder(t, ""), folder(t, "# nothing\n"), folder(t, "executors:\nembedder: null\n")} {
		c, err := userconfig.Read(dir)
		if err != nil || !c.Executors.Off() || !c.Embedder.Off() || len(c.Webhooks) > 0 {
			t.Errorf("%s: %+v (%v)", dir, c, err)
		}
	}
}

func TestSectionsOfTheConfig(t *testing.T) {
	c, err := userconfig.Read(folder(t, "embedder: {url: 'http://127.0.0.1/v1'}\nexecutors:\n  mine: {max: 2}\nwebhooks: [hooks.example.com]\n"))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := c.Executors.Keys()
	if err != nil || len(keys) != 1 || keys[0].Name() != "executors.mine" || keys[0].Key(c.Executors) != "mine" {
		t.Fatalf("%+v (%v)", keys, err)
	}
	var mine struct{ Max int }
	if err := keys[0].Decode(&mine); err != nil || mine.Max != 2 {
		t.Errorf("%+v (%v)", mine, err)
	}
}

func TestWrongConfigsNameTheKey(t *testing.T) {
	for text, want := range map[string]string{
		"executor: {}\n":                    "executor: there is no such key",
		"- a\n":                             "is not a mapping",
		"webhooks: {a: b}\n":                "webhooks: ",
		"webhooks: [https://a.example]\n":   `webhooks: "https://a.example" is not the name of a host`,
		"webhooks: ['*']\n":                 "is not the name of a host",
		"webhooks: ['a b']\n":               "is not the name of a host",
		"webhooks: ['']\n":                  "is not the name of a host",
		"webhooks: ['user@a.example']\n":    "is not the name of a host",
		"executors: [a\n":                   "config.yaml: ",
		"embedder: {}\nembedder: {}\n":      "embedder",
		strings.Repeat("# long\n", 200_000): "is not a file of at most",
	} {
		_, err := userconfig.Read(folder(t, text))
		if record.CodeOf(err) != record.BadFile || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, userconfig.Name), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := userconfig.Read(dir); record.CodeOf(err) != record.BadFile {
		t.Errorf("a folder: %v", err)
	}
}

// What a user lets commands do is read where the config speaks of it, and a config that does not is no matter to them.
func TestSandboxOfTheUser(t *testing.T) {
	b, err := userconfig.ReadSandbox(folder(t, "sandbox: {checks: system, read: [~/go], write: [/var/cache], env: [A], network: on}\n"))
	if err != nil || b.Checks != "system" || b.Network != "on" || !slices.Equal(b.Read, []string{"~/go"}) || !slices.Equal(b.Write, []string{"/var/cache"}) || !slices.Equal(b.Env, []string{"A"}) {
		t.Errorf("%+v (%v)", b, err)
	}
	for _, dir := range []string{"", t.TempDir(), folder(t, "executor: {}\n"), folder(t, "executors: [a\n")} {
		if b, err := userconfig.ReadSandbox(dir); err != nil || b.Checks != "" {
			t.Errorf("%s: %+v (%v)", dir, b, err)
		}
	}
	for _, text := range []string{
		"sandbox: {check: system}", "sandbox: {checks: docker}", "sandbox: {network: example.com}", "sandbox: {read: [go]}", "sandbox: {write: ['~']}", "sandbox: {checks: system}\nno: 1",
	} {
		if _, err := userconfig.ReadSandbox(folder(t, text)); record.CodeOf(err) != record.BadFile {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWebhooksGoWhereTheUserAllows(t *testing.T) {
	c, err := userconfig.Read(folder(t, "webhooks: [hooks.example.com, 'other.example:8443', '127.0.0.1:9000', localhost, '[::1]:7000']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]record.Code{
		"https://hooks.example.com/done?x=1":   "",
		"https://HOOKS.example.com:443/":       "",
		"https://other.example:8443/":          "",
		"http://127.0.0.1:9000/":               "",
		"http://localhost/":                    "",
		"http://[::1]:7000/x":                  "",
		"https://hooks.example.com:444/":       record.Forbidden,
		"https://other.example/":               record.Forbidden,
		"https://a.hooks.example.com/":         record.Forbidden,
		"https://hooks.example.com.evil.test/": record.Forbidden,
		"https://evil.test/hooks.example.com":  record.Forbidden,
		"http://127.0.0.1/":                    record.Forbidden,
		"http://hooks.example.com/":            record.InvalidInput,
		"https://user:pw@hooks.example.com/":   record.InvalidInput,
		"ftp://hooks.example.com/":             record.InvalidInput,
		"file:///etc/passwd":                   record.InvalidInput,
		"hooks.example.com":                    record.InvalidInput,
		"":                                     record.InvalidInput,
		"https://%zz":                          record.InvalidInput,
	} {
		if err := c.AllowsWebhook(address); err == nil && want != "" || err != nil && record.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	if err := (userconfig.Config{}).AllowsWebhook("https://hooks.example.com/"); record.CodeOf(err) != record.Forbidden {
		t.Errorf("without a config: %v", err)
	}
}
