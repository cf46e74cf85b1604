package guard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/guard"
	"github.com/cairn-tasks/cairn/task"
)

// repo reads files that are given as a map.
func repo(files map[string]string) guard.Files {
	return func(path string) (string, bool) {
		content, ok := files[path]
		return content, ok
	}
}

// What a command stands on, by its text and that of the files which it names.
func TestOf(t *testing.T) {
	for name, row := range map[string]struct {
		command, folder string
		files           map[string]string
		want, not       string // globs
	}{
		"a runner":                             {command: "go test ./...", want: "**/*_test.go **/testdata **/go.mod **/go.work **/.gitignore", not: "**/conftest.py"},
		"a runner by its path":                 {command: "./node_modules/.bin/jest --ci", want: "**/__tests__ **/package.json"},
		"a runner as a module":                 {command: "python3.12 -m pytest -q", want: "**/conftest.py"},
		"no runner":                            {command: "go build ./...", not: "**/*_test.go"},
		"two runners":                          {command: "go test ./... && cargo test", want: "**/*_test.go **/Cargo.toml"},
		"a script":                             {command: "sh test.sh", files: map[string]string{"test.sh": ""}, want: "test.sh"},
		"a script after options":               {command: "bash -eu ci/all", files: map[string]string{"ci/all": ""}, want: "ci/all"},
		"a script through a variable":          {command: `sh "$PWD/test.sh"`, files: map[string]string{"test.sh": ""}, want: "test.sh"},
		"a script in the folder of the check":  {command: "sh test.sh", folder: "web", files: map[string]string{"web/test.sh": ""}, want: "web/test.sh"},
		"a script in a folder that it goes to": {command: "cd web && sh test.sh", files: map[string]string{"web/test.sh": ""}, want: "web/test.sh"},
		"a script that is not there":           {command: "sh test.sh", not: "test.sh"},
		"a file outside of the repository":     {command: "sh ../test.sh /bin/true", files: map[string]string{"test.sh": ""}, not: "test.sh"},
		"a script that a script starts": {
			command: "./run", want: "run inner lib.sh", not: "code.txt",
			files: map[string]string{"run": "#!/bin/sh\nsh inner code.txt\n", "inner": ". \"$(dirname \"$0\")/lib.sh\"\n", "lib.sh": "", "code.txt": ""},
		},
		"a script in the folder of its caller": {command: "sh ci/run.sh", want: "ci/lib.sh", files: map[string]string{"ci/run.sh": `. "$HERE/lib.sh"`, "ci/lib.sh": ""}},
		"what a script expects":                {command: "sh run.sh", want: "cases/expected.txt", not: "out.txt", files: map[string]string{"run.sh": "diff cases/expected.txt out.txt", "cases/expected.txt": "", "out.txt": ""}},
		"what a loop runs":                     {command: `for t in each/*; do "$t" || exit 1; done`, want: "each/*"},
		"what a loop reads":                    {command: `for f in pages/*; do grep -q x "$f"; done`, not: "pages/*"},
		"a folder of tests":                    {command: "find cases -name '*.sh'", want: "cases"},
		"a folder of code":                     {command: "gofmt -l shop", not: "shop"},
		"a package of Go":                      {command: "go test ./shop/... ./till && go vet ./shop", want: "**/*_test.go", not: "shop till shop/..."},
		"a program of Go":                      {command: "go run ./gen", want: "gen"},
		"a recipe of make":                     {command: "make test", want: "**/Makefile ci/all rules.inc", files: map[string]string{"Makefile": "include rules.inc\ntest:\n\t@sh ci/all\n", "ci/all": "", "rules.inc": ""}},
		"a recipe of make in a folder":         {command: "make -C web test", want: "web/all.sh", files: map[string]string{"web/Makefile": "test:\n\tsh all.sh\n", "web/all.sh": ""}},
		"a script of npm":                      {command: "npm test", want: "setup.js **/*.test.*", files: map[string]string{"package.json": `{"scripts": {"test": "node --require ./setup.js --test"}}`, "setup.js": ""}},
		"set-up files of jest":                 {command: "jest", want: "support/first.js", not: "src/index.js", files: map[string]string{"jest.config.js": "module.exports = { setupFiles: ['<rootDir>/support/first.js'], collectCoverageFrom: ['src/index.js'] }"}},
		"crates of tests":                      {command: "cargo test", want: "near", not: "core", files: map[string]string{"Cargo.toml": "[dependencies]\ncore = { path = \"core\" }\n[dev-dependencies]\nnear = { path = \"near\" }\ncore = { path = \"core\" }\n"}},
		"a folder on the PATH":                 {command: "PATH=tools:$PATH go vet", want: "tools/*"},
		"a submodule":                          {command: "sh suite/test.sh", want: "suite", files: map[string]string{".gitmodules": "[submodule \"suite\"]\n\tpath = suite\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, g := range guard.Of(task.Check{Cmd: row.command, Cwd: row.folder}, guard.Config{}, "", repo(row.files)).All {
				got = append(got, g.Glob)
			}
			for _, glob := range strings.Fields(row.want) {
				if !slices.Contains(got, glob) {
					t.Errorf("%s is not among %q", glob, got)
				}
			}
			for _, glob := range strings.Fields(row.not) {
				if slices.Contains(got, glob) {
					t.Errorf("%s is among %q", glob, got)
				}
			}
		})
	}
}

