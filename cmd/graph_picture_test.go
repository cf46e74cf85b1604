package cmd

import (
	"crypto/rand"
	"html"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/cmdtest"
)

// What graphviz reads of the picture is what the titles say, whatever they say.
func TestGraphvizReadsThePicture(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("graphviz is not installed")
	}
	dir, out := t.TempDir(), strings.Builder{}
	run := func(args ...string) string {
		out.Reset()
		vars := map[string]string{"CAIRN_ACTOR": "human:shah", "XDG_STATE_HOME": dir}
		env := Env{
			Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir,
			Getenv: func(name string) string { return vars[name] }, Now: func() time.Time { return cmdtest.StartTime }, Rand: rand.Reader,
		}
		if exit := Main(t.Context(), env); exit != 0 {
			t.Fatalf("%v exits with %d: %s", args, exit, &out)
		}
		return out.String()
	}
	run("init", "--prefix", "T")
	titles := []string{`"];a -> b;"`, `ends with a \\`, `<b>x</b> & {|}`, "end", `\N \G \n`, "ünïcode ☂"}
	for _, title := range titles {
		run("create", title)
	}
	c := exec.Command(dot, "-Tsvg")
	c.Stdin = strings.NewReader(run("graph", "--dot"))
	svg, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(svg), `class="node"`); n != len(titles) {
		t.Errorf("%d nodes of %d", n, len(titles))
	}
	if strings.Contains(string(svg), `class="edge"`) {
		t.Errorf("a title is an edge:\n%s", svg)
	}
	text := html.UnescapeString(string(svg))
	for _, title := range titles {
		if !strings.Contains(strings.ReplaceAll(text, "\u00a0", " "), ">"+title+"<") {
			t.Errorf("no %q in\n%s", title, text)
		}
	}
}
