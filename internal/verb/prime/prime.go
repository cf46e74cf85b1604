// Package prime holds the verb that tells an agent what it must know to work in a workspace, in a text so short that it
// can be given at the start of each of its sessions. The texts that cairn setup and the plugins give to agents come
// from here too, so that all say the same.
package prime

import (
	"context"
	"encoding/json"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/handoffs"
	"github.com/cairn-tasks/cairn/internal/verb/sessions"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/templates"
)

// Verbs are the verbs of this package.
var Verbs = verb.Group{Name: "sessions", Toolset: verb.Team}.Of(
	verb.DeclareBare(Prime, verb.Verb{Name: "prime", Title: "Prime an agent",
		Summary: "Tell an agent in under 1,500 tokens who it is, what it has open, what is ready, how to work, and this workspace's rules.",
		When:    "At the start of a conversation, and after its context was compacted. cairn setup has clients call it.",
	}),
)

// In is the input of Prime.
type In struct {
	Tools *bool  `json:"tools,omitempty" doc:"name MCP tools (the default over MCP) or commands (the default in a shell)" cli:"not=shell"`
	Hook  string `json:"hook,omitempty" doc:"print what a session-start hook of this client takes; outside a workspace, nothing" oneof:"claude=Claude Code,codex=Codex,gemini=Gemini CLI,cursor=Cursor"`
}

// Out is what an agent must know at its start. Text holds all of it, for a model to read; the lists are the same for
// programs.
type Out struct {
	Actor     record.Actor `json:"actor"`
	Workspace string       `json:"workspace"`         // the prefix of its ids
	Sessions  []Session    `json:"sessions"`          // that the actor has open, the newest first
	Lost      []record.ID  `json:"lost,omitempty"`    // of them, those that the git remote gave to another clone
	Yielded   []record.ID  `json:"yielded,omitempty"` // tasks that the caller held, until git brought files that say otherwise
	Mine      []Task       `json:"mine"`              // open tasks that the actor holds or was given, the most urgent first
	Ready     []Task       `json:"ready"`             // that next would hand out, the most urgent first
	Handoffs  []Handoff    `json:"handoffs"`          // that wait for the actor, the newest first
	Totals    Totals       `json:"totals"`            // of the lists, which show the first
	Text      string       `json:"text"`              // at most MaxText bytes of Markdown
	verb.Problems

	hook string
}

// Session is a session in a list.
type Session struct {
	ID     string         `json:"id"`
	Task   record.ID      `json:"task,omitempty"`
	Label  string         `json:"label,omitempty"` // of one about no task
	Health session.Health `json:"health"`
}

// Task is a task in a list.
type Task struct {
	ID     record.ID     `json:"id"`
	Title  string        `json:"title"` // cut
	Status record.Status `json:"status"`
}

// Handoff is a handoff in a list.
type Handoff struct {
	ID    string       `json:"id"`
	Title string       `json:"title"` // cut
	From  record.Actor `json:"from"`
}

// Totals are how many there are.
type Totals struct {
	Sessions int `json:"sessions"`
	Mine     int `json:"mine"`
	Ready    int `json:"ready"`
	Blocked  int `json:"blocked"` // open tasks that wait for others, or for their children
	Handoffs int `json:"handoffs"`
}

// MaxText is the most bytes of the text: 1,500 tokens of at most four bytes, less some for the words that a client puts
// around it.
const MaxText = 5800

const (
	shown      = 8  // of each list
	openShown  = 3  // sessions, and files that could not be read
	titleShown = 90 // bytes
)

// Prime tells an agent what it must know at its start. It reads rows, and no file of a task. It returns NO_WORKSPACE
// outside of a workspace, unless a hook asks: then there is nothing to tell.
func Prime(ctx context.Context, w *verb.Workspace, in In) (Out, error) {
	out := Out{Sessions: []Session{}, Mine: []Task{}, Ready: []Task{}, Handoffs: []Handoff{}, Problems: verb.ProblemsOf(nil, 0), hook: in.Hook}
	s, err := w.Open()
	if err != nil {
		if in.Hook != "" && record.CodeOf(err) == record.NoWorkspace {
			return out, nil
		}
		return out, err
	}
	out.Actor, out.Workspace = w.Actor(), s.Config.Prefix
	g, err := w.Graph(ctx, s)
	if err != nil {
		return out, err
	}
	out.Problems = verb.ProblemsOf(g.Problems(), openShown)
	out.tasks(ctx, w, s, g)
	if err := out.sessions(ctx, w, s); err != nil {
		return out, err
	}
	if err := out.handoffs(ctx, w, s, g); err != nil {
		return out, err
	}
	tools := w.Bounded
	if in.Tools != nil {
		tools = *in.Tools
	}
	out.Text = out.text(s.Config, templates.Names(s.Layout), tools)
	return out, nil
}

func (out *Out) tasks(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph) {
	view := w.View(s).OfMany(ctx)
	mine := tasks.WorkOf(view, g, out.Actor)
	for _, r := range mine {
		if view.Holder(g, r).LostTo != nil && len(out.Lost) < shown {
			out.Lost = append(out.Lost, record.ID(r.ID))
		}
	}
	for _, r := range g.Rows() {
		if view.Lost(g, r) && len(out.Yielded) < shown {
			out.Yielded = append(out.Yielded, record.ID(r.ID))
		}
	}
	free, rest := tasks.Survey(ctx, w, s, g, func(*kind.Row) bool { return true })
	out.Totals = Totals{Mine: len(mine), Ready: len(free), Blocked: rest.Blocked}
	out.Mine, out.Ready = foremost(mine), foremost(free)
}

func (out *Out) sessions(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	open, err := sessions.List(ctx, w, s, sessions.ListIn{Actor: string(out.Actor), Status: session.Active, Limit: openShown})
	if err != nil {
		return err
	}
	out.Totals.Sessions = open.Total
	for _, one := range open.Sessions {
		out.Sessions = append(out.Sessions, Session{one.ID, one.Task, verb.Head(one.Label, titleShown), one.Health})
	}
	return nil
}

func foremost(rows []*kind.Row) []Task {
	out := []Task{}
	for _, r := range tasks.Foremost(rows, shown) {
		out = append(out, Task{record.ID(r.ID), verb.Head(r.Title, titleShown), r.Status})
	}
	return out
}

func (out *Out) handoffs(ctx context.Context, w *verb.Workspace, s *store.Store, g *verb.Graph) error {
	waiting, err := handoffs.InboxBeside(ctx, w, s, g, handoffs.InboxIn{Types: []handoffs.What{handoffs.IsHandoff}, Limit: shown})
	if err != nil {
		return err
	}
	out.Totals.Handoffs = waiting.Total
	for _, one := range waiting.Items {
		out.Handoffs = append(out.Handoffs, Handoff{one.Record, verb.Head(one.Title, titleShown), one.From})
	}
	return nil
}

// Print is what the command prints: the text, or what the hook of a client takes. Every client takes JSON; Cursor's has
// a key of its own.
func (out Out) Print() string {
	if out.hook == "" || out.Text == "" {
		return out.Text
	}
	var answer any = map[string]any{"hookSpecificOutput": map[string]string{"hookEventName": "SessionStart", "additionalContext": out.Text}}
	if out.hook == "cursor" {
		answer = map[string]string{"additional_context": out.Text}
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		panic(err) // maps of texts
	}
	return string(raw) + "\n"
}
