package tasks

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/store/templates"
	"github.com/cairn-tasks/cairn/task"
)

// CreateIn is the input of Create.
type CreateIn struct {
	TaskIn
	Deps   []record.ID `json:"deps,omitempty" doc:"tasks, handoffs or decisions to be closed first" cli:"flag=dep"`
	Parent record.ID   `json:"parent,omitempty" doc:"task that groups it; not a dependency"`

	Template string `json:"template,omitempty" doc:"a file of .cairn/templates, without .md, for what is not given" from:"templates" mcp:"quiet"`
	verb.Once
}

// TaskIn is what a new task says of itself.
type TaskIn struct {
	Title         string    `json:"title" doc:"what is to be done, on one line" cli:"arg"`
	Body          string    `json:"body,omitempty" doc:"the intent in Markdown"`
	Checks        []CheckIn `json:"checks,omitempty" doc:"what must pass before the task can be closed" cli:"flag=check"`
	Labels        []string  `json:"labels,omitempty" doc:"free words to find it by" cli:"flag=label" from:"labels"`
	Scope         []string  `json:"scope,omitempty" doc:"globs of the paths it is about"`
	Priority      string    `json:"priority,omitempty" doc:"0 (urgent) to 4; 2 by default" values:"0=drop everything,1=high,2=normal,3=low,4=someday"`
	Mode          string    `json:"mode,omitempty" doc:"auto: an agent in a job; pair: a person and an agent" enum:"auto,pair" mcp:"quiet"`
	Repo          string    `json:"repo,omitempty" doc:"name of the repository of its files" cli:"flag=in-repo" from:"repos" mcp:"quiet"`
	Due           string    `json:"due,omitempty" doc:"a date or a time" mcp:"quiet"`
	task.Optional `mcp:"quiet"`
	Status        string   `json:"status,omitempty" doc:"-" from:"states"` // of other systems, where AUTO and PAIR stand among the states
	Acceptance    []string `json:"acceptance,omitempty" doc:"manual checks that anyone may attest"`
	Assignee      string   `json:"assignee,omitempty" doc:"who holds it from the start; me for you" from:"actors" mcp:"quiet"`
	Reviewer      string   `json:"reviewer,omitempty" doc:"who must approve it: an actor, or me" from:"actors" mcp:"quiet"`
	LinksIn
	Fields    verb.Values `json:"fields,omitempty" doc:"a field that the config declares" cli:"flag=set" mcp:"quiet" from:"fields"`
	MayChange []string    `json:"may_change,omitempty" doc:"globs of tests and scripts that its checks run and that the work may change" mcp:"quiet"`
	Evidence  bool        `json:"requires_evidence,omitempty" doc:"done needs a commit, a pull request or a passed command check" mcp:"quiet"`
}

// own are the values that the caller gives of fields, optional and of the config.
func (in TaskIn) own() verb.Values {
	out := verb.Values{}
	maps.Copy(out, in.Fields)
	maps.Copy(out, in.Values())
	return out
}

// LinksIn are the links that a caller gives a task.
type LinksIn struct {
	DiscoveredFrom []verb.RecordID `json:"discovered_from,omitempty" doc:"in whose course it was found" mcp:"quiet"`
	Duplicates     []verb.RecordID `json:"duplicates,omitempty" doc:"what asks for the same, and stands" mcp:"quiet"`
	Related        []verb.RecordID `json:"related,omitempty" doc:"what its reader should know of" mcp:"quiet"`
}

// links reads the links of a new task. It returns NOT_FOUND for one to what is not there.
func (in LinksIn) links(s *store.Store) (task.Links, error) {
	given := map[string][]verb.RecordID{"discovered_from": in.DiscoveredFrom, "duplicates": in.Duplicates, "related": in.Related}
	read, err := verb.LinksGiven(s, given, func(record.ID) bool { return false })
	return task.Links{DiscoveredFrom: read["discovered_from"], Duplicates: read["duplicates"], Related: read["related"]}, err
}

