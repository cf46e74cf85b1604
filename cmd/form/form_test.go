package form_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/cmd/form"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

type owner struct {
	Name  string `json:"name"`
	Since int    `json:"since,omitempty"`
}

type row struct {
	ID     string     `json:"id"`
	Title  string     `json:"title,omitempty"`
	Rank   int        `json:"rank,omitempty"`
	Labels []string   `json:"labels,omitempty"`
	Owner  *owner     `json:"owner,omitempty"`
	At     *time.Time `json:"at,omitempty"`
	Done   bool       `json:"done,omitempty"`
}

type list struct {
	Rows  []row `json:"rows" result:"rows"`
	Total int   `json:"total"`
}

var two = list{Rows: []row{
	{ID: "A-1", Title: "Raise \x1b[31mwalls", Rank: 3, Labels: []string{"stone", "tall"}, Owner: &owner{Name: "ada"}},
	{ID: "A-2", Done: true},
}, Total: 2}

func printed(ctx context.Context, template, jq string, result any) (string, error) {
	f, err := form.New("", template, jq)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	err = f.Print(ctx, &out, result)
	return out.String(), err
}

func TestForms(t *testing.T) {
	for _, tt := range []struct{ name, template, jq, want string }{
		{"a line for each row", `{{.id}} {{.title}}`, "", "A-1 Raise \\x1b[31mwalls\nA-2 \n"},
		{"tabs and line breaks as they are typed", `{{.id}}\t{{.rank}}\n`, "", "A-1\t3\nA-2\t0\n"},
		{"but not inside of braces", `{{printf "%s\\n" .id}}`, "", "A-1\\n\nA-2\\n\n"},
		{"what is absent is empty", `{{.id}}:{{.at}}:{{len .labels}}:{{.done}}`, "", "A-1::2:false\nA-2::0:true\n"},
		{"an object that is absent is nothing", `{{with .owner}}{{.name}} since {{.since}}{{end}}`, "", "ada since 0\n"},
		{"a row of which nothing is made has no line", `{{if .done}}{{.id}}{{end}}`, "", "A-2\n"},
		{"numbers compare", `{{if gt .rank 2}}{{.id}}{{end}}`, "", "A-1\n"},
		{"lists and objects", `{{join ", " .labels}} {{json .owner}}`, "", "stone, tall {\"name\":\"ada\",\"since\":0}\n null\n"},
		{"templates in the template", `{{define "x"}}<{{.}}>{{end}}{{template "x" .id}}`, "", "<A-1>\n<A-2>\n"},
		{"text as it is", "", `.rows[].id`, "A-1\nA-2\n"},
		{"text is harmless", "", `.rows[0].title`, "Raise \\x1b[31mwalls\n"},
		{"and so is text inside of JSON", "", `[.rows[0].title]`, "[\"Raise \\u001b[31mwalls\"]\n"},
		{"null is an empty line", "", `.rows[].owner.name`, "ada\n\n"},
		{"all else is JSON", "", `.rows[0] | {id, rank}, .labels, 1.5, true`, "{\"id\":\"A-1\",\"rank\":3}\n[\"stone\",\"tall\"]\n1.5\ntrue\n"},
		{"nothing is found", "", `.rows[] | select(.rank == 9)`, ""},
		{"halt is no error", "", `1, halt, 2`, "1\n"},
		{"no environment", "", `env | length, ($ENV | length)`, "0\n0\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, err := printed(t.Context(), tt.template, tt.jq, two); err != nil || got != tt.want {
				t.Errorf("got %q, %v, want %q", got, err, tt.want)
			}
		})
	}
}

