package docs_test

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

var block = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// The console blocks of the tutorial and of each guide are run as they stand, in their order, and print what is shown below each command.
func TestPagesAreRun(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the pages are for a POSIX shell")
	}
	commands := 0
	for _, page := range find(t, "tutorial.md", "how-to/*.md") {
		text := read(t, page)
		if !strings.Contains(text, "```console") {
			continue
		}
		t.Run(filepath.ToSlash(page), func(t *testing.T) {
			l := newLesson(t)
			for _, b := range block.FindAllStringSubmatch(text, -1) {
				if b[1] == "console" {
					commands += strings.Count("\n"+b[2], "\n$ ")
					l.console(b[2])
				}
			}
		})
	}
	if commands < 20 {
		t.Errorf("%d commands were run", commands)
	}
}