// A file at which a command only looks is the work, and no guard; one that another program reads too is a guard.
func TestLooking(t *testing.T) {
	for command, guarded := range map[string]bool{
		"grep -q pears F":                         false,
		"! grep -q TODO ./F":                      false,
		"LC_ALL=C /bin/grep -qE '(a|b);' F 2>&1":  false,
		"go vet ./... && grep -q pears 'F'":       false,
		`if grep -q pears "F"; then exit 1; fi`:   false,
		"test -s F":                               false,
		"[ -f F ] && [ -x other ]":                false,
		`test "$(cat F)" = 2`:                     false,
		`[ "$(head -n 1 F | wc -c)" -gt 3 ]`:      false,
		"cat F | grep -q pears > /dev/null":       false,
		"cut -f2 F | grep -q pears":               false,
		"jq -e '.a == 1' F":                       false,
		"grep -q pears < F":                       false,
		"cat F | sh":                              true,
		"(cat F; echo) | sh":                      true,
		`sh -c "$(cat F; true)"`:                  true,
		"x=$(cat F); eval $x":                     true,
		"cat F | while read x; do ./run $x; done": true,
		"for x in $(cat F); do ./run $x; done":    true,
		"./run $(grep -v x F)":                    true,
		"grep -v x F | xargs ./run":               true,
		"grep -v x F > all; sh all":               true,
		"grep -qf F out":                          true,
		"jq --from-file F out":                    true,
		"grep -q pears F && ./run F":              true,
		"grep -q 'F' out && sh -c 'cat F | sh'":   true,
		"diff F out":                              true,
		"python F":                                true,
		"grep -q pears ./F && sh F":               true,
	} {
		all := guard.Of(task.Check{Cmd: command}, guard.Config{}, "", repo(map[string]string{"F": "pears", "out": ""})).All
		if got := slices.ContainsFunc(all, func(g guard.Guard) bool { return g.Glob == "F" }); got != guarded {
			t.Errorf("%s: guarded %t", command, got)
		}
	}
}

// What the check says goes before what the config says, and both before the table.
func TestDeclared(t *testing.T) {
	for name, row := range map[string]struct {
		check  task.Check
		config []string
		want   string
	}{
		"the check":  {task.Check{Cmd: "go test", Guards: []string{"./a/**"}}, []string{"b"}, "shop/a/**"},
		"the config": {task.Check{Cmd: "go test"}, []string{"b"}, "shop/b"},
	} {
		got := guard.Of(row.check, guard.Config{Guards: row.config}, "shop/", repo(nil)).All
		if len(got) != 1 || got[0].Glob != row.want || !got[0].New {
			t.Errorf("%s: got %+v, want %s", name, got, row.want)
		}
	}
}

