package task_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

func TestGlobsThatMeet(t *testing.T) {
	for _, tt := range []struct {
		scope, path string
		want        bool
	}{
		{"src/auth/**", "src/auth/login.go", true},
		{"src/auth/**", "src/auth/deep/er/login.go", true},
		{"src/auth/**", "src/auth", true},
		{"src/auth/**", "src/authors/a.go", false},
		{"src/auth/**", "src", false}, // a file called src is none of those
		{"src/auth/**", "src/", true}, // the folder has some
		{"src/auth", "src/auth/login.go", true},
		{"./src/auth/", "src/auth/login.go", true},
		{"src/auth.go", "src/auth.go", true},
		{"docs/*.md", "docs/format.md", true},
		{"docs/*.md", "docs/deep/format.md", false},
		{"docs/?.md", "docs/ab.md", false},
		{"docs/?.md", "docs/é.md", true},
		{"**/*.go", "docs/format.md", false},
		{"**/*.go", "a/b/c.go", true},
		{"**/*.go", "c.go", true},
		{"**/*.go", "src/auth/", true},
		{"src/**/test/*.go", "src/a/b/test/x.go", true},
		{"src/**/test/*.go", "src/a/b/x.go", false},
		{"**", "anything", true},
		{"a*b/*", "*b/c", true},
		{"a*c", "*b*", true},
		{"a*c", "b*", false},
		{"app/[id]/page.tsx", "app/[id]/page.tsx", true},
		{"app/[id]/page.tsx", "app/i/page.tsx", false},
	} {
		scope := task.ScopeOf([]string{tt.scope})
		path, err := task.ParseGlob(tt.path)
		if err != nil || len(scope) != 1 {
			t.Fatalf("%q and %q: %v", tt.scope, tt.path, err)
		}
		if got, back := scope[0].Meets(path), path.Meets(scope[0]); got != tt.want || back != tt.want {
			t.Errorf("scope %q and %q: got %v, and %v the other way round", tt.scope, tt.path, got, back)
		}
	}
}

func TestGlobsThatAreNone(t *testing.T) {
	for _, bad := range []string{
		"", " ", "/etc/passwd", "../x", "a/../b", "a//b", "a/./b", `a\b`, "!a", "src/**.go", "a/***", "{a,b}", "a\nb", "/", "./",
		strings.Repeat("a/", 64) + "a", strings.Repeat("a", 501), "a\xff",
	} {
		if g, err := task.ParseGlob(bad); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%q: got %v (%v), want INVALID_INPUT", bad, g, err)
		}
		if task.ValidScope([]string{"ok", bad}) == nil || len(task.ScopeOf([]string{"ok", bad})) != 1 {
			t.Errorf("%q is one of a scope", bad)
		}
	}
	everything, _ := task.ParseGlob("**/**")
	some, _ := task.ParseGlob("**/a")
	if !everything.Everything() || some.Everything() || (task.Glob{}).Everything() {
		t.Error("only ** is about everything")
	}
}

func TestMentions(t *testing.T) {
	got := task.Mentions("Change src/auth/login.go:12:3, and (docs/format.md) too; see https://example.com/a/b.go, i.e. nothing.\n" +
		"Run `go test ./store/...` and look at `Makefile` or \"cmd/\". Not /etc/passwd, not ../up/a.go; **a/b.go** once, a/b.go twice. `two words`")
	var said []string
	for _, m := range got {
		text := m.Path
		if m.Deep {
			text += " (deep)"
		}
		if m.Plain {
			text += " (plain)"
		}
		said = append(said, text)
	}
	want := []string{"src/auth/login.go", "docs/format.md", "i.e", "store (deep)", "Makefile (plain)", "cmd (deep)", "a/b.go"}
	if !slices.Equal(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
	if many := task.Mentions(strings.Repeat("a/bb.go ", 1<<20)); len(many) != 1 {
		t.Errorf("got %d of one path", len(many))
	}
	var b strings.Builder
	for i := range 1000 {
		b.WriteString(strings.Repeat("x", i%100+1) + "/" + strings.Repeat("y", i/100+1) + " ")
	}
	if many := task.Mentions(b.String()); len(many) != 300 {
		t.Errorf("got %d, want 300", len(many))
	}
}

func TestScopeOfATask(t *testing.T) {
	flow := task.Flow{Lifecycle: task.Lifecycle{States: []record.Status{"backlog", "done"}, Initial: "backlog", Closed: []record.Status{"done"}}}
	none := func(record.ID) (task.Task, bool) { return task.Task{}, false }
	made, err := flow.Create(task.Task{ID: "T-1", Title: "Lock", Scope: []string{"src/**", "src/**"}}, none, record.Stamp{Who: "agent:a"})
	if err != nil || !slices.Equal(made.Scope, []string{"src/**"}) {
		t.Fatalf("got %q (%v)", made.Scope, err)
	}
	scope := []string{"docs/**"}
	after, entry, err := flow.Update(made, task.Edit{Set: task.Values{"scope": scope}}, task.Proof{}, none, record.Stamp{Who: "agent:a"})
	if err != nil || !slices.Equal(after.Scope, scope) || entry == nil || !slices.Equal(entry.Fields, []string{"scope"}) {
		t.Errorf("got %q, %+v (%v)", after.Scope, entry, err)
	}
	for _, bad := range [][]string{{"../x"}, make([]string, 101)} {
		for i := range bad {
			if bad[i] == "" {
				bad[i] = strings.Repeat("a", i+1)
			}
		}
		if _, _, err := flow.Update(made, task.Edit{Set: task.Values{"scope": bad}}, task.Proof{}, none, record.Stamp{Who: "agent:a"}); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%d globs: got %v", len(bad), err)
		}
		if _, err := flow.Create(task.Task{ID: "T-2", Title: "Lock", Scope: bad}, none, record.Stamp{Who: "agent:a"}); record.CodeOf(err) != record.InvalidInput {
			t.Errorf("%d globs: got %v", len(bad), err)
		}
	}
}
