package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

//go:embed voices.txt
var voices string

// session is the id of every session of the fake.
const session = "0199fa4e-fade-7000-8000-000000000001"

type object = map[string]any

// write writes what the program writes on an occasion, with values in place of their names. It reports whether that is
// anything.
func (a *agent) write(occasion string, values object) (told bool) {
	for line := range strings.Lines(voices) {
		dialects, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		when, text, _ := strings.Cut(rest, " ")
		if when != occasion || !slices.Contains(strings.Split(dialects, ","), a.Dialect) {
			continue
		}
		_, err := fmt.Println(os.Expand(text, func(name string) string {
			if plain, ok := values[name].(string); ok && a.Dialect == "command" {
				return plain
			}
			value, known := values[name]
			if !known {
				value = a.known(name)
			}
			src, err := json.Marshal(value)
			must(err)
			return string(src)
		}))
		must(err)
		told = true
	}
	return told
}

// known is a value that is the same in all that it writes.
func (a *agent) known(name string) any {
	switch {
	case name == "session" && a.Resume != "":
		return a.Resume
	case name == "session":
		return session
	case name == "prompt":
		return a.Prompt
	case name == "dir":
		return a.Dir
	case name == "denied":
		return a.denied
	case name == "servers" && a.Server != nil:
		return []object{{"name": "cairn", "status": "connected"}}
	case name == "servers":
		return []object{}
	}
	must(errors.New("nothing is known of " + name))
	return nil
}

// text writes a message.
func (a *agent) text(text string) { a.write("text", object{"text": text}) }

// tool tells of a tool around what it does.
func (a *agent) tool(name, argument string, do func() error) {
	a.calls++
	of := object{"id": fmt.Sprintf("call-%d", a.calls), "name": name, "argument": argument, "tool": name + "ToolCall"}
	of["call"] = strings.TrimSpace(name + " " + argument)
	a.write("start", of)
	of["failed"], of["fine"], of["outcome"], of["error"] = false, true, "done", nil
	of["status"], of["state"], of["code"] = "completed", "completed", 0
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "agenttest:", err)
		of["failed"], of["fine"], of["outcome"], of["error"] = true, false, err.Error(), err.Error()
		of["status"], of["state"], of["code"] = "failed", "error", 1
	}
	a.write("finish", of)
}

// end says how it ended.
func (a *agent) end(failed bool, final string) {
	of := object{"text": final, "failed": failed, "to": a.prompt}
	if !failed || !a.write("fail", of) {
		a.write("end", of)
	}
	switch {
	case a.Dialect == "command" && failed:
		os.Exit(1)
	case a.Dialect == "claude": // what comes then is another turn
		for _, more := a.message(); more; _, more = a.message() {
			a.write("end", object{"text": "and more", "failed": false})
		}
	case a.Dialect == "acp": // it waits until the client closes the connection, as agents do; stay goes on from here too
		for err := error(nil); err == nil; {
			_, err = a.in.ReadBytes('\n')
		}
	}
}

// ask asks for a permission.
func (a *agent) ask() {
	switch a.Dialect {
	case "acp":
		a.askClient()
	case "claude", "amp": // they tell of it at the end
		of := object{"tool_name": "Bash", "tool_use_id": "ask", "tool_input": object{"command": "rm -rf /"}}
		a.denied = []object{of}
	default:
		a.write("ask", nil)
	}
}

// begin reads what is still to be read, and says hello.
func (a *agent) begin() error {
	switch a.Dialect {
	case "acp":
		a.in = bufio.NewReader(os.Stdin)
		return a.converse()
	case "codex":
		fmt.Fprintln(os.Stderr, "Reading prompt from stdin...")
	}
	if !a.write("begin", nil) && a.Dialect != "command" {
		return errors.New("no such dialect: " + a.Dialect)
	}
	return nil
}
