package guard

import (
	"regexp"
	"strings"
	"sync"
)

// Runner is a row of the table of programs that run tests. Globs are from the top of the repository, as those of a
// scope.
type Runner struct {
	Name     string   // as the page calls it
	Commands []string // words that begin a command of it, in their order, with others in between
	Tests    []string // globs of tests; a new one changes nothing that was proved
	Config   []string // globs of what configures the runner, or stands in for what it tests; a new one counts too
	Parts    []Part   // files of which only a part counts
	Links    []string // folders that git ignores and that it needs, such as installed dependencies
	Together bool     // tests run in one process, so that a new one can end or bend the others: it counts too
	Follows  []string // files whose text says what else is run, as commands
	Loads    []string // files of its configuration that name what it loads before the tests
	Misses   string   // what the row does not catch
}

// Part is a part of the files that a glob names.
type Part struct {
	Glob string
	Of   func(content string) string // what counts of the content
	Says string                      // what that is, for people

	// Into puts the part of one content into another, so that the rest of that stands; nil where the file is taken whole.
	Into func(content, from string) string
}

// python are the globs of whatever runs tests in Python.
var (
	pythonTests  = []string{"**/test_*.py", "**/*_test.py", "**/tests.py", "**/tests", "**/test"}
	pythonConfig = []string{
		"**/conftest.py", "**/pytest.ini", "**/.pytest.ini", "**/tox.ini", "**/noxfile.py", "**/.coveragerc", "**/sitecustomize.py", "**/usercustomize.py",
		"**/pytest.py", "**/_pytest", "**/pytest", "**/unittest.py", "**/unittest", "**/*.pth",
		// at the top, where they stand in for Python's own, which runners and tests import:
		"argparse.py", "ast.py", "contextlib.py", "copy.py", "dataclasses.py", "decimal.py", "difflib.py", "enum.py", "inspect.py", "json.py", "logging.py", "pprint.py", "random.py", "re.py", "statistics.py", "traceback.py", "typing.py", "warnings.py",
	}
	pythonParts = []Part{
		{Glob: "**/setup.cfg", Of: sections("tool:pytest", "pytest", "coverage:", "flake8"), Says: "the sections of pytest and coverage"},
		{Glob: "**/pyproject.toml", Of: sections("tool.pytest", "tool.coverage", "tool.tox", "tool.nox", "tool.hatch.envs"), Says: "the sections of pytest, coverage, tox, nox and hatch"},
	}
	scriptTests  = []string{"**/*.test.*", "**/*.spec.*", "**/*-test.*", "**/*_test.*", "**/__tests__", "**/__snapshots__", "**/test", "**/tests", "**/spec", "**/cypress", "**/e2e"}
	scriptConfig = []string{
		"**/__mocks__", "**/.mocharc*", "**/jest.config.*", "**/jest.setup.*", "**/vitest.config.*", "**/vitest.setup.*", "**/vitest.workspace.*", "**/vite.config.*",
		"**/babel.config.*", "**/.babelrc*", "**/karma.conf.*", "**/ava.config.*", "**/playwright.config.*", "**/cypress.config.*", "**/.npmrc", "**/.yarnrc*", "**/.taprc", "**/bunfig.toml", "**/node_modules/.bin",
	}
	scriptParts = []Part{{
		Glob: "**/package.json", Says: "scripts, and what configures runners",
		Of: jsonKeys("scripts", "jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "babel", "imports", "type"),
	}}
)

// Runners is the table.
var Runners = sync.OnceValue(func() []Runner {
	return []Runner{
		{
			Name: "go test", Commands: []string{"go test", "gotestsum", "ginkgo", "richgo test"},
			Tests:  []string{"**/*_test.go", "**/testdata", "**/*testutil*", "**/testhelper*", "**/testing", "**/assert", "**/*test"},
			Config: []string{"**/go.work", "**/vendor"}, Together: true,
			Parts:  []Part{{Glob: "**/go.mod", Of: lines("module", "replace", "exclude", "toolchain"), Says: "module, replace, exclude and toolchain"}},
			Misses: "code under test that knows that it is tested, helpers of tests in a folder whose name does not say so, and what `go generate` runs; an upgrade of what lies in vendor counts as a change of it",
		},
		{
			Name: "pytest", Commands: []string{"pytest", "py.test", "python -m pytest", "python -m unittest", "python -m doctest", "tox", "nox", "nose2", "manage.py test", "hatch test"},
			Tests: pythonTests, Config: pythonConfig, Parts: pythonParts, Links: []string{".venv", "venv", ".tox"},
			Together: true, Follows: []string{"tox.ini", "noxfile.py"},
			Misses: "doctests in the modules themselves, and plugins in an environment that git ignores",
		},
		{
			Name: "npm test", Commands: []string{"npm test", "npm t", "npm run", "npm exec", "yarn", "pnpm", "bun test", "bun run", "node --test", "mocha", "ava", "tap", "deno test", "playwright test", "cypress run", "karma start"},
			Tests: scriptTests, Config: scriptConfig, Parts: scriptParts, Links: []string{"node_modules"},
			Follows: []string{"package.json"},
			Misses:  "what is installed in node_modules, which git ignores",
		},
		{
			Name: "vitest", Commands: []string{"vitest"}, Tests: scriptTests, Config: scriptConfig, Parts: scriptParts, Links: []string{"node_modules"},
			Loads:  []string{"vitest.config.ts", "vitest.config.mts", "vitest.config.js", "vitest.config.mjs", "vite.config.ts", "vite.config.mts", "vite.config.js", "vite.config.mjs"},
			Misses: "tests in source files (`import.meta.vitest`), and what is installed in node_modules",
		},
		{
			Name: "jest", Commands: []string{"jest", "react-scripts test", "ng test"}, Tests: scriptTests, Config: scriptConfig, Parts: scriptParts, Links: []string{"node_modules"},
			Loads:  []string{"package.json", "jest.config.js", "jest.config.ts", "jest.config.mjs", "jest.config.cjs", "jest.config.json"},
			Misses: "what is installed in node_modules, which git ignores",
		},
		{
			Name: "cargo test", Commands: []string{"cargo test", "cargo t", "cargo nextest"},
			Tests:  []string{"**/tests", "**/tests.rs", "**/test.rs", "**/*_test.rs", "**/*_tests.rs", "**/snapshots"},
			Config: []string{"**/.cargo", "**/build.rs", "**/rust-toolchain*", "**/nextest.toml", "**/.config/nextest.toml"},
			Parts: []Part{
				{Glob: "**/Cargo.toml", Of: cargoParts, Says: "the sections of targets, patches and profiles, and dependencies of tests that are not from a registry"},
				{Glob: "**/*.rs", Of: rustTests, Into: putRustTests, Says: "modules behind #[cfg(test)], and tests"},
			},
			Loads:  []string{"Cargo.toml"},
			Misses: "doctests, what tests in the sources call, a macro in the sources that takes the name of one which they use, and tests that do not begin and end in the first column",
		},
		{
			Name: "mvn", Commands: []string{"mvn", "mvnw"},
			Tests: []string{"**/src/test", "**/src/it"}, Config: []string{"**/.mvn", "**/mvnw", "**/mvnw.cmd"},
			Parts:  []Part{{Glob: "**/pom.xml", Of: without("dependencies", "version", "dependencyManagement"), Says: "all but versions and dependencies"}},
			Misses: "plugins of an outer pom, and the local repository",
		},
		{
			Name: "gradle", Commands: []string{"gradle", "gradlew"},
			Tests:  []string{"**/src/test", "**/src/integrationTest", "**/src/androidTest"},
			Config: []string{"**/build.gradle", "**/build.gradle.kts", "**/settings.gradle", "**/settings.gradle.kts", "**/gradle.properties", "**/gradlew", "**/gradle/wrapper", "**/buildSrc"},
			Misses: "init scripts of the user; a dependency in build.gradle counts as a change of it",
		},
		{
			Name: "dotnet test", Commands: []string{"dotnet test", "dotnet vstest"},
			Tests:  []string{"**/*Test.cs", "**/*Tests.cs", "**/*Test.fs", "**/*Tests.fs", "**/*.Test", "**/*.Tests", "**/*.UnitTests", "**/test", "**/tests"},
			Config: []string{"**/*.runsettings", "**/Directory.Build.*", "**/global.json", "**/xunit.runner.json"},
			Misses: "a project of tests whose name does not say so",
		},
		{
			Name: "rspec", Commands: []string{"rspec", "rake", "rails test", "bin/test", "minitest"},
			Tests: []string{"**/spec", "**/test"}, Config: []string{"**/.rspec", "**/Rakefile", "**/spec_helper.rb", "**/rails_helper.rb", "**/test_helper.rb"}, Links: []string{"vendor/bundle"},
			Together: true, Follows: []string{"Rakefile"},
			Misses: "gems in a folder that git ignores",
		},
		{
			Name: "phpunit", Commands: []string{"phpunit", "pest", "composer test", "composer run", "artisan test"},
			Tests: []string{"**/tests", "**/test", "**/*Test.php"}, Config: []string{"**/phpunit.xml*", "**/phpunit.dist.xml", "**/Pest.php"},
			Parts: []Part{{Glob: "**/composer.json", Of: jsonKeys("scripts", "autoload-dev"), Says: "scripts and autoload-dev"}},
			Links: []string{"vendor"}, Together: true, Follows: []string{"composer.json"}, Misses: "what is installed in vendor, where git ignores it",
		},
		{
			Name: "ctest", Commands: []string{"ctest"},
			Tests: []string{"**/test", "**/tests"}, Config: []string{"**/CMakeLists.txt", "**/*.cmake", "**/CMakePresets.json"},
			Misses: "tests that lie in no folder called test; a build folder that git ignores is not there in the other run",
		},
		{
			Name: "make", Commands: []string{"make", "gmake", "just", "task"},
			Config:  []string{"**/Makefile", "**/makefile", "**/GNUmakefile", "**/*.mk", "**/justfile", "**/Taskfile.yml", "**/Taskfile.yaml"},
			Follows: []string{"Makefile", "makefile", "GNUmakefile", "justfile", "Taskfile.yml", "Taskfile.yaml"},
			Misses:  "files that a recipe names and that are neither scripts nor those of another row",
		},
		{
			Name: "bats", Commands: []string{"bats", "shellspec", "shunit2"},
			Tests: []string{"**/*.bats", "**/spec", "**/test", "**/tests"}, Config: []string{"**/.shellspec"},
			Misses: "helpers that lie elsewhere",
		},
	}
})

// runs reports whether a command, as its words, starts one of a row. Words may stand in between, such as flags.
func (r Runner) runs(words []string) bool {
	for _, command := range r.Commands {
		left := strings.Fields(command)
		for _, word := range words {
			if len(left) > 0 && sameProgram(word, left[0]) {
				left = left[1:]
			}
		}
		if len(left) == 0 {
			return true
		}
	}
	return false
}

// sameProgram reports whether a word names a program, wherever that lies and whatever its version.
func sameProgram(word, name string) bool {
	word = strings.TrimLeft(word, "@+") // of a recipe of make
	word = strings.TrimSuffix(word[strings.LastIndexAny(word, `/\`)+1:], ".exe")
	return word == name || name == "python" && strings.HasPrefix(word, name) && strings.Trim(word[len(name):], "0123456789.") == ""
}

// lazily compiles an expression when it is first asked for, since most calls of the program ask none.
func lazily(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
