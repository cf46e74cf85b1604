package git

import (
	"os"
	"runtime"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
)

// TestSlowChanges makes a change of every kind to a clean work tree. Each must change the fingerprint, and staging and
// committing it must not change it again.
func TestSlowChanges(t *testing.T) {
	slowtest.Skip(t)
	isolate(t)
	for _, test := range []struct {
		name   string
		change func(repo)
		undo   func(repo)
	}{
		{"edit", func(r repo) { r.write("plain", "other") }, func(r repo) { r.write("plain", "one\ntwo\n") }},
		{
			"edit an odd name",
			func(r repo) { r.write("größe-日本", "other") }, func(r repo) { r.write("größe-日本", "unicode") },
		},
		{"delete", func(r repo) { r.remove("dir/sub") }, func(r repo) { r.write("dir/sub/file", "deep\n") }},
		{"add", func(r repo) { r.write("new/one", "x") }, func(r repo) { r.remove("new") }},
		{"add an empty file", func(r repo) { r.write("new/none", "") }, func(r repo) { r.remove("new") }},
		{"rename", func(r repo) { rename(r, "plain", "plainer") }, func(r repo) { rename(r, "plainer", "plain") }},
		{
			"become executable",
			func(r repo) { needModes(r); r.chmod("plain", 0o755) }, func(r repo) { r.chmod("plain", 0o644) },
		},
		{
			"add an executable",
			func(r repo) { needModes(r); r.write("run", "x"); r.chmod("run", 0o755) }, func(r repo) { r.remove("run") },
		},
		{"add a link", func(r repo) { r.link("plain", "l") }, func(r repo) { r.remove("l") }},
		{
			"point a link elsewhere",
			func(r repo) { needModes(r); r.remove("link"); r.link("plain", "link") },
			func(r repo) { r.remove("link"); r.link("dir/sub/file", "link") },
		},
		{
			"file becomes link",
			func(r repo) { r.remove("plain"); r.link("empty", "plain") },
			func(r repo) { r.remove("plain"); r.write("plain", "one\ntwo\n") },
		},
		{
			"file becomes folder",
			func(r repo) { r.remove("plain"); r.write("plain/file", "x") },
			func(r repo) { r.remove("plain"); r.write("plain", "one\ntwo\n") },
		},
		{
			"folder becomes file",
			func(r repo) { r.remove("dir/sub"); r.write("dir/sub", "x") },
			func(r repo) { r.remove("dir/sub"); r.write("dir/sub/file", "deep\n") },
		},
		{"intend to add", func(r repo) { r.write("meant", "x"); r.git("add", "-N", "meant") }, func(r repo) {
			r.git("rm", "-q", "--cached", "meant")
			r.remove("meant")
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := filled(t)
			r.commit()
			clean := r.fingerprint()

			test.change(r)
			changed := r.fingerprint()
			if changed == clean {
				t.Fatal("the change is not seen")
			}
			test.undo(r)
			if r.fingerprint() != clean {
				t.Error("undoing it does not restore the fingerprint")
			}
			test.change(r)
			r.git("add", "-A")
			if r.fingerprint() != changed {
				t.Error("staging it changes the fingerprint")
			}
			r.git("commit", "-q", "-m", "a change")
			if r.fingerprint() != changed {
				t.Error("committing it changes the fingerprint")
			}
			r.equalsHead("after the change")
		})
	}
}

func rename(r repo, from, to string) {
	r.t.Helper()
	if err := os.Rename(r.path(from), r.path(to)); err != nil {
		r.t.Fatal(err)
	}
}

func needModes(r repo) {
	if runtime.GOOS == "windows" {
		r.t.Skip("no executable bits here")
	}
}
