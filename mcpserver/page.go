package mcpserver

import (
	"slices"
	"strings"
	"text/template"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// text executes a page's template for a caller. A page has two functions: has reports whether all the named tools are
// offered, so that no page names a tool that the caller lacks, and n numbers the steps.
func text(page string, rights verb.Rights) string {
	step := 0
	funcs := template.FuncMap{
		"has": func(tools ...string) bool {
			return !slices.ContainsFunc(tools, func(name string) bool { return !offered(rights, name) })
		},
		"n": func() int { step++; return step },
	}
	var b strings.Builder
	if err := template.Must(template.New("").Funcs(funcs).Parse(page)).Execute(&b, rights); err != nil {
		panic(err) // the pages are ours, and every right is tried by a test
	}
	return b.String()
}

// offered reports whether a caller is offered a tool.
func offered(rights verb.Rights, name string) bool {
	v, ok := catalogue.Named(name)
	return ok && rights.Allow(v) == nil
}