// CheckIn is a check as a caller declares it.
type CheckIn struct {
	Desc    string       `json:"desc" doc:"what it verifies; unique within the task"`
	Cmd     string       `json:"cmd,omitempty" doc:"shell command that must exit 0; leave out for a manual check"`
	Type    string       `json:"type,omitempty" doc:"manual: somebody attests it" mcp:"quiet"`
	Cwd     string       `json:"cwd,omitempty" doc:"folder to run in, relative to the workspace" mcp:"quiet"`
	Timeout verb.Seconds `json:"timeout,omitempty" doc:"seconds, or as in 10m; the workspace has a default" mcp:"quiet"`
	Guards  []string     `json:"guards,omitempty" doc:"globs of the files on which the command stands: its tests and what configures them; found by themselves for usual runners" mcp:"quiet"`
	Expect  string       `json:"expect,omitempty" doc:"pass: it passes before the work too, as for a refactoring; counts if somebody else says so before work begins" mcp:"quiet"`
	By      string       `json:"by,omitempty" doc:"who may attest it: signed, human, anyone, an actor, or signed ACTOR; me for you"`
	Result  string       `json:"result,omitempty" doc:"-"` // decoded so that its refusal can say why
}

// Flags declares how a check is given on the command line.
func (CheckIn) Flags() []verb.ObjectFlag {
	return []verb.ObjectFlag{
		{Name: "check", Form: "'DESC=COMMAND'", Parse: commandCheck},
		{Name: "passing-check", Form: "'DESC=COMMAND'", Doc: "a check that passes before the work too, as for a refactoring", Parse: passingCheck},
		{Name: "manual", Form: "DESC", Doc: "a check that a person attests", Parse: manualCheck},
	}
}

func commandCheck(value string) (map[string]any, error) {
	desc, cmd, ok := strings.Cut(value, "=")
	if !ok || strings.TrimSpace(cmd) == "" {
		return nil, verb.BadInput("", "--check %q names no command", value).
			WithHint("--check 'tests pass=go test ./...'; --manual for one without a command")
	}
	return map[string]any{"desc": strings.TrimSpace(desc), "cmd": strings.TrimSpace(cmd)}, nil
}

func passingCheck(value string) (map[string]any, error) {
	c, err := commandCheck(value)
	if err == nil {
		c["expect"] = task.ExpectPass
	}
	return c, err
}

func manualCheck(value string) (map[string]any, error) {
	return map[string]any{"desc": value, "type": "manual"}, nil
}

// CallCreate calls create from within another verb. It returns what a caller of create is answered with: the rights to
// create are asked, and a call that is repeated under the idempotency key of its input returns the task that the first
// one made.
func CallCreate(ctx context.Context, w *verb.Workspace, in CreateIn) (verb.Task, error) {
	return verb.CallTyped[verb.Task](ctx, w, createVerb, in)
}

// Create makes a task in the initial state.
func Create(ctx context.Context, w *verb.Workspace, s *store.Store, in CreateIn) (verb.Task, error) {
	declared := in.Checks
	in, err := in.withTemplate(s)
	if err != nil {
		return verb.Task{}, err
	}
	t, err := New(w, s, in.TaskIn)
	if err != nil {
		return verb.Task{}, err
	}
	t.Deps, t.Parent = in.Deps, in.Parent
	ref, err := verb.Create(ctx, w, s, kind.Tasks, func(tx *store.Tx, token string) (task.Task, error) {
		t.ID = record.ID(s.Config.Prefix + "-" + token)
		return s.Config.Flow.Create(t, kind.Deps(tx, s.Config.Flow), w.Stamp(""))
	})
	if err != nil {
		return verb.Task{}, err
	}
	ApproveWritten(ctx, w, s, Written(ctx, s, task.Task{}, t, declared))
	out, err := w.View(s).TaskByID(record.ID(ref.ID))
	out.Notices = in.Notices(s.Config.Flow)
	return out, err
}

// Notices say what New understood otherwise than it was written.
func (in TaskIn) Notices(flow task.Flow) []verb.Notice {
	if m := flow.ModeInStatus(in.Status); m != "" {
		return []verb.Notice{{Code: "STATUS_WAS_TASK_TYPE", Message: "status " + in.Status + " is no state: taken as mode " + string(m)}}
	}
	return nil
}

// modeOf is the mode of a new task, which may stand in status: any other state than the first is INVALID_INPUT.
func (in TaskIn) modeOf(flow task.Flow) (task.Mode, error) {
	m, err := task.ParseMode(in.Mode)
	if err != nil {
		return "", err
	}
	said := flow.ModeInStatus(in.Status)
	switch {
	case in.Status != "" && said == "" && record.Status(in.Status) != flow.Initial:
		return "", verb.BadInput("status", "is %q", verb.Head(in.Status, 40)).
			WithHint("leave it out: a task begins in %s, and %s moves it", flow.Initial, record.CallTo("transition"))
	case said != "" && m != "" && said != m:
		return "", verb.BadInput("status", "says %s, and mode %s", said, m).WithHint("leave out status")
	case said != "":
		return said, nil
	}
	return m, nil
}