// Which changes count for a command.
func TestMatching(t *testing.T) {
	const there, other = "100644 1", "100644 2"
	for name, row := range map[string]struct {
		command       string
		path          string
		was, now      string
		found, counts bool
	}{
		"a test that changed":                    {"node --test", "web/a.test.js", there, other, true, true},
		"a test that went":                       {"node --test", "web/a.test.js", there, "", true, true},
		"a test that may be run":                 {"node --test", "web/a.test.js", there, "100755 1", true, true},
		"a new test":                             {"node --test", "web/a.test.js", "", there, true, false},
		"a new test in the process of others":    {"go test ./...", "shop/a_test.go", "", there, true, true},
		"new configuration":                      {"pytest", "shop/conftest.py", "", there, true, true},
		"code":                                   {"go test ./...", "shop/a.go", there, other, false, false},
		"a name with a star":                     {"pytest", "tests/a*.py", there, other, true, true},
		"a link in the place of a folder":        {"pytest", "tests", "", "120000 1", true, true},
		"a submodule in which the tests lie":     {"pytest", "tests", "160000 1", "160000 2", true, true},
		"a module named as one that tests need":  {"python3 -m unittest", "json.py", "", there, true, true},
		"such a module in a package of the code": {"python3 -m unittest", "shop/json.py", "", there, false, false},
	} {
		c := guard.Change{Path: row.path, Was: row.was, Now: row.now}
		by, found := guard.Of(task.Check{Cmd: row.command}, guard.Config{}, "", repo(nil)).Matching(c)
		if found != row.found || found && by.Counts(c) != row.counts {
			t.Errorf("%s: found %v by %q, want %v; it counts: %v", name, found, by.Glob, row.found, row.counts)
		}
	}
}

