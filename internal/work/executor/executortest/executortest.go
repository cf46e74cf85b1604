// Package executortest gives tests a coding agent that needs no model: a program that speaks every dialect of package
// executor and does what its prompt orders. The doc comment of agenttest lists the orders, lines such as
//
//	fake: write greeting.txt hello
//	fake: finish wrote a greeting
//
// which may stand anywhere in a prompt, and so in the description of a task.
package executortest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// Dialects are the dialects that the fake speaks, each also the name of an executor of Config.
var Dialects = []string{"claude", "codex", "opencode", "cursor", "copilot", "amp", "droid", "acp", "command"}

const source = "github.com/cairn-tasks/cairn/internal/work/executor/executortest/agenttest"

// begun is where the test began, in the module. Tests change folders.
var begun, _ = os.Getwd()

var build = sync.OnceValues(func() (string, error) {
	list := exec.Command("go", "list", "-buildvcs=false", "-f", "{{.Dir}}", source) // with -trimpath no program knows where its source lies
	list.Dir = begun
	here, err := list.Output()
	if err != nil {
		return "", fmt.Errorf("the source of the fake agent is not found: %w", err)
	}
	dir := strings.TrimSpace(string(here))
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) == 0 {
		return "", fmt.Errorf("there is no source of the fake agent in %q", dir)
	}
	sum := sha256.New()
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	cache = filepath.Join(cache, "cairn-test")
	name := fmt.Sprintf("agenttest-%x", sum.Sum(nil)[:8])
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	path := filepath.Join(cache, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	fresh := fmt.Sprintf("%s.%d", path, os.Getpid())
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", fresh, source)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the fake agent does not build: %w\n%s", err, out)
	}
	return path, os.Rename(fresh, path)
})

// Fake returns the path of the fake agent. It is built once for each version of its source, in the user's cache.
func Fake(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Config makes a user's folder of settings, whose executors are all the fake: one named after each dialect, and patch,
// which hands over a patch by the dialect command.
func Config(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	Write(t, dir)
	return dir
}

// Write puts the config.yaml of Config into a folder of settings.
func Write(t testing.TB, dir string) {
	t.Helper()
	fake, err := json.Marshal(Fake(t))
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString("executors:\n")
	for _, d := range Dialects {
		fmt.Fprintf(&text, "  %s: {cmd: [%s, %s]}\n", d, fake, d)
	}
	fmt.Fprintf(&text, "  patch: {dialect: command, cmd: [%s, command], output: patch}\n", fake)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "config.yaml"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Report is what the fake was given, by its order report.
type Report struct {
	Dialect string
	Args    []string
	Dir     string
	Env     []string
	Prompt  string
	Stdin   string
	Resume  string
	MCP     *struct {
		Command string            `json:"command"`
		Args    []string          `json:"args"`
		Env     map[string]string `json:"env"`
	}
}

// ReadReport waits for the file of the order report, and reads it.
func ReadReport(t testing.TB, file string) Report {
	t.Helper()
	var r Report
	if err := json.Unmarshal([]byte(await(t, file)), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// PID waits for the file of the order fork, and returns the number of the process that it started.
func PID(t testing.TB, file string) int {
	t.Helper()
	var pid int
	if _, err := fmt.Sscan(await(t, file), &pid); err != nil {
		t.Fatal(err)
	}
	return pid
}

// await waits for a file that appears whole, by a rename.
func await(t testing.TB, file string) string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		text, err := os.ReadFile(file)
		if err == nil {
			return string(text)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Millisecond)
	}
}