// What cannot be read is refused at once, and a key that no row has before the verb is called.
func TestRefused(t *testing.T) {
	for _, tt := range []struct{ name, fields, template, jq, want string }{
		{"two at once", "id", "", ".", "--fields and --jq exclude each other"},
		{"an empty key", "id,,title", "", "", "a key is empty or stands twice"},
		{"a key twice", "id,id", "", "", "a key is empty or stands twice"},
		{"a key that is mistyped", "id,titel", "", "", `there is no key "titel"`},
		{"the same in a template", "", "{{.titel}}", "", `there is no key "titel"`},
		{"a template that is broken", "", "{{.id", "", "--format:1: unclosed action"},
		{"a function that there is not", "", "{{env}}", "", `function "env" not defined`},
		{"a program that is broken", "", "", ".rows[", "--jq is no program of jq"},
		{"a program that reads files", "", "", `import "x" as x; .`, "--jq is no program of jq"},
		{"a program that reads further input", "", "", `input`, "--jq is no program of jq"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, err := form.New(tt.fields, tt.template, tt.jq)
			if err == nil {
				err = f.Check(t.Context(), []reflect.Type{reflect.TypeFor[list]()})
			}
			var e *record.Error
			if !errors.As(err, &e) || e.Code != record.InvalidInput || !strings.Contains(e.Error(), tt.want) || e.Hint.Empty() {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
	f, err := form.New("titel", "", "")
	if err == nil {
		err = f.Check(t.Context(), []reflect.Type{reflect.TypeFor[list](), reflect.TypeFor[struct {
			Titel string `json:"titel"`
		}]()})
	}
	if err != nil {
		t.Errorf("a key of one of two types is refused: %v", err)
	}
	_, err = form.New("", "", "")
	if err != nil {
		t.Error(err)
	}
}

// Whatever was asked for ends with the context, and with whoever reads.
func TestEnds(t *testing.T) {
	for _, tt := range []struct{ name, template, jq string }{
		{"a program that finds nothing", "", "range(1e12) | empty"},
		{"one that prints without end", "", "repeat(.total)"},
		{"one that adds up", "", "[limit(1000; repeat(1))] | reduce range(1e12) as $i (0; . + $i)"},
		{"one that calls itself", "", "def f: f; f"},
		{"a loop that prints nothing", "{{range $i := 1000000000000}}{{end}}", ""},
		{"loops in loops", "{{range $i := 1000000000000}}{{range $j := 1000000000000}}{{if false}}{{end}}{{end}}{{end}}", ""},
		{"a loop that prints", "{{range $i := 1000000000000}}x{{end}}", ""},
		{"templates that call one another twice", doubling(40) + `{{template "t40" .}}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
			defer stop()
			f, err := form.New("", tt.template, tt.jq)
			if err == nil {
				err = f.Check(ctx, []reflect.Type{reflect.TypeFor[list]()})
			}
			if err == nil {
				err = f.Print(ctx, io.Discard, two)
			}
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("it ended with %v", err)
			}
		})
	}
	for _, jq := range []string{"repeat(.total)", ""} {
		f, err := form.New("", map[bool]string{true: "{{range $i := 1000000000000}}x{{end}}"}[jq == ""], jq)
		if err == nil {
			err = f.Print(t.Context(), closed{}, two)
		}
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("%q goes on when nobody reads: %v", jq, err)
		}
	}
	if _, err := printed(t.Context(), `{{define "a"}}{{template "a" .}}{{end}}{{template "a" .}}`, "", two); err == nil || !strings.Contains(err.Error(), "maximum template depth") {
		t.Errorf("a template that calls itself ends with %v", err)
	}
}

// doubling defines templates, each of which calls the one before it twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString(`{{define "t0"}}{{end}}`)
	for i := 1; i <= n; i++ {
		b.WriteString(strings.NewReplacer("N", string(rune('0'+i/10))+string(rune('0'+i%10)), "M", string(rune('0'+(i-1)/10))+string(rune('0'+(i-1)%10))).
			Replace(`{{define "tN"}}{{template "tM" .}}{{template "tM" .}}{{end}}`))
	}
	return strings.ReplaceAll(b.String(), `"t0"`, `"t00"`)
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// Keys chosen for JSON stand in their order, and what is around the rows stays.
func TestSelect(t *testing.T) {
	f, err := form.New("title, id,owner.name,rank", "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		result any
		want   string
	}{
		{two, `{"rows":[{"title":"Raise \u001b[31mwalls","id":"A-1","owner.name":"ada","rank":3},{"title":"","id":"A-2","owner.name":null,"rank":0}],"total":2}`},
		{two.Rows[1], `{"title":"","id":"A-2","owner.name":null,"rank":0}`},
		{list{}, `{"rows":[],"total":0}`},
	} {
		selected, err := f.Select(tt.result)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := selected.(interface{ MarshalJSON() ([]byte, error) }).MarshalJSON(); err != nil || string(got) != tt.want {
			t.Errorf("got %s, %v, want %s", got, err, tt.want)
		}
	}
}

// A row of a list of tasks has here what its JSON leaves out.
func TestRowsAreWhole(t *testing.T) {
	rows, err := form.RowsOf(verb.Several{Tasks: []verb.Row{{ID: "A-1"}}})
	if err != nil || len(rows) != 1 || rows[0].Get("is_blocked") != false || rows[0].Get("claim.actor") != nil || rows[0].Get("fields.team") != nil {
		t.Errorf("got %v, %v", rows, err)
	}
	for _, key := range verb.KeysOf(reflect.TypeFor[verb.Row]()) {
		if _, ok := rows[0][key.Name]; !ok {
			t.Errorf("%s is missing", key.Name)
		}
	}
}
