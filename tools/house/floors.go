package main

import "strings"

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
		if !ok || strings.HasSuffix(f.folder, "test") {
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