// New reads what a caller says of a new task as a task without an id.
func New(w *verb.Workspace, s *store.Store, in TaskIn) (task.Task, error) {
	checks, err := declaredChecks(w, in.Checks)
	t := task.Task{Title: in.Title, Body: in.Body, Labels: in.Labels, Scope: in.Scope, MayChange: in.MayChange, Repo: in.Repo, RequiresEvidence: in.Evidence}
	var own map[string]string
	var reviewer record.Actor
	for _, read := range []func(){
		func() { t.Priority, err = verb.Priority(in.Priority) },
		func() { t.Due, err = verb.Due("due", in.Due, w.Now()) },
		func() { t.Links, err = in.links(s) },
		func() { own, err = w.OwnFields(s, in.own()) },
		func() { err = s.Config.Flow.Fields.HasRequired(own) },
		func() { t.Mode, err = in.modeOf(s.Config.Flow) },
		func() { err = knownRepo(s, in.Repo) },
		func() { t.Checks, err = s.Config.Flow.WithDefaults(append(checks, task.Acceptance(in.Acceptance)...)) },
		func() { t.Assignee, err = w.ActorNamed(in.Assignee) },
		func() { reviewer, err = w.ActorNamed(in.Reviewer) },
	} {
		if err != nil {
			return task.Task{}, err
		}
		read()
	}
	if t.Own = task.GivenOwn(own); reviewer != "" {
		t.Checks = task.WithReviewer(t.Checks, reviewer)
	}
	return t, err
}

// declaredChecks reads checks as a caller declares them. It refuses results, which only a run or an attestation sets.
func declaredChecks(w *verb.Workspace, in []CheckIn) ([]task.Check, error) {
	var out []task.Check
	for i, c := range in {
		where := fmt.Sprintf("checks[%d]", i)
		switch {
		case c.Result != "":
			return nil, verb.BadInput(where+".result", "cannot be written by a caller").
				WithHint("leave it out; %s and %s settle checks", record.CallTo("run_checks"), record.CallTo("attest"))
		case c.Type != "" && c.Type != "manual":
			return nil, verb.BadInput(where+".type", "is %q", c.Type).WithHint("manual, or leave it out")
		case c.Type == "manual" && c.Cmd != "":
			return nil, verb.BadInput(where, "has a cmd and is of type manual").WithHint("leave out one of the two")
		case c.Cmd == "" && c.Timeout > 0:
			return nil, verb.BadInput(where+".timeout", "is set, and there is no cmd").WithHint("leave it out")
		}
		out = append(out, task.Check{Desc: c.Desc, Cmd: c.Cmd, Cwd: c.Cwd, Timeout: int(c.Timeout), By: AttesterNamed(w, c.By), Guards: c.Guards, Expect: c.Expect, Result: record.Pending})
	}
	return out, nil
}

// Written are the commands of a task that its writer has written, by the checks as they declare them; those of a template
// and of the config are not.
func Written(ctx context.Context, s *store.Store, before, after task.Task, declared []CheckIn) []store.Command {
	checks := record.Each(declared, func(c CheckIn) task.Check { return task.Check{Cmd: c.Cmd, Cwd: c.Cwd} })
	return s.Written(ctx, before, after, checks)
}

// ApproveWritten lets the commands run that the caller has written. A person who hands over a file, which may be somebody
// else's, is asked. A consent that is not given, or cannot be kept, is asked for when the commands are to run.
func ApproveWritten(ctx context.Context, w *verb.Workspace, s *store.Store, written []store.Command) {
	if !w.Handed || !w.Actor().Human() {
		_ = s.Approve(written)
		return
	}
	left := s.Unapproved(ctx, written)
	if w.Approve == nil || len(left) == 0 || !s.Trusted() {
		return
	}
	if yes, err := w.Approve(ctx, left); err == nil && yes {
		_ = s.Approve(left)
	}
}

// AttesterNamed is who may attest a check, as it is declared: me is who acts.
func AttesterNamed(w *verb.Workspace, who string) string {
	if verb.IsMe(who) {
		return string(w.Actor())
	}
	return norm.NFC.String(who)
}

