package mcpserver_test

import (
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/tasks"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// readResource reads a resource that must be there.
func readResource(t *testing.T, cs *mcp.ClientSession, uri string) string {
	t.Helper()
	got, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Contents) != 1 || got.Contents[0].URI != uri {
		t.Fatalf("%s has %d contents", uri, len(got.Contents))
	}
	return got.Contents[0].Text
}

// A resource is what its verb returns, in either era.
func TestResourcesAreWhatVerbsReturn(t *testing.T) {
	w := newWorkspace(t)
	for _, era := range eras {
		t.Run(era, func(t *testing.T) {
			cs := connectAs(t, w, era)
			made := does[verb.Task](t, cs, "create", object{"title": "Pay " + era})
			other := does[verb.Task](t, cs, "create", object{"title": "Refund", "deps": []record.ID{made.ID}})
			begun := does[verb.Session](t, cs, "begin", object{"id": made.ID, "expected_actor": "agent:claude-1", "idempotency_key": era})

			if got := as[verb.Task](t, asObject(t, readResource(t, cs, "cairn://task/"+string(made.ID)))); got.Title != made.Title || got.Status != "in_progress" {
				t.Errorf("the task is read as %+v", got)
			}
			if got := as[verb.Session](t, asObject(t, readResource(t, cs, "cairn://session/"+begun.ID))); got.Task != made.ID {
				t.Errorf("the session is read as %+v", got)
			}
			does[verb.Task](t, cs, "transition", object{"id": made.ID, "to": "done"})
			ready := as[tasks.ListOut](t, asObject(t, readResource(t, cs, "cairn://tasks/ready"))).Tasks
			if !slices.ContainsFunc(ready, func(r verb.Row) bool { return r.ID == other.ID }) {
				t.Errorf("%s is not among the ready %+v", other.ID, ready)
			}
			completion, err := cs.Complete(t.Context(), &mcp.CompleteParams{
				Ref:      &mcp.CompleteReference{Type: "ref/resource", URI: "cairn://task/{id}"},
				Argument: mcp.CompleteParamsArgument{Name: "id", Value: string(made.ID[8:])},
			})
			if err != nil || !slices.Equal(completion.Completion.Values, []string{string(made.ID)}) {
				t.Errorf("completed to %+v, %v", completion, err)
			}
		})
	}
}