// Of some files a part counts.
func TestParts(t *testing.T) {
	for name, row := range map[string]struct {
		command, path string
		was, now      string
		same          bool
	}{
		"a dependency of Go":            {"go test", "go.mod", "module a\nrequire b v1.0.0\n", "module a\nrequire b v1.1.0\n", true},
		"a replacement of Go":           {"go test", "go.mod", "module a\n", "module a\nreplace b => ./c\n", false},
		"replacements in a block":       {"go test", "go.mod", "module a\nreplace (\n\tb => ./c\n)\n", "module a\nreplace (\n\tb => ./d\n)\n", false},
		"a new module of Go":            {"go test", "web/go.mod", "", "module web\n", false},
		"a dependency of npm":           {"npm test", "package.json", `{"scripts": {"test": "a"}, "dependencies": {"b": "1"}}`, `{"scripts": {"test": "a"}, "dependencies": {"b": "2"}}`, true},
		"a script of npm":               {"npm test", "package.json", `{"scripts": {"test": "a"}}`, `{"scripts": {"test": "b"}}`, false},
		"the key of a runner":           {"npm test", "package.json", `{}`, `{"jest": {"verbose": true}}`, false},
		"what is no JSON":               {"npm test", "package.json", `{}`, `{`, false},
		"a dependency of Python":        {"pytest", "pyproject.toml", "[project]\ndependencies = []\n", "[project]\ndependencies = [\"b\"]\n", true},
		"the section of pytest":         {"pytest", "pyproject.toml", "[project]\n", "[project]\n[tool.pytest.ini_options]\naddopts = \"--co\"\n", false},
		"a new setup.cfg":               {"pytest", "setup.cfg", "", "[tool:pytest]\naddopts = --co\n", false},
		"a new setup.cfg without tests": {"pytest", "setup.cfg", "", "[metadata]\nname = b\n", true},
		"a dependency of Rust":          {"cargo test", "Cargo.toml", "[dev-dependencies]\nb = \"1\"\n", "[dev-dependencies]\nb = \"2\"\n", true},
		"a crate of tests elsewhere":    {"cargo test", "Cargo.toml", "[dev-dependencies]\nb = \"1\"\n", "[dev-dependencies]\nb = { path = \"b\" }\n", false},
		"a target of Rust":              {"cargo test", "Cargo.toml", "[lib]\n", "[lib]\ntest = false\n", false},
		"code of Rust":                  {"cargo test", "src/lib.rs", "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n", "fn c() {\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn b() {}\n}\n\nfn d() {}\n", true},
		"a module of tests of Rust":     {"cargo test", "src/lib.rs", "#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n", "#[cfg(test)]\nmod tests {\n    fn c() {}\n}\n", false},
		"a module of tests in a file":   {"cargo test", "src/lib.rs", "#[cfg(test)]\nmod tests;\n\nfn a() {}\n", "fn a() {}\n", false},
		"a test of Rust alone":          {"cargo test", "src/a.rs", "use b;\n\n#[tokio::test]\n#[ignore]\nasync fn a() {\n    b();\n}\n", "use b;\n\n#[tokio::test]\n#[ignore]\nasync fn a() {\n}\n", false},
		"a crate not made for tests":    {"cargo test", "src/lib.rs", "fn a() {}\n", "#![cfg(not(test))]\nfn a() {}\n", false},
		"a module of no tests":          {"cargo test", "src/lib.rs", "mod a;\nfn b() {}\n", "fn b() {}\n", true},
		"no tests are looked for":       {"cargo test", "Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\nautotests = false\n", false},
		"a member of a workspace":       {"cargo test", "Cargo.toml", "[workspace]\nmembers = [\n  \"a\",\n]\n", "[workspace]\nmembers = []\n", false},
		"a version for a workspace":     {"cargo test", "Cargo.toml", "[workspace.dependencies]\na = \"1\"\n", "[workspace.dependencies]\na = \"2\"\n", true},
		"the default features":          {"cargo test", "Cargo.toml", "[features]\ndefault = [\"a\"]\na = []\n", "[features]\ndefault = []\na = []\n", false},
		"one more feature":              {"cargo test", "Cargo.toml", "[features]\ndefault = [\"a\"]\na = []\n", "[features]\ndefault = [\"a\"]\na = []\nb = []\n", true},
		"tests that a package denies":   {"python3 -m unittest", "app/__init__.py", "", "def load_tests(*_): return []\n", false},
		"the name of a package":         {"python3 -m unittest", "app/__init__.py", "", "version = 1\n", true},
		"a folder ignored by go":        {"go test ./...", "go.mod", "go 1.25\n", "go 1.25\nignore ./calc\n", false},
		"the rules of a linter":         {"ruff check", "pyproject.toml", "", "[tool.ruff]\nselect = []\n", false},
		"what hides a conftest.py":      {"pytest", ".gitignore", "build/\n", "build/\nconf*.py\n", false},
		"what hides something else":     {"pytest", ".gitignore", "build/\n", "dist/\n# conftest.py\n", true},
		"what hides it from another":    {"cargo test", ".gitignore", "", "conftest.py\n", true},
	} {
		c := guard.Change{Path: row.path, Was: "100644 1", Now: "100644 2"}
		by, found := guard.Of(task.Check{Cmd: row.command}, guard.Config{}, "", repo(nil)).Matching(c)
		if !found || by.Whole() || by.Same(row.path, row.was, row.now) != row.same {
			t.Errorf("%s: found %v by %q, want the same: %v", name, found, by.Glob, row.same)
		}
	}
}

// New files count by their names, whatever else is in their paths, and not by those that merely sound alike.
func TestNewFiles(t *testing.T) {
	for path, want := range map[string]bool{
		"conftest.py": true, "!a/conftest.py": true, "a\nb/conftest.py": true, "a**b/{}/conftest.py": true, "CONFTEST.PY": true, strings.Repeat("a/", 100) + "conftest.py": true,
		"functools.py": true, "functools/__init__.py": true, "src/functools.py": true, "web/functools.py": false, "shop.py": false, "src/shop/__init__.py": false,
		"a.dist-info/entry_points.txt": true, "pytest.toml": true,
	} {
		guards := guard.Of(task.Check{Cmd: "PYTHONPATH=src python3 -m pytest"}, guard.Config{}, "", repo(nil))
		by, found := guards.Matching(guard.Change{Path: path, Now: "100644 1"})
		counts := found && by.Counts(guard.Change{Path: path, Now: "100644 1"}) && (by.Whole() || !by.Same(path, "", ""))
		if counts != want {
			t.Errorf("%q counts: %v, by %q", path, counts, by.Glob)
		}
	}
}

