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
	Shadows  []string // modules that runners import, in the place of which one of the repository may come
	Misses   string   // what the row does not catch
}

// Part is a part of the files that a glob names.
type Part struct {
	Glob string
	Of   func(content string) string // what counts of the content
	Says string                      // what that is, for people

	Known bool // only files count that were there

	// Kept reports whether a content still has what the earlier one had beside what Of says; nil for nothing.
	Kept func(files Files, path, was, now string) bool

	// Into puts the part of one content into another, so that the rest of that stands; nil where the file is taken whole.
	Into func(files Files, path, content, from string) string
}

// python are the globs of whatever runs tests in Python.
var (
	pythonTests  = []string{"**/test_*.py", "**/*_test.py", "**/tests.py", "**/tests", "**/test"}
	pythonConfig = []string{
		"**/conftest.py", "**/pytest.ini", "**/.pytest.ini", "**/tox.ini", "**/noxfile.py", "**/.coveragerc", "**/sitecustomize.py", "**/usercustomize.py",
		"**/pytest.toml", "**/.pytest.toml", "**/pytest.py", "**/_pytest", "**/pytest", "**/unittest.py", "**/unittest", "**/*.pth", "**/*.dist-info", "**/*.egg-info",
	}
	// pythonShadows are the modules of Python that unittest, pytest and most tests import, without names that many a project has.
	pythonShadows = strings.Fields(`abc argparse ast asyncio base64 bdb bisect bz2 cmd codecs collections concurrent contextlib contextvars copy copyreg csv
		dataclasses datetime decimal difflib dis enum fnmatch fractions functools genericpath gettext glob hashlib heapq importlib inspect io itertools json
		keyword linecache locale logging lzma math ntpath numbers opcode operator os pathlib pdb pkgutil posixpath pprint random re reprlib runpy selectors
		shlex shutil signal ssl stat statistics struct subprocess sysconfig tempfile textwrap threading time token tokenize traceback types typing
		unittest uuid warnings weakref zipfile zipimport`)
	pythonParts = []Part{
		{Glob: "**/setup.cfg", Of: sections("tool:pytest", "pytest", "coverage:", "flake8"), Says: "the sections of pytest and coverage"},
		{Glob: "**/pyproject.toml", Of: sections("tool.pytest", "tool.coverage", "tool.tox", "tool.nox", "tool.hatch.envs"), Says: "the sections of pytest, coverage, tox, nox and hatch"},
		{Glob: "**/__init__.py", Of: linesWith("load_tests", "pytest_plugins"), Says: "which tests it says that there are"},
	}
	scriptTests  = []string{"**/*.test.*", "**/*.spec.*", "**/*-test.*", "**/*-spec.*", "**/*_test.*", "**/test-*.*", "**/test.*", "**/*.cy.*", "**/*.e2e.*", "**/__tests__", "**/__snapshots__", "**/test", "**/tests", "**/spec", "**/cypress", "**/e2e"}
	scriptConfig = []string{
		"**/__mocks__", "**/.mocharc*", "**/jest.config.*", "**/jest.setup.*", "**/vitest.config.*", "**/vitest.setup.*", "**/vitest.workspace.*", "**/vite.config.*",
		"**/babel.config.*", "**/.babelrc*", "**/karma.conf.*", "**/ava.config.*", "**/playwright.config.*", "**/cypress.config.*", "**/.npmrc", "**/.yarnrc*", "**/.taprc", "**/bunfig.toml", "**/node_modules",
		"**/.pnp.*", "**/.yarn", "**/.swcrc", "**/tsconfig*.json", "**/nx.json", "**/turbo.json", "**/lerna.json",
	}
	scriptParts = []Part{{
		Glob: "**/package.json", Says: "scripts, and what configures runners",
		Of: jsonKeys("scripts", "jest", "vitest", "mocha", "ava", "tap", "nyc", "c8", "babel", "imports", "type", "workspaces", "jasmine", "nx"),
	}}
)

