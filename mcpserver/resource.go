package mcpserver

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	manual "github.com/cairn-tasks/cairn/internal/verb/guide"
	"github.com/cairn-tasks/cairn/internal/work/verb/trees"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

//go:embed pages/guide.md
var guide string

// resource is the result of a verb, or a page, under a URI. The URI of a template has {id} in it, or ends with {topic}.
type resource struct {
	uri      string
	name     string
	title    string
	says     string
	verb     string // "" for a page
	argument string // of the verb, that takes the id; "" if the URI has none
	kind     string // of record that the verb reads; "" if the URI has no id
	markdown bool   // the result is a page
	content  string // the type of the content, if it is neither JSON nor Markdown

	// read reads the resource in place of the verb, whose callers may read it.
	read func(ctx context.Context, w *verb.Workspace, id string) (reading, error)
}

// reading is what was read of a resource.
type reading struct {
	text    string
	state   string // is another whenever the resource is; "" where that is said by the text
	version int    // of a job, also of one that has not left the file yet
}

const (
	readyURI = "cairn://tasks/ready"
	briefURI = "cairn://brief"
	guideURI = "cairn://guide"
	idPart   = "{id}"
	topicURI = "cairn://guide/{topic}"
)

// resources returns what is ready, the brief, the guide, and one template for each kind of record that a verb reads.
func resources() []resource {
	return slices.Concat([]resource{
		{uri: readyURI, name: "ready", title: "Ready tasks", says: "What list returns with ready true: the tasks that next would hand out.", verb: "list"},
		{uri: briefURI, name: "brief", title: "The workspace in short", says: "What brief returns: counts, the most urgent tasks, decisions, knowledge, open handoffs, what happened last.", verb: "brief"},
		{uri: guideURI, name: "guide", title: "Working with cairn", says: "The loop, the gates, waiting, and what to do about a refusal, on one page.", markdown: true},
		{uri: topicURI, name: "topic", title: "A page of the manual", says: "One topic of the manual for agents, as guide returns it.", verb: "guide", argument: "topic", markdown: true},
		{
			uri: trees.DiffURI(idPart), name: "task_diff", title: "The diff of a task's branch", says: "What the branch of a task changes, as a patch, without its records.",
			verb: "get", argument: "id", kind: "task", content: "text/x-diff", read: diffOf,
		},
	}, templates(), jobResources())
}

// templates returns a resource for each verb that reads one record of a kind.
func templates() []resource {
	var out []resource
	for _, v := range catalogue.All {
		if v.Reads == "" {
			continue
		}
		out = append(out, resource{
			uri: "cairn://" + v.Reads + "/" + idPart, name: v.Reads, title: "A " + v.Reads,
			says: "What " + v.Name + " returns: " + strings.TrimPrefix(v.Summary, "Read "),
			verb: v.Name, argument: argumentFor(v, v.Reads), kind: v.Reads,
		})
	}
	return out
}

// argumentFor returns the name of the first field of a verb that takes the id of a kind of record, or "".
func argumentFor(v verb.Verb, kind string) string {
	i := slices.IndexFunc(v.Fields(), func(f verb.Field) bool { return f.Names == kind })
	if i < 0 {
		return ""
	}
	return v.Fields()[i].Name
}

func (r resource) mime() string {
	if r.content != "" {
		return r.content
	}
	if r.markdown {
		return "text/markdown"
	}
	return "application/json"
}

// resourceOf returns the resource that a URI names, and the id in it. It returns NOT_FOUND if there is no such
// resource.
func resourceOf(uri string) (r resource, id string, err error) {
	for _, r := range resources() {
		prefix, rest, many := strings.Cut(r.uri, "{")
		_, suffix, _ := strings.Cut(rest, "}")
		id, begins := strings.CutPrefix(uri, prefix)
		id, ends := strings.CutSuffix(id, suffix)
		if begins && ends && (many || id == "") {
			return r, id, nil
		}
	}
	return resource{}, "", record.Errorf(record.NotFound, "there is no resource %s", uri).
		WithHint("resources/list and resources/templates/list show them")
}

