package mcpserver

import (
	"slices"
	"strings"
	"text/template"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
	manual "github.com/cairn-tasks/cairn/internal/verb/guide"
)

// text executes a page's template for a caller. A page has three functions: has reports whether all the named tools are
// offered, so that no page names a tool that the caller lacks, n numbers the steps, and which is the table of calls.
func text(page string, rights verb.Rights) string {
	step := 0
	funcs := template.FuncMap{
		"has": func(tools ...string) bool {
			return !slices.ContainsFunc(tools, func(name string) bool { return !offered(rights, name) })
		},
		"n":     func() int { step++; return step },
		"which": func() string { return whichCall(rights) },
	}
	var b strings.Builder
	if err := template.Must(template.New("").Funcs(funcs).Parse(page)).Execute(&b, rights); err != nil {
		panic(err) // the pages are ours, and every right is tried by a test
	}
	return b.String()
}

// whichCall is the table of the topic of that name, without the rows of calls that a caller is not offered.
func whichCall(rights verb.Rights) string {
	page, err := manual.Text(manual.WhichCall)
	if err != nil {
		panic(err) // the topics are ours
	}
	_, table, _ := strings.Cut(page, "\n\n")
	var b strings.Builder
	for row := range strings.Lines(table) {
		lacks := slices.ContainsFunc(strings.Split(row, "`"), func(said string) bool {
			name, _, isCall := strings.Cut(said, "(")
			_, isVerb := catalogue.Named(name)
			return isCall && isVerb && !offered(rights, name)
		})
		if !lacks {
			b.WriteString(row)
		}
	}
	return strings.TrimSpace(b.String())
}

// offered reports whether a caller is offered a tool.
func offered(rights verb.Rights, name string) bool {
	v, ok := catalogue.Named(name)
	return ok && rights.Allow(v) == nil
}
