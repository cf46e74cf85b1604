package guard

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
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

// linesWith returns what keeps the lines that have one of some words.
func linesWith(words ...string) func(string) string {
	return func(content string) string {
		var out []string
		for line := range strings.Lines(content) {
			if slices.ContainsFunc(words, func(word string) bool { return strings.Contains(line, word) }) {
				out = append(out, strings.TrimSpace(line))
			}
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
var testItem = &pattern{text: `^#\[(?:cfg\((?:test|all\(test\b)|(?:\w+::)*(?:test|test_case|rstest|bench|quickcheck)\b)`}

// rustItems divides a source of Rust into its tests and the rest. A test ends where a line in the first column does, as
// rustfmt writes it.
func rustItems(content string) (tests, rest string) {
	var in, out strings.Builder
	inside := false
	for line := range strings.Lines(content) {
		inside = inside || testItem.re().MatchString(line)
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

// What decides in a source of Rust whether modules are compiled: the attributes of the crate or module, and each module
// that lies in another file, with its attributes.
var (
	innerCfg = &pattern{text: `(?m)^#!\[cfg(?:_attr)?\(.*\)\][ \t]*\n?`}
	moduleOf = &pattern{text: `(?m)^((?:#\[.*\][ \t]*\n)*)(?:pub(?:\([\w: ]+\))? +)?mod +(\w+) *;[ \t]*\n?`}
)

// keepsRust reports whether what was compiled still is: there is no new condition of the whole, and the modules that have
// tests are named under the same conditions.
func keepsRust(files Files, at, was, now string) bool {
	return strings.Join(innerCfg.re().FindAllString(was, -1), "") == strings.Join(innerCfg.re().FindAllString(now, -1), "") &&
		len(lostModules(files, at, was, now)) == 0
}

// lostModules lists the modules with tests that a source names no more, or under other conditions.
func lostModules(files Files, at, was, now string) (lost [][]string) {
	there := map[string]string{}
	for _, found := range moduleOf.re().FindAllStringSubmatch(now, -1) {
		there[found[2]] = conditions(found[1])
	}
	for _, found := range moduleOf.re().FindAllStringSubmatch(was, -1) {
		if under, named := there[found[2]]; (!named || under != conditions(found[1])) && moduleHasTests(files, at, found[2]) {
			lost = append(lost, found)
		}
	}
	return lost
}

// conditions are the attributes that say whether and whence a module is compiled.
func conditions(attributes string) string { return linesWith("cfg", "path")(attributes) }

// moduleHasTests reports whether a module that a source names had tests.
func moduleHasTests(files Files, at, name string) bool {
	folder := path.Dir(at)
	if base := path.Base(at); base != "lib.rs" && base != "main.rs" && base != "mod.rs" {
		folder = strings.TrimSuffix(at, ".rs")
	}
	for _, file := range []string{name + ".rs", name + "/mod.rs"} {
		if content, ok := files(path.Join(folder, file)); ok && rustTests(content) != "" {
			return true
		}
	}
	return false
}

// putRust replaces the tests of a source file, and what has tests compiled, by those of another version of it.
func putRust(files Files, at, content, from string) string {
	_, rest := rustItems(content)
	lost := lostModules(files, at, from, content)
	rest = moduleOf.re().ReplaceAllStringFunc(rest, func(one string) string {
		name := moduleOf.re().FindStringSubmatch(one)[2]
		if slices.ContainsFunc(lost, func(found []string) bool { return found[2] == name }) {
			return ""
		}
		return one
	})
	rest = strings.Join(innerCfg.re().FindAllString(from, -1), "") + innerCfg.re().ReplaceAllString(rest, "")
	for _, found := range lost {
		if testItem.re().MatchString(found[0]) {
			continue // among the tests
		}
		rest += "\n" + strings.TrimRight(found[0], "\n") + "\n"
	}
	return strings.TrimRight(rest, "\n") + "\n\n" + rustTests(from)
}

// cargoSections are the sections of a Cargo.toml that count whole. A name that ends with ] is no beginning of others.
var cargoSections = []string{"patch", "replace", "test", "lib", "bin", "profile", "target", "workspace]"}

// cargoLine finds the lines of other sections that count: which targets there are, and which features without asking.
var cargoLine = &pattern{text: `^\s*(?:auto(?:tests|bins|examples|benches)|build|default)\s*=`}

// cargoLines divides a Cargo.toml into what counts, by section, and the rest.
func cargoLines(content string) (counts map[string][]string, rest []string) {
	counts = map[string][]string{}
	of := record.SetOf(elsewhere(content))
	section, whole, open := "", false, false
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\r\n")
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "[") && strings.HasSuffix(trimmed, "]") && !open {
			section = trimmed
			name := strings.TrimLeft(strings.ReplaceAll(trimmed, `"`, ""), "[ ")
			whole = slices.ContainsFunc(cargoSections, func(n string) bool { return strings.HasPrefix(name, n) })
		}
		wanted := whole || open || cargoLine.re().MatchString(line) || section == "[dev-dependencies]" && of[trimmed]
		if open = wanted && !whole && strings.Count(line, "[") > strings.Count(line, "]") || open && !strings.Contains(line, "]"); !wanted {
			rest = append(rest, line)
		} else if trimmed != "" && trimmed[0] != '#' && (trimmed != section || counts[section] != nil) { // there may be several [[test]]
			counts[section] = append(counts[section], trimmed)
		}
	}
	return counts, rest
}

// cargoParts is what counts of a Cargo.toml.
func cargoParts(content string) string {
	counts, _ := cargoLines(content)
	var out []string
	for _, section := range slices.Sorted(maps.Keys(counts)) {
		out = append(append(out, section), counts[section]...)
	}
	return strings.Join(out, "\n")
}

// putCargoParts replaces what counts of a Cargo.toml by that of another version of it.
func putCargoParts(_ Files, _, content, from string) string {
	counts, _ := cargoLines(from)
	_, rest := cargoLines(content)
	named := map[string]bool{} // what is put there, by section
	for section, lines := range counts {
		for _, line := range lines {
			name, _, _ := strings.Cut(line, "=")
			named[section+name] = true
		}
	}
	var out []string
	section := ""
	for _, line := range rest {
		if strings.HasPrefix(line, "[") {
			section = strings.TrimSpace(line)
		}
		if name, _, is := strings.Cut(strings.TrimSpace(line), "="); is && named[section+name] {
			continue
		}
		out = append(out, line)
		if strings.HasPrefix(line, "[") && counts[section] != nil {
			out = append(out, counts[section]...)
			delete(counts, section)
		}
	}
	for _, section := range slices.Sorted(maps.Keys(counts)) {
		out = append(append(out, section), counts[section]...)
	}
	return strings.Join(out, "\n") + "\n"
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
	cargoPath = &pattern{text: `path\s*=\s*"([^"]+)"`}
	imported  = &pattern{text: `(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'](\.{1,2}/[^"'\n]+)["']`}
	setUps    = &pattern{text: `(?s)\b(?:setupFiles\w*|globalSetup|globalTeardown|testEnvironment|testRunner|runner|testSequencer|testResultsProcessor|preset|projects|moduleNameMapper|alias|environment|resolver|reporters|snapshotSerializers|transform)["']?\s*[:=]\s*(\[[^\]]*\]|\{[^}]*\}|[^,\n]*)`}
)

// loaded lists the files that the configuration of a runner has it load before the tests, as paths from its folder.
func loaded(content string) (paths []string) {
	for _, found := range setUps.re().FindAllStringSubmatch(content, -1) {
		for _, word := range strings.FieldsFunc(found[1], func(r rune) bool { return strings.ContainsRune(" \t\r\n\"'`,[]{}:", r) }) {
			if strings.ContainsAny(word, "./") {
				paths = append(paths, strings.TrimPrefix(word, "<rootDir>/"))
			}
		}
	}
	for _, found := range imported.re().FindAllStringSubmatch(content, -1) {
		paths = append(paths, found[1])
	}
	for _, line := range elsewhere(content) {
		if found := cargoPath.re().FindStringSubmatch(line); found != nil {
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