// modeInStatus returns TASK_TYPE_VALUE_IN_STATUS for a mode where a state to move a task to is asked for.
func modeInStatus(flow task.Flow, id record.ID, to record.Status) error {
	m := flow.ModeInStatus(string(to))
	if m == "" {
		return nil
	}
	return verb.WithID(record.Errorf(record.TaskTypeInStatus, "%q is a mode of a task, and not a state", record.Clip(string(to), 40)).
		WithHint("%s sets who does it; the states are %s", record.CallTo("update", "id", id, "mode", string(m)), flow.StatesText()), id)
}

// knownRepo returns INVALID_INPUT for a repository that the workspace does not name. "" is its own.
func knownRepo(s *store.Store, name string) error {
	if err := task.ValidRepo(name); err != nil || name == "" {
		return err
	}
	if _, ok := s.Config.Repo(name); !ok {
		return record.Errorf(record.InvalidInput, "repo: the workspace names no repository %q", record.Clip(name, 100)).
			WithHint("%s lists them, and %s adds one", record.CallTo("repo_list"), record.CallTo("repo_register")).WithNext(record.CallTo("repo_list"))
	}
	return nil
}

// withTemplate adds what a template says. One value stands for another: that of the caller before that of the template.
// Lists have first what the template says. A check of the caller replaces that of the same description.
func (in CreateIn) withTemplate(s *store.Store) (CreateIn, error) {
	if in.Template == "" {
		return in, nil
	}
	from, err := readTemplate(s, in.Template, in.Title)
	if err != nil {
		return in, err
	}
	in.Body = cmp.Or(in.Body, from.Body)
	in.Priority = cmp.Or(in.Priority, from.Priority)
	in.Mode = cmp.Or(in.Mode, from.Mode)
	in.Repo = cmp.Or(in.Repo, from.Repo)
	in.Due = cmp.Or(in.Due, from.Due)
	in.Optional = in.Or(from.Optional)
	in.Assignee = cmp.Or(in.Assignee, from.Assignee)
	in.Reviewer = cmp.Or(in.Reviewer, from.Reviewer)
	in.Evidence = in.Evidence || from.Evidence
	in.Labels = union(from.Labels, in.Labels)
	in.Scope = union(from.Scope, in.Scope)
	in.MayChange = union(from.MayChange, in.MayChange)
	in.Acceptance = union(from.Acceptance, in.Acceptance)
	in.DiscoveredFrom = union(from.DiscoveredFrom, in.DiscoveredFrom)
	in.Duplicates = union(from.Duplicates, in.Duplicates)
	in.Related = union(from.Related, in.Related)
	theirs := slices.DeleteFunc(slices.Clone(from.Checks), func(c CheckIn) bool {
		return slices.ContainsFunc(in.Checks, func(own CheckIn) bool { return own.Desc == c.Desc })
	})
	in.Checks = slices.Concat(theirs, in.Checks)
	if len(from.Fields) > 0 {
		own := maps.Clone(from.Fields)
		maps.Copy(own, in.Fields)
		in.Fields = own
	}
	return in, nil
}

// readTemplate reads a template as strictly as the input of create. Keys of the user's own may stand among the others.
// The title is the caller's, and one of the template is an error.
func readTemplate(s *store.Store, name, title string) (TaskIn, error) {
	src, err := templates.Read(s.Layout, name)
	if err != nil {
		return TaskIn{}, err
	}
	said, err := verb.ReadObject(src)
	if err != nil {
		return TaskIn{}, inTemplate(name, err)
	}
	if _, ok := said["title"]; ok {
		return TaskIn{}, inTemplate(name, verb.BadInput("title", "stands in a template").WithHint("take it out: each task has a title of its own"))
	}
	own := map[string]any{}
	for _, field := range s.Config.Flow.Fields {
		if value, ok := said[field.Name]; ok {
			own[field.Name] = value
			delete(said, field.Name)
		}
	}
	said["title"] = title
	if _, ok := said["fields"]; !ok && len(own) > 0 {
		said["fields"] = own
	}
	src, err = json.Marshal(said)
	if err != nil {
		return TaskIn{}, err
	}
	in, err := verb.DecodeInput[TaskIn](src)
	return in, inTemplate(name, err)
}

func inTemplate(name string, err error) error {
	var e *record.Error
	if !errors.As(err, &e) {
		return err
	}
	return record.Errorf(e.Code, "the template %s: %s", name, record.MessageOf(err)).WithHint("%s", e.Hint.String())
}

func union[T comparable](a, b []T) []T {
	out := slices.Clone(a)
	for _, one := range b {
		if !slices.Contains(out, one) {
			out = append(out, one)
		}
	}
	return out
}
