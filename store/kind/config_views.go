package kind

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/task"
)

// View is a list of tasks that has a name: one of views in the config.
type View struct {
	Name    string
	Where   string   // the filter; "" for every open task
	Sort    string   // "" as a list sorts by itself
	Columns []string // keys of rows, as --fields has them; nil as a list shows by itself
}

const maxViews = 100

// View is the view with a name. It returns NOT_FOUND with the names that there are.
func (c Config) View(name string) (View, error) {
	var names []string
	for _, v := range c.Views {
		if v.Name == name {
			return v, nil
		}
		names = append(names, v.Name)
	}
	e := record.Errorf(record.NotFound, "the config has no view %q", record.Clip(name, 40))
	if len(names) == 0 {
		return View{}, e.WithHint("views: [{name: mine, where: assignee=me}] in config.yaml is one")
	}
	return View{}, e.WithHint("the views are %s", strings.Join(names, ", "))
}

func (r *configReader) views(n *format.Node) {
	keys := []Key{
		KeyOf("name", func(v *View) *string { return &v.Name }),
		KeyOf("where", func(v *View) *string { return &v.Where }),
		KeyOf("sort", func(v *View) *string { return &v.Sort }),
		KeyOf("columns", func(v *View) *[]string { return &v.Columns }),
	}
	for _, m := range r.maps("views", n) {
		r.only("a view", m, keys)
		one := readObject[View](&r.reader, m, keys)
		if !isViewName(one.Name) {
			r.fail(m, "a view needs a name of at most 40 letters, digits and ._-, not %q", record.Clip(one.Name, 40))
		}
		if slices.ContainsFunc(r.c.Views, func(v View) bool { return v.Name == one.Name }) {
			r.fail(m, "another view is called %q", one.Name)
		}
		r.c.Views = append(r.c.Views, one)
	}
	if len(r.c.Views) > maxViews {
		r.fail(n, "views has %d, more than %d", len(r.c.Views), maxViews)
	}
}

// require reads what is required of closes: one mapping, or a list of them.
func (r *configReader) require(n *format.Node) {
	all := []*format.Node{format.Deref(n)}
	if all[0].Kind != format.MappingNode {
		all = r.maps("require", n)
	}
	keys := []Key{
		KeyOf("evidence", func(n *task.Need) *string { return &n.Evidence }),
		KeyOf("for", func(n *task.Need) *string { return &n.For }),
	}
	for _, m := range all {
		r.only("require", m, keys)
		one := readObject[task.Need](&r.reader, m, keys)
		if one.Level() == task.Unproven {
			r.fail(m, "require needs evidence: %s, not %q", strings.Join(task.LevelNames[1:], ", "), record.Clip(one.Evidence, 40))
		}
		r.c.Require = append(r.c.Require, one)
	}
}

// isViewName takes letters of every script.
func isViewName(name string) bool {
	return name != "" && utf8.RuneCountInString(name) <= 40 && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.In(r, unicode.L, unicode.M, unicode.N) && !strings.ContainsRune("._-", r)
	})
}

// only refuses a key of an object that it does not have.
func (r *configReader) only(what string, m *format.Node, keys []Key) {
	names := record.Each(keys, func(k Key) string { return k.name })
	for i := 0; i+1 < len(m.Content); i += 2 {
		if key := m.Content[i].Value; !slices.Contains(names, key) {
			r.fail(m.Content[i], "%s has no key %q: it has %s", what, record.Clip(key, 40), strings.Join(names, ", "))
		}
	}
}
