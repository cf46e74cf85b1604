// Package docs_test holds the pages against the code: what they show as an example is read by the program, and where
// they point there is something.
package docs_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)#\s]*)(?:#([^)\s]*))?\)`)
	heading = regexp.MustCompile(`^#{1,6} +(.*?) *#*$`)
	anchor  = regexp.MustCompile(`<a (?:id|name)="([^"]+)">`)
)

// A link between the pages leads to a file that is there, and one with an anchor to a heading of it.
func TestLinks(t *testing.T) {
	links, anchors := 0, 0
	for _, page := range find(t, "../*.md", "*.md", "decisions/*.md", "how-to/*.md") {
		for _, hit := range link.FindAllStringSubmatch(outsideCode(read(t, page)), -1) {
			if strings.Contains(hit[1], "://") || strings.HasPrefix(hit[1], "mailto:") {
				continue
			}
			links++
			to := page
			if hit[1] != "" {
				to = filepath.Join(filepath.Dir(page), hit[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s points to %s, which is not there", page, hit[1])
				continue
			}
			if hit[2] != "" && strings.HasSuffix(to, ".md") {
				if anchors++; !anchorsOf(read(t, to))[hit[2]] {
					t.Errorf("%s points to %s#%s, and there is no such heading", page, hit[1], hit[2])
				}
			}
		}
	}
	if links < 200 || anchors < 50 {
		t.Errorf("the pages have %d links, %d of them with an anchor", links, anchors)
	}
}

// anchorsOf are the names under which the headings of a page are found, by the rule of GitHub: in small letters,
// without what is no letter, digit, space, hyphen or underscore, with a hyphen for each space, and with a number where
// a name was given before.
func anchorsOf(text string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(withoutFences(text)) {
		if hit := heading.FindStringSubmatch(strings.TrimRight(line, "\n")); hit != nil {
			name := slug(hit[1])
			for n := 1; found[name]; n++ {
				name = slug(hit[1]) + "-" + strconv.Itoa(n)
			}
			found[name] = true
		}
		for _, hit := range anchor.FindAllStringSubmatch(line, -1) {
			found[hit[1]] = true
		}
	}
	return found
}

var linked = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)

// slug is the name of a heading in an address.
func slug(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			return unicode.ToLower(r)
		case r == ' ':
			return '-'
		}
		return -1
	}, linked.ReplaceAllString(title, "$1"))
}

// withoutFences is a page without its fenced blocks, and outsideCode one without code in its sentences too.
func withoutFences(text string) string {
	return regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(text, "")
}

func outsideCode(text string) string {
	return regexp.MustCompile("`[^`\n]+`").ReplaceAllString(withoutFences(text), "`code`")
}

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"How merging works": "how-merging-works", "`cairn check` in CI": "cairn-check-in-ci", "Jobs: agents, and [more](x.md)": "jobs-agents-and-more", "config.yaml": "configyaml",
	} {
		if got := slug(title); got != want {
			t.Errorf("%q is found as %q, want %q", title, got, want)
		}
	}
	if got := anchorsOf("# A\n## A\n```\n# B\n```\n"); !got["a"] || !got["a-1"] || got["b"] {
		t.Errorf("the anchors are %v", got)
	}
}

// Each page is in the list of pages.
func TestEveryPageIsListed(t *testing.T) {
	list := read(t, "README.md")
	for _, page := range find(t, "*.md", "how-to/*.md") {
		if page != "README.md" && !strings.Contains(list, "]("+filepath.ToSlash(page)+")") {
			t.Errorf("README.md does not list %s", page)
		}
	}
}

// A table reads as one: every row of it has as many cells as its head, and no blank line cuts it in two. A bar inside a
// cell is written with a backslash.
func TestTables(t *testing.T) {
	tables := 0
	for _, page := range find(t, "../*.md", "*.md", "decisions/*.md", "how-to/*.md") {
		var width int // of the table that the line before belongs to; 0 outside of one
		fenced := false
		lines := strings.Split(read(t, page), "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if fenced || !strings.HasPrefix(line, "|") {
				width = 0
				continue
			}
			cells := strings.Count(strings.ReplaceAll(strings.TrimRight(line, " "), `\|`, ""), "|") - 1
			switch {
			case !strings.HasSuffix(strings.TrimRight(line, " "), "|"):
				t.Errorf("%s:%d: the row does not end in a bar", page, i+1)
			case width == 0:
				tables++
				if width = cells; i+1 == len(lines) || !delimiter.MatchString(lines[i+1]) {
					t.Errorf("%s:%d: a row that belongs to no table: no line of dashes follows", page, i+1)
				}
			case cells != width:
				t.Errorf("%s:%d: %d cells in a table of %d", page, i+1, cells, width)
			}
		}
	}
	if tables == 0 {
		t.Error("no page has a table")
	}
}

var delimiter = regexp.MustCompile(`^\|( ?:?-+:? ?\|)+$`)

var goFile = regexp.MustCompile("`([a-z_/]+/[a-z_]+\\.go)`")

// The files that the map names are there.
func TestArchitectureNamesFilesThatExist(t *testing.T) {
	named := goFile.FindAllStringSubmatch(read(t, "architecture.md"), -1)
	if len(named) == 0 {
		t.Fatal("architecture.md names no file")
	}
	for _, hit := range named {
		if _, err := os.Stat(filepath.Join("..", hit[1])); err != nil {
			t.Errorf("architecture.md names %s, which is not there", hit[1])
		}
	}
}

var walkRow = regexp.MustCompile("(?m)^\\| (`[A-Za-z.]+`(?:, `[A-Za-z.]+`)*) \\| `([a-z_/]+\\.go)` \\|")

