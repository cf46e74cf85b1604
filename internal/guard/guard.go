package guard

import (
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/task"
)

// Guard is one glob of the files on which a check stands.
type Guard struct {
	Glob string `json:"glob"`
	Why  string `json:"why"`            // who says so: the check, the config, the command, or a runner
	New  bool   `json:"new,omitempty"`  // a file that was not there before counts too
	Part string `json:"part,omitempty"` // what counts of the file; "" for all of it

	part *Part
	glob task.Glob
}

// Guards are the files on which a check stands.
type Guards struct {
	All   []Guard
	Links []string // folders that git ignores and that the runners need
}

// Files reads a file of the repository as it was where the work began, by its path from the top. It reports false for
// one that was not there.
type Files func(path string) (content string, ok bool)

const (
	mostText = 64 << 10 // bytes of a script that are read
	mostDeep = 4        // scripts that start one another
)

// Of returns the files on which a command stands: those that the check declares, else those of the config, else by the
// table. below is the folder of the workspace from the top of the repository, "" or with a slash at its end.
func Of(c task.Check, config []string, below string, files Files) Guards {
	f := finder{files: files, below: below, seen: map[string]bool{}}
	switch {
	case len(c.Guards) > 0:
		f.declared(c.Guards, "the check names it")
	case len(config) > 0:
		f.declared(config, "the config names it (guards)")
	default:
		f.command(c.Cmd, path.Clean(below+c.Folder()), "the command names it", true, 0)
	}
	return f.found
}

// finder collects the guards of one check.
type finder struct {
	files Files
	below string
	seen  map[string]bool
	found Guards
}

// add adds a guard. A glob that is there already stays as it is.
func (f *finder) add(g Guard) {
	glob, err := task.ParseGlob(g.Glob)
	if err != nil || f.seen[g.Glob] {
		return
	}
	f.seen[g.Glob] = true
	if g.glob = glob.Folder(); g.part != nil {
		g.Part = g.part.Says
	}
	f.found.All = append(f.found.All, g)
}

// declared adds globs that somebody wrote, from the folder of the workspace.
func (f *finder) declared(globs []string, why string) {
	for _, glob := range globs {
		f.add(Guard{Glob: f.below + strings.TrimPrefix(glob, "./"), Why: why, New: true})
	}
}

// command adds what a text of the shell stands on, which runs in a folder. named says that all files which it names
// count, and not only the scripts that it starts.
func (f *finder) command(text, dir, why string, named bool, depth int) {
	for _, words := range commandsIn(text) {
		for i := range Runners {
			if r := &Runners[i]; r.runs(words) {
				f.runner(r, dir, depth)
			}
		}
		for i, word := range words {
			for _, folder := range pathFolders(word) {
				f.add(Guard{Glob: path.Join(dir, folder) + "/*", Why: "the command has it on its PATH", New: true})
			}
			at, ok := inFolder(dir, word)
			if !ok || !named && !starts(words, i) {
				continue
			}
			content, ok := f.files(at)
			if !ok || f.seen[at] {
				continue
			}
			f.add(Guard{Glob: at, Why: why})
			if depth < mostDeep && isScript(at, content) {
				f.command(content, dir, "started by "+at, false, depth+1)
			}
		}
	}
}

// runner adds the files of a row, and what the scripts of its configuration start.
func (f *finder) runner(r *Runner, dir string, depth int) {
	why := "of " + r.Name
	for _, glob := range r.Tests {
		f.add(Guard{Glob: glob, Why: "a test " + why})
	}
	for _, glob := range r.Config {
		f.add(Guard{Glob: glob, Why: "configuration " + why, New: true})
	}
	for i := range r.Parts {
		f.add(Guard{Glob: r.Parts[i].Glob, Why: "configuration " + why, New: r.Parts[i].Into == nil, part: &r.Parts[i]})
	}
	for _, folder := range r.Links {
		if !slices.Contains(f.found.Links, folder) {
			f.found.Links = append(f.found.Links, folder)
		}
	}
	for _, name := range follows[r.Name] {
		at := path.Join(dir, name)
		content, ok := f.files(at)
		if mark := r.Name + "\x00" + at; ok && !f.seen[mark] && depth < mostDeep {
			f.seen[mark] = true
			f.command(content[:min(len(content), mostText)], dir, "started by "+at, false, depth+1)
		}
	}
}

// commandsIn splits a text of the shell into commands, and those into words. It is no shell: what it takes for a word
// too much guards a file too much.
func commandsIn(text string) (out [][]string) {
	for _, command := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;|&(){}", r) }) {
		if strings.HasPrefix(strings.TrimSpace(command), "#") {
			continue
		}
		words := strings.FieldsFunc(command, func(r rune) bool { return strings.ContainsRune(" \t\r\"'`<>,[]", r) })
		if len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// pathFolders lists the folders of the repository that a word puts on the PATH.
func pathFolders(word string) (out []string) {
	list, ok := strings.CutPrefix(word, "PATH=")
	if !ok {
		return nil
	}
	for _, folder := range strings.Split(list, ":") {
		folder = strings.TrimPrefix(strings.TrimPrefix(folder, "$PWD/"), "./")
		if folder != "" && folder[0] != '/' && folder[0] != '$' {
			out = append(out, folder)
		}
	}
	return out
}

// inFolder is the path that a word may stand for, from the top of the repository. What leaves that is none.
func inFolder(dir, word string) (string, bool) {
	if _, value, ok := strings.Cut(word, "="); ok { // as in --config=x
		word = value
	}
	word = strings.TrimPrefix(strings.TrimPrefix(word, "@"), "$PWD/")
	if word == "" || word[0] == '/' || word[0] == '-' || word[0] == '$' {
		return "", false
	}
	at := path.Join(dir, word)
	return at, at != "." && at != ".." && !strings.HasPrefix(at, "../")
}

// interpreters are the programs that run the file which stands behind them.
var interpreters = []string{"sh", "bash", "dash", "zsh", "ksh", "python", "node", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node", "lua", "pwsh", "source", "."}

// starts reports whether a word of a command is a program in the repository, or the script of an interpreter.
func starts(words []string, i int) bool {
	if strings.HasPrefix(words[i], "./") || strings.HasPrefix(words[i], "@./") {
		return true
	}
	for _, before := range slices.Backward(words[:i]) {
		if slices.ContainsFunc(interpreters, func(name string) bool { return sameProgram(before, name) }) {
			return true
		}
		if !strings.HasPrefix(before, "-") {
			return false
		}
	}
	return strings.HasSuffix(words[i], ".sh")
}

// isScript reports whether a file is text whose commands can be read as those of a shell are.
func isScript(at, content string) bool {
	return len(content) <= mostText && !strings.ContainsRune(content, 0) &&
		(strings.HasPrefix(content, "#!") || slices.Contains([]string{".sh", ".bash", ".zsh", ".ps1", ""}, path.Ext(at)))
}
