package guard

import (
	"encoding/json"
	"path"
	"slices"
	"strings"
)

// lines returns what keeps the lines of a go.mod that begin with one of some words, and the blocks that they open.
func lines(words ...string) func(string) string {
	return func(content string) string {
		var out []string
		inside := false
		for line := range strings.Lines(content) {
			line = strings.TrimSpace(line)
			first, _, _ := strings.Cut(line, " ")
			begins := slices.Contains(words, strings.TrimSuffix(first, "("))
			if inside || begins {
				out = append(out, line)
			}
			inside = (inside || begins && strings.HasSuffix(line, "(")) && line != ")"
		}
		return strings.Join(out, "\n")
	}
}

// sections returns what keeps the sections of an INI or TOML file whose names begin with one of some.
func sections(names ...string) func(string) string {
	return func(content string) string {
		var out []string
		inside := false
		for line := range strings.Lines(content) {
			line = strings.TrimSpace(line)
			if name := strings.Trim(line, "[] \t"); strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") {
				inside = slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(strings.ReplaceAll(name, `"`, ""), n) })
			}
			if inside && line != "" && !strings.HasPrefix(line, "#") {
				out = append(out, line)
			}
		}
		return strings.Join(out, "\n")
	}
}

// jsonKeys returns what keeps some keys of a JSON object. Of what is no JSON all counts.
func jsonKeys(keys ...string) func(string) string {
	return func(content string) string {
		var all map[string]any
		if json.Unmarshal([]byte(content), &all) != nil {
			return content
		}
		kept := map[string]any{}
		for _, key := range keys {
			if v, ok := all[key]; ok {
				kept[key] = v
			}
		}
		text, _ := json.Marshal(kept)
		return string(text)
	}
}

// without returns what leaves some elements of an XML file out.
func without(elements ...string) func(string) string {
	return func(content string) string {
		for _, name := range elements {
			begin, end := "<"+name+">", "</"+name+">"
			for at := strings.Index(content, begin); at >= 0; at = strings.Index(content, begin) {
				length := strings.Index(content[at:], end)
				if length < 0 {
					break
				}
				content = content[:at] + content[at+length+len(end):]
			}
		}
		return content
	}
}

// testItem begins a test in a source of Rust: a module behind cfg(test), or a function with an attribute of tests.
var testItem = lazily(`^#\[(?:cfg\((?:test|all\(test\b)|(?:\w+::)*(?:test|test_case|rstest|bench|quickcheck)\b)`)

// rustItems divides a source of Rust into its tests and the rest. A test ends where a line in the first column does, as
// rustfmt writes it.
func rustItems(content string) (tests, rest string) {
	var in, out strings.Builder
	inside := false
	for line := range strings.Lines(content) {
		inside = inside || testItem().MatchString(line)
		if !inside {
			out.WriteString(line)
			continue
		}
		in.WriteString(line)
		if line = strings.TrimRight(line, " \t\r\n"); line != "" && strings.Trim(line[:1], " \t#") != "" {
			inside = !strings.HasSuffix(line, "}") && !strings.HasSuffix(line, ";")
		}
	}
	return in.String(), out.String()
}

// rustTests is the text of the tests of a source file.
func rustTests(content string) string {
	tests, _ := rustItems(content)
	return tests
}

// putRustTests replaces the tests of a source file by those of another version of it.
func putRustTests(content, from string) string {
	_, rest := rustItems(content)
	return strings.TrimRight(rest, "\n") + "\n\n" + rustTests(from)
}

// cargoParts is what counts of a Cargo.toml: some sections, and where the dependencies of tests come from a folder or a
// repository.
func cargoParts(content string) string {
	return sections("patch", "replace", "test", "lib", "bin", "profile", "target")(content) + "\n" + strings.Join(elsewhere(content), "\n")
}

// elsewhere lists the lines of a Cargo.toml that take a dependency of tests, which the code has not, from elsewhere than a
// registry.
func elsewhere(content string) []string {
	code := sections("dependencies")(content)
	return slices.DeleteFunc(strings.Split(sections("dev-dependencies")(content), "\n"), func(line string) bool {
		name, value, _ := strings.Cut(line, "=")
		return !strings.Contains(value, "path") && !strings.Contains(value, "git") || strings.Contains("\n"+code, "\n"+strings.TrimSpace(name)+" ")
	})
}

var (
	cargoPath = lazily(`path\s*=\s*"([^"]+)"`)
	setUps    = lazily(`(?s)\b(?:setupFiles\w*|globalSetup|globalTeardown|testEnvironment|testRunner|resolver|reporters|snapshotSerializers|transform)["']?\s*[:=]\s*(\[[^\]]*\]|\{[^}]*\}|[^,\n]*)`)
)

// loaded lists the files that the configuration of a runner has it load before the tests, as paths from its folder.
func loaded(content string) (paths []string) {
	for _, found := range setUps().FindAllStringSubmatch(content, -1) {
		for _, word := range strings.FieldsFunc(found[1], func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,[]{}:", r) }) {
			if strings.ContainsAny(word, "./") {
				paths = append(paths, strings.TrimPrefix(word, "<rootDir>/"))
			}
		}
	}
	for _, line := range elsewhere(content) {
		if found := cargoPath().FindStringSubmatch(line); found != nil {
			paths = append(paths, found[1])
		}
	}
	return paths
}

// hiding is the part of a .gitignore that hides what configures a runner.
func hiding(config []string) *Part {
	return &Part{Says: "what hides configuration of a runner", Of: func(content string) string {
		var out []string
		for line := range strings.Lines(content) {
			line = strings.TrimSpace(line)
			if slices.ContainsFunc(config, func(glob string) bool {
				hides, err := path.Match(path.Base(line), path.Base(glob))
				return err == nil && hides && !strings.HasPrefix(line, "#")
			}) {
				out = append(out, line)
			}
		}
		return strings.Join(out, "\n")
	}}
}
