package catalogue

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// ForPeople is a page that speaks of calls, as the manual for agents does, in the words of the command line: what stands
// in code as a call of a verb is the command, the name of a verb that of its command, and an argument its flag.
func ForPeople(page string) string {
	var last []verb.Verb // that the page called, the newest first
	return codeSpan().ReplaceAllStringFunc(page, func(span string) string {
		said := strings.Trim(span, "`")
		if m := callText().FindStringSubmatch(said); m != nil {
			v, known := Named(m[1])
			if !known {
				return span
			}
			last = slices.Insert(last, 0, v)
			return "`" + CommandLine(typed(v, m[2])) + "`"
		}
		called, isVerb := Named(said)
		name, value, _ := strings.Cut(said, ": ")
		for i, v := range last {
			f, ok := fieldOf(v, name)
			if ok && (!isVerb || i == 0) { // of what is both, the call just before decides
				return "`" + wordsOf(v, record.Arg{Name: name, Value: valueOf(f, value)})[0] + "`"
			}
		}
		if isVerb {
			return "`cairn " + commandOf(called.Name) + "`"
		}
		return span
	})
}

var (
	codeSpan = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("`[^`\n]+`") })
	callText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z_]+)\((.*)\)$`) })
)

func fieldOf(v verb.Verb, name string) (verb.Field, bool) {
	return record.Find(v.Fields(), func(f verb.Field) bool { return f.Name == name })
}

// typed is a call as a page has it: next(), list(assignee: me), begin(id, label). What the command line fills in by itself
// is left out, and what has no value there is a word in capitals.
func typed(v verb.Verb, args string) record.Call {
	c := record.Call{Verb: v.Name}
	for one := range strings.SplitSeq(args, ", ") {
		name, value, given := strings.Cut(one, ": ")
		f, ok := fieldOf(v, name)
		if !ok || !given && f.Own != "" {
			continue
		}
		c.Args = append(c.Args, record.Arg{Name: name, Value: valueOf(f, value)})
	}
	return c
}

// valueOf is the value of an argument as it is typed; of one that is only named a word in capitals, or yes.
func valueOf(f verb.Field, text string) any {
	text = strings.Trim(text, "[]")
	switch {
	case f.Type == verb.Boolean:
		return text != "false"
	case text == "":
		return placeholder(f)
	default:
		return text
	}
}

func placeholder(f verb.Field) string { return strings.ToUpper(strings.ReplaceAll(f.Name, "_", "-")) }
