package web

import (
	"fmt"
	"html/template"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// funcs are what templates call.
var funcs = template.FuncMap{
	"at":       func(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") + " UTC" },
	"iso":      func(at time.Time) string { return at.UTC().Format(time.RFC3339) },
	"short":    func(at time.Time) string { return at.UTC().Format("2 Jan 15:04") },
	"asset":    assetPath,
	"md":       markdown,
	"who":      actorName,
	"sort":     actorSort,
	"initials": initials,
	"prio":     func(p task.Priority) string { return priorityNames[min(max(int(p), 0), len(priorityNames)-1)] },
	"priority": func(p *task.Priority) task.Priority {
		if p == nil {
			return task.DefaultPriority
		}
		return *p
	},
	"deref":      func(t *time.Time) time.Time { return *t },
	"priorities": func() []string { return priorityNames },
	"join":       func(list []string) string { return strings.Join(list, ", ") },
	"lines":      func(list []string) string { return strings.Join(list, "\n") },
	"query":      withQuery,
	"plain":      harmless.Line,
	"text":       harmless.Text,
	"clip":       func(text string, n int) string { return record.Clip(text, n) },
	"long":       func(text string) bool { return len(text) > 60 || strings.Contains(text, "\n") },
	"rest":       restOf,
	"words":      func(text string) string { return strings.ReplaceAll(text, "_", " ") },
	"has":        func(list []string, one string) bool { return slices.Contains(list, one) },
	"dict":       dict,
	"optional":   func() []task.Field { return task.OptionalFields() },
	"head":       func(name string) string { return strings.ToUpper(name[:1]) + name[1:] },
	"num":        func(p task.Priority) int { return int(p) },
	"inc":        func(n int) int { return n + 1 },
	"web": func(target string) bool {
		return strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://")
	},
	"size":  sizeOf,
	"count": func(n int, one, many string) string { return count(n, one, many) },
	"put":   func(format string, values ...any) string { return fmt.Sprintf(format, values...) },
}

var priorityNames = []string{"drop everything", "high", "normal", "low", "someday"}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// sizeOf is a number of bytes in words.
func sizeOf(bytes int64) string {
	if bytes < 10<<10 {
		return count(int(bytes), "byte", "bytes")
	}
	return fmt.Sprintf("%d KB", bytes>>10)
}

// dict makes a map of names and values in turn, for a template that takes more than one.
func dict(pairs ...any) map[string]any {
	out := map[string]any{}
	for pair := range slices.Chunk(pairs, 2) {
		out[pair[0].(string)] = pair[1]
	}
	return out
}

// restOf is a query without some of its values, and without the place in a list.
func restOf(q url.Values, names ...string) url.Values {
	out := maps.Clone(q)
	for _, name := range append(names, "cursor") {
		out.Del(name)
	}
	return out
}

// withQuery is a query with a value set, or taken away if it is "".
func withQuery(q url.Values, name, value string) template.URL {
	out := url.Values{}
	for key, values := range q {
		if key != "cursor" {
			out[key] = values
		}
	}
	if out.Del(name); value != "" {
		out.Set(name, value)
	}
	return template.URL("?" + out.Encode()) //nolint:gosec // Encode escapes what could be more than a query
}

func ago(now, at time.Time) string {
	d := now.Sub(at)
	switch {
	case at.IsZero():
		return ""
	case d < -time.Minute:
		return at.UTC().Format("2 Jan 2006")
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min ago", int(d.Minutes()))
	case d < 36*time.Hour:
		return fmt.Sprintf("%d h ago", int(d.Hours()))
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d d ago", int(d.Hours()/24))
	default:
		return at.UTC().Format("2 Jan 2006")
	}
}

// actorName is an actor without what it is: human:ada is ada.
func actorName(a any) string {
	_, name, ok := strings.Cut(fmt.Sprint(a), ":")
	if !ok {
		return fmt.Sprint(a)
	}
	return name
}

// actorSort is what an actor is: human, agent, service or ci.
func actorSort(a any) string {
	sort, _, ok := strings.Cut(fmt.Sprint(a), ":")
	if !ok {
		return "nobody"
	}
	return sort
}

// initials are the first letters of the first two words of an actor's name.
func initials(a any) string {
	words := strings.FieldsFunc(actorName(a), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	out := ""
	for _, word := range words[:min(2, len(words))] {
		out += string([]rune(word)[:1])
	}
	return strings.ToUpper(out)
}