// Runners is the table.
var Runners = sync.OnceValue(func() []Runner {
	return []Runner{
		{
			Name: "go test", Commands: []string{"go test", "gotestsum", "ginkgo", "richgo test"},
			Tests:  []string{"**/*_test.go", "**/testdata", "**/*testutil*", "**/testhelper*", "**/testing", "**/assert", "**/*test"},
			Config: []string{"**/go.work", "**/vendor"}, Together: true,
			Parts:  []Part{{Glob: "**/go.mod", Of: lines("module", "replace", "exclude", "toolchain", "ignore", "godebug"), Says: "module, replace, exclude, toolchain, ignore and godebug"}},
			Misses: "code under test that knows that it is tested, helpers of tests in a folder whose name does not say so, and what `go generate` runs; an upgrade of what lies in vendor counts as a change of it",
		},
		{
			Name: "pytest", Commands: []string{"pytest", "py.test", "python -m pytest", "python -m unittest", "python -m doctest", "tox", "nox", "nose2", "manage.py test", "hatch test"},
			Tests: pythonTests, Config: pythonConfig, Parts: pythonParts, Links: []string{".venv", "venv", ".tox"},
			Together: true, Follows: []string{"tox.ini", "noxfile.py"}, Shadows: pythonShadows,
			Misses: "doctests in the modules themselves, and plugins in an environment that git ignores",
		},
		{
			Name: "npm test", Commands: []string{"npm test", "npm t", "npm run", "npm exec", "yarn", "pnpm", "bun test", "bun run", "node --test", "mocha", "ava", "tap", "deno test", "playwright test", "cypress run", "karma start", "tsx --test", "jasmine", "nx test", "nx run", "turbo test", "turbo run", "lerna run"},
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
				{Glob: "**/Cargo.toml", Of: cargoParts, Into: putCargoParts, Says: "targets, members, patches, profiles, default features, and dependencies of tests that are not from a registry"},
				{Glob: "**/*.rs", Of: rustTests, Kept: keepsRust, Into: putRust, Known: true, Says: "modules behind #[cfg(test)], tests, and that what has tests is compiled"},
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
			Name: "linters", Commands: []string{"golangci-lint", "eslint", "tsc", "biome", "prettier --check", "mypy", "pyright", "ruff", "flake8", "pylint", "black --check", "cargo clippy", "shellcheck"},
			Config: []string{
				"**/.golangci.*", "**/eslint.config.*", "**/.eslintrc*", "**/.eslintignore", "**/tsconfig*.json", "**/biome.json*", "**/.prettierrc*", "**/.prettierignore", "**/prettier.config.*",
				"**/mypy.ini", "**/.mypy.ini", "**/pyrightconfig.json", "**/ruff.toml", "**/.ruff.toml", "**/.flake8", "**/.pylintrc", "**/pylintrc", "**/clippy.toml", "**/.clippy.toml", "**/.shellcheckrc",
			},
			Parts: []Part{
				{Glob: "**/pyproject.toml", Of: sections("tool.mypy", "tool.pyright", "tool.ruff", "tool.pylint", "tool.black", "tool.isort"), Says: "the sections of linters"},
				{Glob: "**/setup.cfg", Of: sections("mypy", "flake8", "pylint", "isort"), Says: "the sections of linters"},
				{Glob: "**/package.json", Of: jsonKeys("scripts", "eslintConfig", "eslintIgnore", "prettier"), Says: "scripts, and what configures linters"},
			},
			Links:  []string{"node_modules", ".venv", "venv"},
			Misses: "what the code itself tells a linter to leave out",
		},
		{
			Name: "docker", Commands: []string{"docker build", "docker buildx", "docker compose", "docker-compose", "podman build", "podman compose"},
			Config: []string{"**/Dockerfile*", "**/*.dockerfile", "**/Containerfile*", "**/.dockerignore", "**/compose*.y*ml", "**/docker-compose*.y*ml"},
			Misses: "what runs in the container: let the check say guards",
		},
		{
			Name: "bazel test", Commands: []string{"bazel test", "bazelisk test"},
			Tests: []string{"**/*_test.*", "**/test", "**/tests"}, Config: []string{"**/BUILD", "**/BUILD.bazel", "**/*.bzl", "**/WORKSPACE*", "**/MODULE.bazel", "**/.bazelrc"},
			Misses: "tests whose names do not say so",
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

// pattern is an expression that is compiled when it is first used. It costs nothing before main.
type pattern struct {
	text string
	once sync.Once
	made *regexp.Regexp
}

func (p *pattern) re() *regexp.Regexp {
	p.once.Do(func() { p.made = regexp.MustCompile(p.text) })
	return p.made
}