// No more than 100 ids are returned, as the protocol has it, and the answer says that there are more.
func TestCompletionsAreBounded(t *testing.T) {
	w := newWorkspace(t)
	w.Profile = verb.Maintainer
	cs := connect(t, w)
	var tasks []object
	for range 101 {
		tasks = append(tasks, object{"title": "One of many"})
	}
	does[object](t, cs, "plan", object{"tasks": tasks})
	got, err := cs.Complete(t.Context(), &mcp.CompleteParams{
		Ref: &mcp.CompleteReference{Type: "ref/resource", URI: "cairn://task/{id}"}, Argument: mcp.CompleteParamsArgument{Name: "id"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if c := got.Completion; len(c.Values) != 100 || c.Total != 101 || !c.HasMore {
		t.Errorf("%d of %d ids, more: %v", len(c.Values), c.Total, c.HasMore)
	}
}

// Where one task alone may be changed, that is the one to work on.
func TestWorkIsOnTheTaskInScope(t *testing.T) {
	w := newWorkspace(t)
	made := does[verb.Task](t, connect(t, w), "create", object{"title": "Pay"})
	w.Rights = verb.Rights{Profile: verb.PairWorker, Scope: made.ID, Toolsets: []verb.Toolset{verb.Core}}
	got, err := connect(t, w).GetPrompt(t.Context(), &mcp.GetPromptParams{Name: "work"})
	if err != nil {
		t.Fatal(err)
	}
	if text := got.Messages[0].Content.(*mcp.TextContent).Text; !strings.HasPrefix(text, "With cairn, work on "+string(made.ID)+".") {
		t.Errorf("says %q", text)
	}
}

// The guide names the tools of the loop and the resources, and can be read anywhere.
func TestGuide(t *testing.T) {
	guide := readResource(t, connect(t, anywhere(t.TempDir())), "cairn://guide")
	for _, name := range []string{"next", "wait", "begin", "get", "heartbeat", "note", "run_checks", "finish", "cancel", "transition"} {
		if _, there := catalogue.Named(name); !there || !strings.Contains(guide, "`"+name+"`") {
			t.Errorf("the guide does not name %s", name)
		}
	}
	for _, r := range []string{"cairn://task/", "cairn://session/", "cairn://tasks/ready"} {
		if !strings.Contains(guide, r) {
			t.Errorf("the guide does not name %s", r)
		}
	}
}

// Resources and prompts that the caller's rights do not reach are not offered, and reading one says what would allow
// it.
func TestRightsHoldForResourcesAndPrompts(t *testing.T) {
	for _, tt := range []struct {
		name      string
		rights    verb.Rights
		resources []string
		prompts   []string
	}{
		{"an operator", verb.Rights{Profile: verb.Operator, Toolsets: []verb.Toolset{verb.Core}},
			[]string{"guide", "ready", "session", "task", "task_diff"}, []string{"plan", "work"}},
		{"a pair worker", verb.Rights{Profile: verb.PairWorker, Toolsets: []verb.Toolset{verb.Core}},
			[]string{"guide", "ready", "session", "task", "task_diff"}, []string{"work"}},
		{"a viewer", verb.Rights{Profile: verb.Viewer}, []string{"brief", "guide", "ready", "job_logs_txt", "job_out_md", "job_patch_diff", "job_pr_json", "job_status", "proposal", "session", "task", "task_diff", "topic"}, nil},
		{"a reader", verb.Rights{Profile: verb.Maintainer, ReadOnly: true}, []string{"brief", "guide", "ready", "job_logs_txt", "job_out_md", "job_patch_diff", "job_pr_json", "job_status", "proposal", "session", "task", "task_diff", "topic"}, nil},
		{"one with the history alone", verb.Rights{Profile: verb.Operator, Toolsets: []verb.Toolset{verb.Records}}, []string{"guide"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t)
			made := does[verb.Task](t, connect(t, w), "create", object{"title": "Pay"})
			w.Rights = tt.rights
			cs := connect(t, w)
			var resources, prompts []string
			for r, err := range cs.Resources(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				resources = append(resources, r.Name)
			}
			for r, err := range cs.ResourceTemplates(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				resources = append(resources, r.Name)
			}
			for p, err := range cs.Prompts(t.Context(), nil) {
				if err != nil {
					t.Fatal(err)
				}
				prompts = append(prompts, p.Name)
			}
			if !slices.Equal(resources, tt.resources) || !slices.Equal(prompts, tt.prompts) {
				t.Errorf("offered %v and %v", resources, prompts)
			}
			_, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "cairn://task/" + string(made.ID)})
			if allowed := slices.Contains(tt.resources, "task"); (err == nil) != allowed {
				t.Errorf("reading a task: %v", err)
			} else if !allowed && (!strings.Contains(err.Error(), string(record.Forbidden)) || !strings.Contains(err.Error(), "--toolsets core")) {
				t.Errorf("reading a task is refused with %v", err)
			}
		})
	}
}

// A prompt names tools that there are.
func TestPromptsAreForTheToolsThereAre(t *testing.T) {
	cs := connectTo(t, newServer(newWorkspace(t), slog.New(slog.DiscardHandler)), "", nil)
	for name, tt := range map[string]struct {
		arguments map[string]string
		tools     []string
		says      string
	}{
		"work": {map[string]string{"task": "PROJ-7"}, []string{"identity", "begin", "get", "heartbeat", "note", "run_checks", "finish", "cancel"}, "work on PROJ-7"},
		"plan": {map[string]string{"goal": "Pay in euros"}, []string{"list", "create", "plan"}, "Pay in euros"},
	} {
		got, err := cs.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: tt.arguments})
		if err != nil {
			t.Fatal(err)
		}
		text := got.Messages[0].Content.(*mcp.TextContent).Text
		for _, tool := range tt.tools {
			if _, there := catalogue.Named(tool); !there || !strings.Contains(text, tool) {
				t.Errorf("%s does not name %s", name, tool)
			}
		}
		if !strings.Contains(text, tt.says) {
			t.Errorf("%s says %s", name, text)
		}
	}
}

// The diff of the work on a task is a resource, without the records; a task without work has none.
func TestDiffOfATask(t *testing.T) {
	w := newWorkspace(t)
	cs := connect(t, w)
	made := does[verb.Task](t, cs, "create", object{"title": "Add a roof"})
	uri := "cairn://task/" + string(made.ID) + "/diff"
	if _, err := cs.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), "no work on it is known") {
		t.Errorf("without work: %v", err)
	}
	git(t, w.Dir, "add", "--all")
	git(t, w.Dir, "commit", "-qm", "begin")
	s, err := w.Open()
	if err != nil {
		t.Fatal(err)
	}
	s.Config.Worktrees = t.TempDir()
	all, err := work.Trees(s, w.Now)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := all.Make(t.Context(), made.ID, "", "")
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(tree.Path, "roof"), "tiles\n")
	git(t, tree.Path, "add", "--all")
	git(t, tree.Path, "commit", "-qm", "a roof")
	if text := readResource(t, cs, uri); !strings.Contains(text, "+tiles") || strings.Contains(text, ".cairn/") {
		t.Errorf("the diff is %q", text)
	}
}
