package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// The tutorial about jobs is run as it stands: its commands, by a shell, with its program and its settings.
func TestSlowJobsTutorial(t *testing.T) {
	slowtest.Skip(t)
	if runtime.GOOS == "windows" {
		t.Skip("the program is POSIX shell")
	}
	_, page, _ := strings.Cut(read(t, "jobs.md"), "\n## Tutorial\n")
	page, _, _ = strings.Cut(page, "\n## ")
	l := newLesson(t)
	blocks := regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$").FindAllStringSubmatch(page, -1)
	if len(blocks) < 5 {
		t.Fatalf("the tutorial has %d blocks", len(blocks))
	}
	for _, b := range blocks {
		switch b[1] {
		case "scribe":
			l.write(filepath.Join("bin", "scribe"), b[2], 0o755)
		case "settings":
			l.write(filepath.Join("config", "cairn", "config.yaml"), b[2], 0o644)
		case "console":
			l.console(b[2])
		default:
			t.Errorf("the tutorial has a block of %q", b[1])
		}
	}
}

// lesson is where the tutorial is run, and what its ids stand for.
type lesson struct {
	*testing.T
	top, dir string
	ids      map[string]string // by the id on the page
	path     string            // the folder of cairn itself
}

// newLesson builds cairn, into the folder bin.
func newLesson(t *testing.T) *lesson {
	t.Helper()
	l := lessonWith(t, "")
	if out, err := exec.Command("go", "build", "-o", filepath.Join(l.bin(), "cairn"), "github.com/cairn-tasks/cairn/cmd/cairn").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return l
}

// lessonWith is a lesson with a cairn that was built before, in a folder.
func lessonWith(t *testing.T, path string) *lesson {
	t.Helper()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &lesson{T: t, top: top, dir: top, ids: map[string]string{}, path: path}
}

// bin is where programs of the lesson lie.
func (l *lesson) bin() string { return filepath.Join(l.top, "bin") }

func (l *lesson) write(name, text string, mode os.FileMode) {
	l.Helper()
	path := filepath.Join(l.top, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		l.Fatal(err)
	}
}

// env is that of a person who has nothing set that matters here.
func (l *lesson) env() []string {
	out := []string{
		"HOME=" + l.top, "XDG_CONFIG_HOME=" + filepath.Join(l.top, "config"), "XDG_STATE_HOME=" + filepath.Join(l.top, "state"), "CAIRN_ACTOR=human:ada",
		"CAIRN_CLAIMS_BACKGROUND=off", // a process that outlives its command would write in a folder that is being removed
		"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "PATH=" + strings.Join(slices.DeleteFunc([]string{l.bin(), l.path, os.Getenv("PATH")}, func(dir string) bool { return dir == "" }), string(os.PathListSeparator)),
	}
	for _, who := range []string{"AUTHOR", "COMMITTER"} {
		out = append(out, "GIT_"+who+"_NAME=Ada", "GIT_"+who+"_EMAIL=ada@example.com")
	}
	return out
}

// console runs the commands of a block, and compares what each prints with the lines below it. A command that ends in
// << 'END' goes on until a line END.
func (l *lesson) console(block string) {
	l.Helper()
	for part := range strings.SplitSeq(strings.TrimPrefix(block, "$ "), "\n$ ") {
		command, want, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
		if strings.HasSuffix(command, "<< 'END'") {
			text, rest, _ := strings.Cut(want+"\n", "\nEND\n")
			command, want = command+"\n"+text+"\nEND", strings.TrimSuffix(rest, "\n")
		}
		if dir, ok := strings.CutPrefix(command, "cd "); ok {
			l.dir = filepath.Join(l.dir, dir)
			continue
		}
		for page, real := range l.ids {
			command = regexp.MustCompile(`\b`+regexp.QuoteMeta(page)+`\b`).ReplaceAllString(command, real)
		}
		run := exec.Command("sh", "-c", command)
		run.Dir, run.Env = l.dir, l.env()
		out, err := run.CombinedOutput()
		if refused := fails(want); (err != nil) != refused {
			l.Fatalf("$ %s\n%v, and the page shows that it fails: %v\n%s", command, err, refused, out)
		}
		l.compare(command, want, string(out))
	}
}

// fails reports whether what a page shows below a command is a refusal.
func fails(want string) bool {
	return strings.HasPrefix(want, "cairn: ") || strings.Contains(want, "\nFAIL  ")
}

var pageID = regexp.MustCompile(`\b(SHOP|job)-[0-9]\b`)

// compare wants that an output is what the page shows. An id that the page shows for the first time is learned.
func (l *lesson) compare(command, want, got string) {
	l.Helper()
	var pattern strings.Builder
	var learned []string
	pattern.WriteString(`(?s)\A`)
	for line := range strings.SplitAfterSeq(want, "\n") {
		switch {
		case strings.TrimSpace(line) == "...":
			pattern.WriteString(`(?:[^\n]*\n)*?`)
			continue
		case line == "":
			continue
		}
		line = strings.TrimSuffix(line, "\n")
		for i, piece := range strings.Split(line, "...") {
			if i > 0 {
				pattern.WriteString(`[^\n]*?`)
			}
			at := 0
			for _, hit := range pageID.FindAllStringIndex(piece, -1) {
				pattern.WriteString(spaced(piece[at:hit[0]]))
				id := piece[hit[0]:hit[1]]
				if actual, known := l.ids[id]; known {
					pattern.WriteString(regexp.QuoteMeta(actual))
				} else {
					pattern.WriteString(`(` + id[:strings.IndexByte(id, '-')] + `-[0-9a-z]+)`)
					learned = append(learned, id)
				}
				at = hit[1]
			}
			pattern.WriteString(spaced(piece[at:]))
		}
		pattern.WriteString(` *\n`)
	}
	pattern.WriteString(`\z`)
	hit := regexp.MustCompile(pattern.String()).FindStringSubmatch(got)
	if hit == nil {
		l.Fatalf("$ %s\nprints\n%s\nand the page shows\n%s", command, got, want)
	}
	for i, id := range learned {
		l.ids[id] = hit[i+1]
	}
}

// spaced is a pattern of a text in which any number of spaces stands for any other.
func spaced(text string) string {
	return regexp.MustCompile(` +`).ReplaceAllString(regexp.QuoteMeta(text), ` +`)
}