// The functions that the walks name are in the files that they name.
func TestArchitectureNamesFunctionsThatExist(t *testing.T) {
	page := read(t, "architecture.md")
	rows := walkRow.FindAllStringSubmatch(page, -1)
	if len(rows) == 0 {
		t.Fatal("architecture.md names no function")
	}
	for _, row := range rows {
		src, err := os.ReadFile(filepath.Join("..", row[2]))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, name := range strings.Split(strings.ReplaceAll(row[1], "`", ""), ", ") {
			receiver, method, ok := strings.Cut(name, ".")
			declared := `(?m)^func ` + name + `[\[(]`
			if ok {
				declared = `(?m)^func \(\w* ?\*?` + receiver + `(\[[\w, ]+\])?\) ` + method + `\(`
			}
			if !regexp.MustCompile(declared).Match(src) {
				t.Errorf("architecture.md names %s in %s, which does not declare it", name, row[2])
			}
		}
	}
}

// Each walk has as many hops as the sentence above its table says.
func TestArchitectureCountsTheHops(t *testing.T) {
	sentence, above := "", ""
	got := map[string]int{}
	for line := range strings.Lines(read(t, "architecture.md")) {
		switch row := walkRow.FindStringSubmatch(line); {
		case row != nil:
			got[sentence] += strings.Count(row[1], ", ") + 1
		case strings.HasPrefix(line, "| function |"):
			sentence = above
		case strings.TrimSpace(line) != "":
			above = line
		}
	}
	if len(got) == 0 {
		t.Fatal("architecture.md has no walk")
	}
	said := regexp.MustCompile(`(\d+) (?:more )?hops`)
	for sentence, hops := range got {
		if want := said.FindStringSubmatch(sentence); want == nil || want[1] != strconv.Itoa(hops) {
			t.Errorf("there are %d hops below: %s", hops, sentence)
		}
	}
}

// Each package has its line in the map.
func TestArchitectureKnowsEveryPackage(t *testing.T) {
	page := read(t, "architecture.md")
	for _, dir := range packages(t) {
		if !strings.Contains(page, "\n| `"+dir+"` |") {
			t.Errorf("the code map of architecture.md has no line for %s", dir)
		}
	}
}

// packages are the folders of this repository that hold Go files other than tests.
func packages(t *testing.T) []string {
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		switch name := e.Name(); {
		case err != nil:
			return err
		case e.IsDir() && path != ".." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "vendor"):
			return filepath.SkipDir
		case strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			dir := strings.TrimPrefix(filepath.ToSlash(filepath.Dir(path)), "../")
			if dir == ".." {
				dir = "cairn" // the package of the module's root
			}
			found[dir] = true
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("no packages found (%v)", err)
	}
	return slices.Sorted(maps.Keys(found))
}

var decisionName = regexp.MustCompile(`^\d{4}-[a-z0-9-]+\.md$`)

// A decision is numbered, says why, and says what it costs.
func TestDecisions(t *testing.T) {
	const index = "decisions/README.md"
	listed := map[string]int{}
	for _, hit := range link.FindAllStringSubmatch(read(t, index), -1) {
		listed[hit[1]]++
	}
	seen := map[string]bool{}
	for _, page := range find(t, "decisions/*.md") {
		name := filepath.Base(page)
		if page == index {
			continue
		}
		if listed[name] != 1 {
			t.Errorf("%s lists %s %d times, and not once", index, name, listed[name])
		}
		if !decisionName.MatchString(name) || seen[name[:4]] {
			t.Errorf("%s is not called by a number of its own and a title", name)
		}
		seen[name[:4]] = true
		text := read(t, page)
		for _, part := range []string{"# " + name[:4] + " ", "\n## Context\n", "\n## Choice\n", "\n## Cost\n"} {
			if !strings.Contains(text, part) {
				t.Errorf("%s has no %q", name, strings.TrimSpace(part))
			}
		}
	}
}

func find(t *testing.T, patterns ...string) []string {
	var out []string
	for _, pattern := range patterns {
		hits, err := filepath.Glob(pattern)
		if err != nil || len(hits) == 0 {
			t.Fatalf("no page is called %s (%v)", pattern, err)
		}
		out = append(out, hits...)
	}
	return out
}

func read(t *testing.T, path string) string {
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(src), "\r\n", "\n")
}

var (
	goTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	story  = regexp.MustCompile("`([a-z0-9-]+\\.txtar)`")
)

// Every test that guarantees.md and many-machines.md name is there, and every line of guarantees.md that promises
// something names one.
func TestGuaranteesAreProven(t *testing.T) {
	declared := goTests(t)
	for _, page := range []string{"guarantees.md", "many-machines.md"} {
		text := read(t, page)
		for _, hit := range goTest.FindAllStringSubmatch(text, -1) {
			if !declared[hit[1]] {
				t.Errorf("%s: there is no %s", page, hit[1])
			}
		}
		for _, hit := range story.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join("..", "cmd", "testdata", "script", hit[1])); err != nil {
				t.Errorf("%s: there is no story %s", page, hit[1])
			}
		}
	}
	promises := 0
	for line := range strings.Lines(read(t, "guarantees.md")) {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| promise") {
			continue
		}
		promises++
		if !goTest.MatchString(line) && !story.MatchString(line) {
			t.Errorf("nothing proves %s", line)
		}
	}
	if promises == 0 {
		t.Error("nothing is promised")
	}
}

// goTests are the names of all tests of this repository.
func goTests(t *testing.T) map[string]bool {
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		for _, hit := range declared.FindAllStringSubmatch(read(t, path), -1) {
			found[hit[1]] = true
		}
		return nil
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("no tests found (%v)", err)
	}
	return found
}
