package guard

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// testModule finds a module behind #[cfg(test)] that ends in the first column, as rustfmt writes it.
var testModule = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?ms)^#\[cfg\((?:test|all\(test\b[^\n]*)\)\]\s*\n(?:#\[[^\n]*\n)*(?:pub(?:\([a-z]+\))? )?mod \w+ \{.*?^\}\n?`)
})

// rustTests is the text of the test modules of a source file.
func rustTests(content string) string {
	return strings.Join(testModule().FindAllString(content, -1), "\n")
}

// putRustTests replaces the test modules of a source file by those of another version of it.
func putRustTests(content, from string) string {
	code := strings.TrimRight(testModule().ReplaceAllString(content, ""), "\n")
	return code + "\n\n" + rustTests(from)
}
