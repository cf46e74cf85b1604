package main

import (
	"slices"
	"strings"
)

// floors are the rooms from the ground up. A room may import what lies below it and what lies beside it; a folder
// belongs to the room with the longest name that it begins with. Where a room lies below internal/ makes no difference.
var floors = [][]string{
	{"record", "limits"},
	{"task", "ledger", "session"},
	{"check/proof", "store/format", "store/index/terms", "store/problem", "store/progress", "store/layout", "disk", "git", "proc", "sshsign"},
	{"store/kind", "check"},
	{"store", "user"},
	{"store/remote", "skills", "setup"},
	{"verb"},
	{"work", "doctor", "transfer"},
	{"catalogue"},
	{"mcpserver", "web", "cmd", "examples", "docs"},
}

// floor is the number of the floor of a folder, from the ground, and whether it has one.
func floor(folder string) (int, bool) {
	folder = strings.TrimPrefix(folder, "internal/")
	at, longest := 0, -1
	for n, rooms := range floors {
		for _, room := range rooms {
			if (folder == room || strings.HasPrefix(folder, room+"/")) && len(room) > longest {
				at, longest = n, len(room)
			}
		}
	}
	return at, longest >= 0
}

// room is the top folder, or that below internal.
func room(folder string) string {
	parts := strings.SplitN(folder, "/", 3)
	if parts[0] == "internal" && len(parts) > 1 {
		return "internal/" + parts[1]
	}
	return parts[0]
}

// arrows counts the files in which a folder imports one that lies above it. What helps tests is left out.
func arrows(files []file) map[string]int {
	up := map[string]int{}
	for _, f := range files {
		from, ok := floor(f.folder)
		if !ok || f.helpsTests() {
			continue
		}
		for _, to := range f.imports {
			if at, ok := floor(to); ok && at > from {
				up[f.folder+" -> "+to]++
			}
		}
	}
	return up
}

// helpsTests reports whether only tests import the package of a file: its folder is named so.
func (f file) helpsTests() bool { return strings.HasSuffix(f.folder, "test") }

// abilities are words of the names of folders and files, with what cairn can do by that code. The first one that a path
// has counts.
var abilities = []struct{ name, words string }{
	{"jobs and executors", "executor runner job jobs runs supervise"},
	{"work trees, reviews and pairs", "worktree worktrees review pair pairs"},
	{"claims among clones", "remote remotes branches leases settling claim shared"},
	{"sessions", "session sessions"},
	{"decisions, knowledge, handoffs, skills, people", "ledger decisions decision knowledge handoff handoffs skill skills feedback actor actors people directory"},
	{"plans and proposals", "proposal proposals plan"},
	{"cairn check and doctor", "proof report doctor snapshot"},
	{"signed approvals and trust", "sshsign sign trust signers approval attest"},
	{"import and export, archive", "transfer import export archive"},
	{"set-up of clients", "setup prime guide"},
	{"board and graph", "board graph graphs"},
	{"search and filters", "index terms vectors search where filter"},
	{"completion, help, manual", "complete completion man help page"},
	{"MCP", "mcpserver"},
	{"documents and merges", "format merge"},
}

// ability is what cairn can do by the code of a file, or "tasks, and what all share".
func ability(path string) string {
	words := strings.FieldsFunc(strings.TrimSuffix(path, ".go"), func(r rune) bool { return r == '/' || r == '_' })
	for _, a := range abilities {
		for _, w := range strings.Fields(a.words) {
			if slices.Contains(words, w) {
				return a.name
			}
		}
	}
	return "tasks, and what all share"
}