// addResources adds the resources to the server. Those that the caller may not read are not listed; reading one is
// refused, with the flag that would allow it in the hint.
func (s *Server) addResources(hooks *server.Hooks) {
	for _, r := range resources() {
		if r.argument != "" {
			s.mcp.AddResourceTemplate(mcp.NewResourceTemplate(r.uri, r.name, mcp.WithTemplateTitle(r.title),
				mcp.WithTemplateMIMEType(r.mime()), mcp.WithTemplateDescription(r.says)), s.readResource)
			continue
		}
		s.mcp.AddResource(mcp.NewResource(r.uri, r.name, mcp.WithResourceTitle(r.title),
			mcp.WithMIMEType(r.mime()), mcp.WithResourceDescription(r.says)), s.readResource)
	}
	hooks.AddAfterListResources(func(_ context.Context, _ any, _ *mcp.ListResourcesRequest, list *mcp.ListResourcesResult) {
		list.Resources = slices.DeleteFunc(list.Resources, func(r mcp.Resource) bool { return !s.readable(r.URI) })
	})
	hooks.AddAfterListResourceTemplates(func(_ context.Context, _ any, _ *mcp.ListResourceTemplatesRequest, list *mcp.ListResourceTemplatesResult) {
		list.ResourceTemplates = slices.DeleteFunc(list.ResourceTemplates, func(r mcp.ResourceTemplate) bool { return !s.readable(r.URITemplate.Raw()) })
	})
}

// readable reports whether the caller may read what a URI, or a template, names.
func (s *Server) readable(uri string) bool {
	r, _, err := resourceOf(uri)
	return err == nil && (r.verb == "" || s.offers(r.verb))
}

// offers reports whether the caller is offered a verb.
func (s *Server) offers(name string) bool { return offered(s.w.Rights, name) }

// readResource answers resources/read.
func (s *Server) readResource(ctx context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	r, id, err := resourceOf(req.Params.URI)
	if err != nil {
		return nil, s.protocolError(err)
	}
	got, err := s.read(ctx, r, id)
	if err != nil {
		return nil, s.protocolError(err)
	}
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: r.mime(), Text: got.text}}, nil
}

// read reads a resource: exactly the result of its verb.
func (s *Server) read(ctx context.Context, r resource, id string) (reading, error) {
	if r.verb == "" {
		return reading{text: text(guide, s.w.Rights)}, nil
	}
	if r.read != nil {
		if !s.offers(r.verb) {
			return reading{}, s.w.Allow(s.tools[r.verb])
		}
		w := s.workspace()
		return r.read(ctx, &w, id)
	}
	out, err := s.do(ctx, r.verb, r.arguments(id))
	if err != nil {
		return reading{}, err
	}
	if page, ok := out.(manual.Page); ok {
		return reading{text: page.Text}, nil
	}
	text, err := encode(out)
	return reading{text: string(text)}, err
}

// diffOf is what the branch of a task changes. It returns RESOURCE_NOT_FOUND for a task without a branch.
func diffOf(ctx context.Context, w *verb.Workspace, id string) (reading, error) {
	of, err := record.ParseID(id)
	if err != nil {
		return reading{}, err
	}
	p, err := trees.OnTask(ctx, w, of)
	if err != nil {
		return reading{}, err
	}
	diff, err := p.Diff(ctx)
	if record.CodeOf(err) == record.NotFound {
		err = record.Errorf(record.ResourceNotFound, "%s", record.MessageOf(err)).WithHint("%s shows what there is to review", record.CallTo("get", "id", id, "include", []string{"review"}).OnlyShown())
	}
	return reading{text: diff}, verb.WithID(err, of)
}

// arguments are those with which the verb of a resource is called.
func (r resource) arguments(id string) map[string]any {
	switch {
	case r.argument != "":
		return map[string]any{r.argument: id}
	case r.uri == readyURI:
		return map[string]any{"ready": true}
	}
	return map[string]any{}
}

// do calls a verb for what is not a tool, within the caller's rights.
func (s *Server) do(ctx context.Context, name string, args map[string]any) (any, error) {
	v := s.tools[name]
	return s.call(ctx, v, v.Call, nil, marshal(args), "")
}
