package web

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/check/report/harmless"
	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// writer calls the verbs that write, for the forms of pages.
type writer struct {
	*painter
	turns  chan struct{}
	person func() error // as in Options
}

// offered are the verbs that pages write with.
var offered = []string{
	"create", "plan", "claim", "release", "start", "transition", "update", "note", "attest", "run_checks", "undo",
	"handoff_claim", "handoff_respond", "handoff_resolve", "inbox", "review_apply",
	"job_start", "job_cancel", "job_say", "decision_log", "decision_set_status", "knowledge_write",
}

// do calls the verb that a form names, in the name of the server's actor, and leads back to the page of the form.
func (wr *writer) do(w http.ResponseWriter, r *http.Request, v *visitor) {
	name := r.PathValue("verb")
	vb, known := catalogue.Named(name)
	if !known || !slices.Contains(offered, name) {
		http.Error(w, "no page writes so", http.StatusNotFound)
		return
	}
	if wr.reads.w.ReadOnly { // inbox reads too, and acknowledges
		wr.refuse(w, r, v, record.Errorf(record.ReadOnly, "this server changes nothing"))
		return
	}
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Time{}) // checks may run for long
	_ = limit.SetWriteDeadline(time.Time{})
	in, err := inputOf(vb, r.PostForm)
	if err == nil {
		err = wr.complete(vb, in, r.PostForm)
	}
	if err == nil && (name != "update" || wr.unite(r.Context(), in, r.PostForm)) {
		err = wr.write(r.Context(), vb, in, r.PostForm)
	}
	_ = limit.SetWriteDeadline(time.Now().Add(answerTime))
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		wr.refuse(w, r, v, err)
	case r.Header.Get(tokenHeader) != "":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		_, _ = io.WriteString(w, wr.happened(r.Context(), name, r.PostForm))
	default:
		http.Redirect(w, r, back(r.PostForm.Get("back")), http.StatusSeeOther)
	}
}

// happened says in words what a write did.
func (wr *writer) happened(ctx context.Context, name string, form url.Values) string {
	said := map[string]string{
		"create": "The task was added", "plan": "The tasks were made", "claim": "You have it", "release": "You let go of it", "update": "Saved",
		"note": "The comment was added", "attest": "What you saw was recorded", "run_checks": "The checks have run", "undo": "Your last write was taken back",
		"handoff_claim": "You took it over", "handoff_respond": "Answered", "inbox": "Taken off the list", "job_start": "The job was started",
		"job_cancel": "The job was canceled", "job_say": "The job was told", "decision_log": "Logged", "knowledge_write": "Saved",
		"decision_set_status": "The decision is " + form.Get("status"),
		"review_apply":        map[string]string{"approve": "Approved", "merge": "Merged", "reject": "Sent back"}[form.Get("action")],
	}[name]
	if name != "transition" && name != "start" {
		return cmp.Or(said, "It is done")
	}
	is := wr.now(ctx, form.Get("id"))
	if is == nil {
		return "Moved"
	}
	state := strings.ReplaceAll(string(is.Status), "_", " ")
	if at, err := wr.reads.w.Open(); err == nil && !at.Config.Flow.IsClosed(is.Status) {
		state = "in " + strings.TrimPrefix(state, "in ")
	}
	return harmless.Line(is.Title) + " is " + state
}

// complete replaces the ends of ids of tasks, as cards show them, by the whole ids.
func (wr *writer) complete(v verb.Verb, in args, form url.Values) error {
	if form.Has("several") && !form.Has("ids") {
		return record.Errorf(record.InvalidInput, "no row is chosen").WithHint("tick those that are to be changed, or press x on them")
	}
	at, err := wr.reads.w.Open()
	if err != nil {
		return err
	}
	whole := func(id string) (string, error) {
		out, err := at.Resolve(kind.Tasks.Kind, id)
		if id == "" || record.CodeOf(err) == record.NotFound { // the verb says what that means
			return id, nil
		}
		return out, err
	}
	for _, f := range v.Fields() {
		if f.Names != record.TaskKind || f.AnyKind || f.Name == "id" || f.Name == "ids" {
			continue
		}
		switch value := in[f.Name].(type) {
		case string:
			in[f.Name], err = whole(value)
		case []string:
			for i := range value {
				if err == nil {
					value[i], err = whole(value[i])
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// back is the page that a form comes from, of this server alone.
func back(path string) string {
	if u, err := url.Parse(path); err == nil && u.Host == "" && u.Scheme == "" &&
		strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "//") && !strings.Contains(path, `\`) {
		return path
	}
	return "/board"
}

// write calls a verb. Commands of checks that are new here run only once a person has typed that they may, elsewhere.
func (wr *writer) write(ctx context.Context, v verb.Verb, in args, form url.Values) error {
	if !v.Runs {
		select {
		case wr.turns <- struct{}{}:
			defer func() { <-wr.turns }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	src, err := json.Marshal(in)
	if err != nil {
		return err
	}
	w := wr.reads.w
	w.Confirm = func(_ context.Context, asks []task.Ask) error { return confirm(wr.person, asks, form) }
	w.Progress = func(p verb.Progress) { wr.live.progress(p.String()) }
	noting, writes := store.NoteWrites(ctx)
	_, err = v.Call(noting, &w, src)
	for _, line := range work.Autocommit(context.WithoutCancel(ctx), writes, w.StateDir, w.Now) {
		wr.log.Warn(line, "verb", v.Name)
	}
	return err
}

// now is a record as it is now; nil for one that cannot be read.
func (wr *writer) now(ctx context.Context, id string) *nowIs {
	got, _ := ask[any](ctx, wr.reads, "get", args{"id": id})
	switch one := got.(type) {
	case verb.Task:
		return &nowIs{one.Title, one.Status, string(one.Rev), one.Body}
	case verb.Record:
		return &nowIs{one.Title, one.Status, string(one.Rev), one.Body}
	}
	return nil
}

// refuse draws why a write was not done.
func (wr *writer) refuse(w http.ResponseWriter, r *http.Request, v *visitor, err error) {
	out := explain(err, wr.reads.w.Rights)
	out.Do, out.Back, out.Form = r.PathValue("verb"), back(r.PostForm.Get("back")), r.PostForm
	for _, own := range []string{"token", "back", "word", "asked"} {
		out.Form.Del(own)
	}
	status := cmp.Or(statusOf[out.Code], http.StatusUnprocessableEntity)
	if out.Asks != nil {
		status = http.StatusPreconditionRequired
	}
	if out.Code == record.Conflict {
		out.Now = wr.now(r.Context(), r.PostForm.Get("id"))
	}
	p := wr.page(r, v, out.Head())
	p.Body = out
	wr.draw(w, status, "refused", p)
}
