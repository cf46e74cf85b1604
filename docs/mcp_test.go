package docs_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd"
)

const mcpAddress = "http://127.0.0.1:7317/mcp"

// What is to be pasted into a client's configuration is of that file's format, and starts a server or names its
// address.
func TestClientConfigurations(t *testing.T) {
	readers := map[string]func(*testing.T, string) []map[string]any{"json": jsonServers, "toml": tomlServers, "sh": shellServers}
	seen := map[string]int{}
	for _, snippet := range regexp.MustCompile("(?s)\n```(\\w+)\n(.*?)```\n").FindAllStringSubmatch(read(t, "mcp.md"), -1) {
		format, text := snippet[1], snippet[2]
		if readers[format] == nil {
			t.Fatalf("nobody checks a snippet of %s:\n%s", format, text)
		}
		for _, entry := range readers[format](t, text) {
			seen[format]++
			if entry["command"] == nil {
				if entry["url"] != mcpAddress {
					t.Errorf("it names neither a command nor the address:\n%s", text)
				}
				continue
			}
			starts(t, entry)
		}
	}
	if seen["json"] < 5 || seen["toml"] < 2 || seen["sh"] < 2 {
		t.Errorf("only these entries were found: %v", seen)
	}
}

// starts runs the command of an entry, as a client would, in a project, and ends its input at once.
func starts(t *testing.T, entry map[string]any) {
	t.Helper()
	if entry["command"] != "cairn" {
		t.Errorf("it starts %v", entry["command"])
	}
	dir := t.TempDir()
	var args []string
	for _, arg := range entry["args"].([]any) {
		args = append(args, strings.ReplaceAll(arg.(string), "${workspaceFolder}", dir))
	}
	var out, errs bytes.Buffer
	exit := cmd.Main(t.Context(), cmd.Env{
		Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		Getenv: func(string) string { return "" }, Dir: dir, Now: time.Now, Rand: rand.Reader,
	})
	if exit != 0 || out.Len() > 0 {
		t.Errorf("cairn %s exits with %d: %s%s", strings.Join(args, " "), exit, &out, &errs)
	}
}

// jsonServers reads the entries of a file with an object of servers.
func jsonServers(t *testing.T, text string) []map[string]any {
	t.Helper()
	var file map[string]map[string]map[string]any
	if err := json.Unmarshal([]byte(text), &file); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	for key := range file {
		if key != "mcpServers" && key != "servers" {
			t.Errorf("no client reads %s", key)
		}
	}
	var out []map[string]any
	for _, servers := range file {
		out = slices.AppendSeq(out, maps.Values(servers))
	}
	return out
}

// tomlServers reads the entries of a file with a table for each server, whose values are such as JSON has too.
func tomlServers(t *testing.T, text string) (out []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[mcp_servers.") && strings.HasSuffix(line, "]") {
			out = append(out, map[string]any{})
			continue
		}
		key, value, found := strings.Cut(line, " = ")
		var v any
		if err := json.Unmarshal([]byte(value), &v); err != nil || !found || len(out) == 0 {
			t.Fatalf("the line %q is not understood (%v)", line, err)
		}
		out[len(out)-1][key] = v
	}
	return out
}

// shellServers reads the commands that have a client add a server, and none of those that start one for good.
func shellServers(t *testing.T, text string) (out []map[string]any) {
	t.Helper()
	for line := range strings.Lines(text) {
		add, start, adds := strings.Cut(strings.TrimSpace(line), " -- ")
		if !adds {
			continue
		}
		if !strings.Contains(add, " mcp add ") {
			t.Errorf("%s adds no server", add)
		}
		words := strings.Fields(start)
		args := make([]any, 0, len(words))
		for _, word := range words[1:] {
			args = append(args, word)
		}
		out = append(out, map[string]any{"command": words[0], "args": args})
	}
	return out
}
