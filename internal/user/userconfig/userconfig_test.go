package userconfig_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/user/userconfig"
	"github.com/cairn-tasks/cairn/task"
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
		if task.CodeOf(err) != task.BadFile || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", text, err, want)
		}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, userconfig.Name), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := userconfig.Read(dir); task.CodeOf(err) != task.BadFile {
		t.Errorf("a folder: %v", err)
	}
}

func TestWebhooksGoWhereTheUserAllows(t *testing.T) {
	c, err := userconfig.Read(folder(t, "webhooks: [hooks.example.com, 'other.example:8443', '127.0.0.1:9000', localhost, '[::1]:7000']\n"))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]task.Code{
		"https://hooks.example.com/done?x=1":   "",
		"https://HOOKS.example.com:443/":       "",
		"https://other.example:8443/":          "",
		"http://127.0.0.1:9000/":               "",
		"http://localhost/":                    "",
		"http://[::1]:7000/x":                  "",
		"https://hooks.example.com:444/":       task.Forbidden,
		"https://other.example/":               task.Forbidden,
		"https://a.hooks.example.com/":         task.Forbidden,
		"https://hooks.example.com.evil.test/": task.Forbidden,
		"https://evil.test/hooks.example.com":  task.Forbidden,
		"http://127.0.0.1/":                    task.Forbidden,
		"http://hooks.example.com/":            task.InvalidInput,
		"https://user:pw@hooks.example.com/":   task.InvalidInput,
		"ftp://hooks.example.com/":             task.InvalidInput,
		"file:///etc/passwd":                   task.InvalidInput,
		"hooks.example.com":                    task.InvalidInput,
		"":                                     task.InvalidInput,
		"https://%zz":                          task.InvalidInput,
	} {
		if err := c.AllowsWebhook(address); err == nil && want != "" || err != nil && task.CodeOf(err) != want {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
	if err := (userconfig.Config{}).AllowsWebhook("https://hooks.example.com/"); task.CodeOf(err) != task.Forbidden {
		t.Errorf("without a config: %v", err)
	}
}
