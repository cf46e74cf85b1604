// Package guide is the manual for agents: one page a topic, and the verb that reads them.
package guide

import (
	"context"
	"embed"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Verbs are the verbs of the manual.
var Verbs = verb.Group{Name: "team", Toolset: verb.Team}.Of(
	verb.DeclareBare(Guide, verb.Verb{Name: "guide", Title: "Read the manual", Returns: []any{Index{}, Page{}},
		Summary: "Read the manual for agents: the list of topics, or one of them.",
		When:    "When you do not know how something is meant. It is the same everywhere and needs no workspace.",
	}),
)

//go:embed topics/*.md
var pages embed.FS

// WhichCall is the topic whose page is a table: what a caller wants, and the call that serves it.
const WhichCall = "which-call"

// Topics lists the topics in the order in which they are read.
var Topics = []string{
	"getting-started", WhichCall, "records", "the-loop", "tasks-and-deps", "filters", "checks", "decisions", "knowledge", "skills", "handoffs", "jobs-and-review", "git-and-repos",
	"sessions-and-runs", "errors-and-recovery", "idempotency", "feedback", "glossary",
}

// In is the input of Guide.
type In struct {
	Topic string `json:"topic,omitempty" doc:"one of the topics; without one they are listed" cli:"arg" from:"topics"`
}

// Index is the list of the topics.
type Index struct {
	Topics []Heading `json:"topics" result:"rows"`
}

// Heading is a topic and what it is called.
type Heading struct {
	Topic string `json:"topic"`
	Title string `json:"title"`
}

// Page is one topic.
type Page struct {
	Topic string `json:"topic"`
	Text  string `json:"text"` // in Markdown
}

// Guide returns a Page, or the Index if no topic is named. It returns NOT_FOUND for what is no topic.
func Guide(_ context.Context, _ *verb.Workspace, in In) (any, error) {
	if in.Topic == "" {
		return index(), nil
	}
	text, err := Text(in.Topic)
	if err != nil {
		return nil, err
	}
	return Page{in.Topic, text}, nil
}

// Headings lists the topics with what each is called.
func Headings() []Heading { return index().Topics }

func index() Index {
	var out Index
	for _, topic := range Topics {
		text, _ := Text(topic)
		title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
		out.Topics = append(out.Topics, Heading{topic, title})
	}
	return out
}

// Text returns the page of a topic. It returns NOT_FOUND for what is no topic, and the nearest one in the hint.
func Text(topic string) (string, error) {
	if !slices.Contains(Topics, topic) {
		e := record.Errorf(record.NotFound, "the guide has no topic %q", verb.Head(topic, 40))
		if near := verb.Nearest(topic, Topics); near != "" {
			return "", e.WithHint("did you mean %s? %s lists them", near, record.CallTo("guide"))
		}
		return "", e.WithHint("%s lists them", record.CallTo("guide"))
	}
	text, err := pages.ReadFile("topics/" + topic + ".md")
	return string(text), err
}