// A module with tests that a source of Rust does not name any more, or under a condition, is compiled with the old tests.
func TestModulesOfRust(t *testing.T) {
	files := repo(map[string]string{"src/sums.rs": "#[test]\nfn a() {\n}\n", "src/plain.rs": "fn a() {}\n"})
	const was = "mod sums;\nmod plain;\nfn a() {}\n"
	by, _ := guard.Of(task.Check{Cmd: "cargo test"}, guard.Config{}, "", files).Matching(guard.Change{Path: "src/lib.rs", Was: "1", Now: "2"})
	for now, want := range map[string]string{
		"mod plain;\nfn b() {}\n":                       "mod plain;\nfn b() {}\n\nmod sums;\n\n",
		"#[cfg(any())]\nmod sums;\nmod plain;\n":        "mod plain;\n\nmod sums;\n\n",
		"#![cfg(any())]\nmod sums;\nmod plain;\n":       "mod sums;\nmod plain;\n\n",
		"pub mod sums;\nfn b() {}\n":                    "",
		"#[allow(dead_code)]\nmod sums;\nmod plain2;\n": "",
	} {
		if same := by.Same("src/lib.rs", was, now); same != (want == "") {
			t.Errorf("%q is the same: %v", now, same)
		} else if got := by.Old("src/lib.rs", was, now); !same && got != want {
			t.Errorf("of %q: %q", now, got)
		}
	}
}

// Of a Cargo.toml what counts is put back, and a new dependency stays.
func TestOldCargo(t *testing.T) {
	const (
		was  = "[package]\nname = \"a\"\n\n[dev-dependencies]\nnear = { path = \"near\" }\n\n[[test]]\nname = \"x\"\n\n[[test]]\nname = \"y\"\n"
		now  = "[package]\nname = \"a\"\nautotests = false\n\n[dependencies]\nb = \"1\"\n\n[dev-dependencies]\nnear = { path = \"far\" }\n"
		want = "[package]\nname = \"a\"\n\n[dependencies]\nb = \"1\"\n\n[dev-dependencies]\nnear = { path = \"near\" }\n[[test]]\nname = \"x\"\n[[test]]\nname = \"y\"\n"
	)
	by, _ := guard.Of(task.Check{Cmd: "cargo test"}, guard.Config{}, "", repo(nil)).Matching(guard.Change{Path: "Cargo.toml", Was: "1", Now: "2"})
	if got := by.Old("Cargo.toml", was, now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// The tests of a source of Rust are put back into new code.
func TestOldPart(t *testing.T) {
	const (
		was  = "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn strict() {}\n}\n"
		now  = "fn b() {}\n\n#[cfg(test)]\nmod tests {\n    fn easy() {}\n}\n\nfn c() {}\n"
		want = "fn b() {}\n\n\nfn c() {}\n\n#[cfg(test)]\nmod tests {\n    fn strict() {}\n}\n"
	)
	by, _ := guard.Of(task.Check{Cmd: "cargo test"}, guard.Config{}, "", repo(nil)).Matching(guard.Change{Path: "src/lib.rs", Was: "1", Now: "2"})
	if got := by.Old("src/lib.rs", was, now); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	script, _ := guard.Of(task.Check{Cmd: "make"}, guard.Config{}, "", repo(nil)).Matching(guard.Change{Path: "Makefile", Was: "1", Now: "2"})
	if got := script.Old("Makefile", "was", "now"); got != "was" {
		t.Errorf("of a file that counts as a whole: %q", got)
	}
}
