package guard

import (
	"path"
	"regexp"
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

	part         *Part
	only         func(path string) bool // of the files that the glob means; nil for all
	glob, folded task.Glob              // folded is in small letters, for file systems that know no others
	files        Files                  // as they were
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

// Config is what the config of a workspace says about all checks.
type Config struct {
	Guards []string // globs of the files on which they stand
	SetUp  string   // the command that sets up a work tree, in which a check runs with its files as they were
}

// Of returns the files on which a command stands: those that the check declares, else those of the config, else by the
// table. below is the folder of the workspace from the top of the repository, "" or with a slash at its end.
func Of(c task.Check, config Config, below string, files Files) Guards {
	f := finder{files: files, below: below, seen: map[string]bool{}}
	modules, _ := files(".gitmodules")
	for _, found := range modulePath.re().FindAllStringSubmatch(modules, -1) {
		f.modules = append(f.modules, found[1])
	}
	switch {
	case len(c.Guards) > 0:
		f.declared(c.Guards, "the check names it")
	case len(config.Guards) > 0:
		f.declared(config.Guards, "the config names it (guards)")
	default:
		f.command(config.SetUp, []string{path.Clean(below + ".")}, "the set-up of work trees names it", 1)
		f.command(c.Cmd, []string{path.Clean(below + c.Folder())}, "the command names it", 0)
	}
	return f.found
}

// modulePath finds the folders of submodules in .gitmodules.
var modulePath = &pattern{text: `(?m)^\s*path\s*=\s*(\S+)`}

// finder collects the guards of one check.
type finder struct {
	files   Files
	below   string
	modules []string // folders of submodules
	seen    map[string]bool
	found   Guards
}

// add adds a guard. A glob that is there already stays as it is.
func (f *finder) add(g Guard) {
	glob, err := task.ParseGlob(g.Glob)
	if err != nil || f.seen[g.Glob] {
		return
	}
	f.seen[g.Glob] = true
	folded, _ := task.ParseGlob(strings.ToLower(g.Glob))
	g.glob, g.folded, g.files = glob.Folder(), folded.Folder(), f.files
	if g.part != nil {
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

// command adds what a text of the shell stands on, which runs in one of some folders. At depth 0 it is that of the check:
// all files count that it names, but for those it only looks at. Of a script those count that it starts or reads as tests.
func (f *finder) command(text string, dirs []string, why string, depth int) {
	for _, glob := range loops(text) {
		f.inEach(dirs, glob, func(at string) { f.add(Guard{Glob: at, Why: why}) })
	}
	var looked []string
	if depth == 0 {
		looked = lookedAt(text)
	}
	handed := handedOn(text)
	for _, words := range commandsIn(text) {
		for i, word := range words {
			if i > 0 && goesTo(words[i-1]) {
				dirs = f.into(dirs, word)
			}
		}
		ofRow := false
		for i := range Runners() {
			if r := &Runners()[i]; r.runs(words) {
				ofRow = true
				f.runner(r, dirs, depth)
				f.shadows(r, words, dirs)
			}
		}
		for i, word := range words {
			for _, folder := range pathFolders(word) {
				f.inEach(dirs, folder, func(at string) { f.add(Guard{Glob: at + "/*", Why: "it is on the PATH of the command", New: true}) })
			}
			begun, tests := starts(words, i) || slices.Contains(handed, word), ofTests.re().MatchString(word) && (!ofRow || strings.Contains(word, "/"))
			if !tests && slices.Contains(looked, word) {
				continue
			}
			f.inEach(dirs, word, func(at string) {
				_, isFile := f.files(at)
				f.word(at, dirs, why, depth, begun || isFile && isHere(word), tests)
			})
		}
	}
}

// shadows adds the modules that would stand in for those which a runner takes from elsewhere: in the folders in which it
// runs, and those where it is told to look first.
func (f *finder) shadows(r *Runner, words, dirs []string) {
	if len(r.Shadows) == 0 {
		return
	}
	for _, word := range words {
		if list, ok := strings.CutPrefix(word, "PYTHONPATH="); ok {
			for folder := range strings.SplitSeq(list, ":") {
				dirs = f.into(dirs, folder)
			}
		}
	}
	for _, dir := range dirs {
		for _, glob := range []string{"*.py", "*/__init__.py"} {
			f.add(Guard{Glob: path.Join(dir, glob), Why: "it stands in for a module that " + r.Name + " imports", New: true, only: func(at string) bool {
				name, _, _ := strings.Cut(strings.TrimPrefix(at, path.Clean(dir)+"/"), "/")
				return slices.Contains(r.Shadows, strings.TrimSuffix(name, ".py"))
			}})
		}
	}
}

// inEach calls fn with what a word may name in each of some folders.
func (f *finder) inEach(dirs []string, word string, fn func(at string)) {
	for _, dir := range dirs {
		if at, ok := inFolder(dir, word); ok {
			fn(at)
		}
	}
}

// into adds the folder to which a command goes.
func (f *finder) into(dirs []string, word string) []string {
	out := slices.Clone(dirs)
	f.inEach(dirs, word, func(at string) {
		if !slices.Contains(out, at) {
			out = append(out, at)
		}
	})
	return out
}

// word adds what a word of a command names: what it begins to run, or has tests, or at depth 0 any file.
func (f *finder) word(at string, dirs []string, why string, depth int, begun, tests bool) {
	for _, module := range f.modules {
		if at == module || strings.HasPrefix(at, module+"/") {
			f.add(Guard{Glob: module, Why: why})
			return
		}
	}
	content, ok := f.files(at)
	switch {
	case f.seen[at]:
	case !ok && (begun || tests) && (path.Ext(at) == "" || strings.Contains(at, "*")):
		f.add(Guard{Glob: at, Why: why}) // a folder, if it is there at all
	case !ok || depth > 0 && !begun && !tests:
	default:
		f.add(Guard{Glob: at, Why: why})
		if depth < mostDeep && isScript(at, content) {
			f.command(content, f.into(dirs, path.Dir(at)), "started by "+at, depth+1)
		}
	}
}

// ofTests finds an element of a path that says that it has tests, or what they expect.
var ofTests = &pattern{text: `(?i)^[\w./@*$-]*?(?:^|[/._-])(?:tests?|testing|cases?|specs?|expect(?:ed)?|want(?:ed)?|reference|baselines?|approved|checks|goldens?|fixtures?|testdata|snapshots?|e2e|suites?)(?:[/._-][\w./@*-]*)?$`}

// runner adds the files of a row, and what the scripts of its configuration start.
func (f *finder) runner(r *Runner, dirs []string, depth int) {
	why := "of " + r.Name
	for _, glob := range r.Tests {
		f.add(Guard{Glob: glob, Why: "a test " + why, New: r.Together})
	}
	for _, glob := range r.Config {
		f.add(Guard{Glob: glob, Why: "configuration " + why, New: true})
	}
	for i := range r.Parts {
		f.add(Guard{Glob: r.Parts[i].Glob, Why: "configuration " + why, New: !r.Parts[i].Known, part: &r.Parts[i]})
	}
	for _, folder := range r.Links {
		if !slices.Contains(f.found.Links, folder) {
			f.found.Links = append(f.found.Links, folder)
		}
	}
	f.add(Guard{Glob: "**/.gitignore", Why: why, New: true, part: hiding(r.Config)})
	for _, name := range r.Follows {
		f.inEach(dirs, name, func(at string) {
			content, ok := f.files(at)
			if mark := r.Name + "\x00" + at; ok && !f.seen[mark] && depth < mostDeep {
				f.seen[mark] = true
				f.command(content[:min(len(content), mostText)], dirs, "started by "+at, depth+1)
			}
		})
	}
	for _, name := range r.Loads {
		f.inEach(dirs, name, func(at string) {
			content, _ := f.files(at)
			for _, word := range loaded(content) {
				f.inEach([]string{path.Dir(at)}, word, func(file string) {
					f.add(Guard{Glob: file, Why: "loaded by " + at})
					if path.Ext(file) == "" {
						f.add(Guard{Glob: file + ".*", Why: "loaded by " + at})
					}
				})
			}
		})
	}
}

// shorter writes what scripts say of their own folder, and a value in quotes, in a form that splits into words.
var shorter = strings.NewReplacer(
	`$(dirname "$0")`, ".", `$(dirname $0)`, ".", `$(dirname -- "$0")`, ".", `${0%/*}`, ".", `$(dirname "${BASH_SOURCE[0]}")`, ".",
	`$(pwd)`, "$PWD", `${PWD}`, "$PWD", `="`, "=", `='`, "=", ":-", " ",
)

// commandsIn splits a text of the shell into commands, and those into words. It is no shell: what it takes for a word
// too much guards a file too much.
func commandsIn(text string) (out [][]string) {
	for _, command := range strings.FieldsFunc(shorter.Replace(text), func(r rune) bool { return strings.ContainsRune("\n;|&(){}", r) }) {
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

// goesTo reports whether the word behind another is a folder in which something runs.
func goesTo(word string) bool {
	return slices.Contains([]string{"cd", "pushd", "-C", "--directory", "--prefix", "--dir", "--cwd"}, word)
}

var (
	loopOver = &pattern{text: `\bfor\s+(\w+)\s+in\s+([^;\n]+)`}
	loopRuns = `(?m)(?:^|;|&&|\|\||\b(?:do|then|exec|time|sh|bash|dash|zsh|python[0-9.]*|node))[ \t]+(?:-\w+[ \t]+)*"?\$\{?`
)

// loops lists what the loops of a text go over, each of which they run.
func loops(text string) (globs []string) {
	for _, found := range loopOver.re().FindAllStringSubmatch(text, -1) {
		if regexp.MustCompile(loopRuns + found[1] + `\b`).MatchString(text) {
			globs = append(globs, slices.DeleteFunc(strings.Fields(shorter.Replace(found[2])), func(w string) bool { return !strings.Contains(w, "/") })...)
		}
	}
	return globs
}

// handsOn finds what gives the files that a line names to another program.
var handsOn = &pattern{text: `(?m)^.*(?:\bxargs\b|\s-exec(?:dir)?\s|\bparallel\b).*$`}

// handedOn lists the words of the lines of a text that give files to another program, which may run them.
func handedOn(text string) (words []string) {
	for _, line := range handsOn.re().FindAllString(text, -1) {
		words = append(words, slices.Concat(commandsIn(line)...)...)
	}
	return words
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
	if word = strings.TrimPrefix(word, "@"); strings.HasPrefix(word, "$") { // a folder that is not known, often the script's own
		_, word, _ = strings.Cut(word, "/")
	}
	if word == "" || word[0] == '/' || word[0] == '-' || strings.Contains(word, "$") {
		return "", false
	}
	at := path.Join(dir, word)
	return at, at != "." && at != ".." && !strings.HasPrefix(at, "../")
}

// interpreters are the programs that run the file which stands behind them.
var interpreters = []string{"sh", "bash", "dash", "zsh", "ksh", "python", "node", "ruby", "perl", "php", "deno", "bun", "tsx", "ts-node", "lua", "pwsh", "awk", "gawk", "mawk", "sed", "jq", "expect", "run-parts", "source", ".", "include", "-include", "sinclude"}

// starts reports whether a word of a command is a program in the repository, or the script of an interpreter.
func starts(words []string, i int) bool {
	if i == 0 && isHere(words[0]) {
		return true
	}
	if i > 1 && words[i-1] == "run" && sameProgram(words[i-2], "go") {
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

// isHere reports whether a word names what lies here, as a program does that is not on the PATH. Behind another word it may
// be a folder of code as well: go test ./shop.
func isHere(word string) bool { return strings.HasPrefix(strings.TrimPrefix(word, "@"), "./") }

// isScript reports whether a file is text whose commands can be read as those of a shell are.
func isScript(at, content string) bool {
	return len(content) <= mostText && !strings.ContainsRune(content, 0) &&
		(strings.HasPrefix(content, "#!") || slices.Contains([]string{".sh", ".bash", ".zsh", ".ps1", ""}, path.Ext(at)))
}
