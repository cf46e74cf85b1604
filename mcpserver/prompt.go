package mcpserver

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

//go:embed pages/work.md
var workPage string

//go:embed pages/plan.md
var planPage string

const taskArgument = "task"

// prompt is a text that a person can have a client send. The argument replaces its own name in capitals.
type prompt struct {
	name     string
	title    string
	says     string
	argument string
	about    string // what the argument is
	unless   string // the value of an argument that is left out; "" for one that is required
	page     string
	verbs    []string // of which one must be offered for the text to make sense
}

var prompts = []prompt{
	{
		"work", "Work on a task", "Begin a task, do it, check it, and hand it over for review.",
		taskArgument, "id of the task, if it is to be a certain one", "the task that the tool next gives you", workPage, []string{"begin"},
	},
	{
		"plan", "Plan a goal", "Cut a goal into tasks with checks and dependencies.",
		"goal", "what is to be reached", "", planPage, []string{"create", "plan", "propose"},
	},
}

// addPrompts offers the prompts that the caller's rights let it follow.
func (s *Server) addPrompts() {
	for _, p := range prompts {
		if !slices.ContainsFunc(p.verbs, s.offers) {
			continue
		}
		if p.argument == taskArgument && s.w.Scope != "" {
			p.unless = string(s.w.Scope)
		}
		p.page = text(p.page, s.w.Rights)
		argument := []mcp.ArgumentOption{mcp.ArgumentDescription(p.about)}
		if p.unless == "" {
			argument = append(argument, mcp.RequiredArgument())
		}
		s.mcp.AddPrompt(mcp.NewPrompt(p.name, mcp.WithPromptTitle(p.title), mcp.WithPromptDescription(p.says),
			mcp.WithArgument(p.argument, argument...)), p.get)
	}
}

// get answers prompts/get.
func (p prompt) get(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	for name := range req.Params.Arguments {
		if name != p.argument {
			return nil, fmt.Errorf("the prompt %s takes %s, and no %q", p.name, p.argument, name)
		}
	}
	value := strings.TrimSpace(req.Params.Arguments[p.argument])
	if value == "" {
		value = p.unless
	}
	if value == "" {
		return nil, fmt.Errorf("the prompt %s needs %s: %s", p.name, p.argument, p.about)
	}
	text := strings.ReplaceAll(p.page, strings.ToUpper(p.argument), value)
	return mcp.NewGetPromptResult(p.says, []mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
}
