package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
)

// linkIn is the input of a verb that only this test knows.
type linkIn struct {
	ID    record.ID `json:"id" doc:"task to link" cli:"arg"`
	Links []struct {
		Title string `json:"title" doc:"what it is called"`
		URL   string `json:"url" doc:"where it leads"`
	} `json:"links" doc:"pages to link to" cli:"flag=link"`
	Public bool   `json:"public" doc:"whether anybody may read it"`
	Agreed *bool  `json:"agreed" doc:"whether it was agreed to" cli:"not=refused"`
	Tone   string `json:"tone,omitempty" doc:"how it reads" values:"plain=for most,formal"`
}

// linkVerb returns its input, and makes the command exit with 3 if there are no links.
func linkVerb() verb.Verb {
	do := func(_ context.Context, _ *verb.Workspace, in linkIn) (linkIn, error) { return in, nil }
	return verb.DeclareBare(do, verb.Verb{
		Name: "link_pages", Group: "pages", Aliases: []string{"links"}, Profile: verb.Viewer, Summary: "Link pages.",
		Exit: func(out any) int {
			if len(out.(linkIn).Links) == 0 {
				return verb.ExitNothingFound
			}
			return 0
		},
	})
}

// The command of a verb follows from its declaration alone: a list of objects takes JSON unless it declares other
// flags, a required boolean is an ordinary flag unless it declares a flag for false, and the exit number is what the
// verb says.
func TestDeclaredFormsMakeTheCommand(t *testing.T) {
	const pages = `[{"title":"Home","url":"/"},{"title":"News","url":"/news"}]`
	for _, tt := range []struct {
		name string
		args []string
		want string // a part of what is printed, without white space
		exit int
	}{
		{"objects as JSON", []string{"--link", `{"title":"Home","url":"/"}`, "--link", `{"title":"News","url":"/news"}`, "--public"},
			`"links":` + pages + `,"public":true`, 0},
		{"a required boolean can be false", []string{"--input", `{"links":` + pages + `}`, "--public=false"}, `"public":false`, 0},
		{"a flag for false", []string{"--link", `{"title":"Home","url":"/"}`, "--public", "--refused"}, `"agreed":false`, 0},
		{"neither of two flags that are optional", []string{"--link", `{"title":"Home","url":"/"}`, "--public"}, `"agreed":null`, 0},
		{"one empty value clears the list", []string{"--link", "", "--public"}, `"links":[]`, verb.ExitNothingFound},
		{"both of two flags", []string{"--public", "--agreed", "--refused"}, "--agreedand--refusedexcludeeachother", 2},
		{"an object with an unknown key", []string{"--link", `{"titel":"Home"}`, "--public"}, "links[0].titel", 2},
		{"something that is no object", []string{"--link", `Home`, "--public"}, "isnotoneJSONobject", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"link-pages", "link_pages", "links"} {
				exit, printed := runJSON(t, linkVerb(), append([]string{name, "PROJ-1"}, tt.args...)...)
				if exit != tt.exit || !strings.Contains(strings.Join(strings.Fields(printed), ""), tt.want) {
					t.Errorf("%s exits with %d, want %d; got %s, want %s", name, exit, tt.exit, printed, tt.want)
				}
			}
		})
	}
}

// A result whose type has no renderer is printed by its keys, for people too.
func TestAResultWithoutARendererIsPrintedByItsKeys(t *testing.T) {
	exit, got := runCommand(t, linkVerb(), "link-pages", "PROJ-1", "--public", "--tone", "plain\nand \x1b[31mred",
		"--link", `{"title":"Home","url":"/"}`, "--link", `{"title":"Latest news","url":"/news"}`)
	want := `id      PROJ-1
public  true
tone    plain
      and \x1b[31mred

links
TITLE  URL
Home  /
Latest news  /news
`
	if exit != 0 || got != want {
		t.Errorf("exit %d, got\n%s\nwant\n%s", exit, got, want)
	}
}

// runJSON is runCommand with --json.
func runJSON(t *testing.T, v verb.Verb, args ...string) (exit int, printed string) {
	t.Helper()
	exit, printed = runCommand(t, v, append([]string{"--json"}, args...)...)
	if !json.Valid([]byte(printed)) {
		t.Errorf("no JSON: %s", printed)
	}
	return exit, printed
}

// runCommand runs the command of a verb that is not in the catalogue, in an empty workspace.
func runCommand(t *testing.T, v verb.Verb, args ...string) (exit int, printed string) {
	t.Helper()
	dir := t.TempDir()
	if _, _, err := store.Init(dir, "PROJ"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	p := &program{
		Env: Env{
			Args: args, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out, Dir: dir,
			Getenv: func(name string) string { return map[string]string{"CAIRN_ACTOR": "human:ada"}[name] }, Now: time.Now,
		},
		out: &output{to: &out},
	}
	root := p.root()
	c := verbCommand{program: p, verb: v}.command()
	p.strict(c, c.Name)
	root.Commands = append(root.Commands, c)
	exit = p.report(t.Context(), root.Run(t.Context(), append([]string{root.Name}, p.Args...)))
	return exit, out.String()
}

// A command is found by the names that it is declared with before it is made, so they are all that it answers to, and
// its alone.
func TestDeclaredNames(t *testing.T) {
	taken := map[string]string{}
	for _, c := range (&program{}).declared() {
		made := c.make()
		if got, want := slices.Sorted(slices.Values(c.names)), slices.Sorted(slices.Values(made.Names())); !slices.Equal(got, want) {
			t.Errorf("%s is declared as %q and answers to %q", made.Name, got, want)
		}
		for _, name := range c.names {
			if other, twice := taken[name]; twice {
				t.Errorf("%s and %s both answer to %s", other, made.Name, name)
			}
			taken[name] = made.Name
		}
	}
}
