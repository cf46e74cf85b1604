package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/catalogue"
	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/work"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/task"
)

// args is the input of a verb, by the names of its fields.
type args map[string]any

// ask calls a verb that reads.
func ask[Out any](ctx context.Context, s *Server, name string, in args) (Out, error) {
	var got Out
	v, known := catalogue.Named(name)
	if !known || v.Kind != verb.Read {
		return got, fmt.Errorf("%s is no verb that reads", name)
	}
	if !v.Waits {
		select {
		case s.reads <- struct{}{}:
			defer func() { <-s.reads }()
		case <-ctx.Done():
			return got, ctx.Err()
		}
	}
	src, err := json.Marshal(in)
	if err != nil {
		return got, err
	}
	w := s.w
	out, err := v.Call(ctx, &w, src)
	if err == nil {
		got, _ = out.(Out)
	}
	return got, err
}

// offered are the verbs that pages write with.
var offered = []string{
	"create", "claim", "release", "start", "transition", "update", "note", "attest", "run_checks", "undo",
	"handoff_claim", "handoff_respond", "handoff_resolve", "inbox", "review_apply",
	"job_start", "job_cancel", "job_say", "decision_log", "decision_set_status", "knowledge_write",
}

// do calls the verb that a form names, in the name of the server's actor, and leads back to the page of the form.
func (s *Server) do(w http.ResponseWriter, r *http.Request, v *visitor) {
	name := r.PathValue("verb")
	vb, known := catalogue.Named(name)
	if !known || !slices.Contains(offered, name) {
		http.Error(w, "no page writes so", http.StatusNotFound)
		return
	}
	if s.w.ReadOnly { // inbox reads too, and acknowledges
		s.refuse(w, r, v, record.Errorf(record.ReadOnly, "this server changes nothing"))
		return
	}
	limit := http.NewResponseController(w)
	_ = limit.SetReadDeadline(time.Time{}) // checks may run for long
	_ = limit.SetWriteDeadline(time.Time{})
	in, err := inputOf(vb, r.PostForm)
	if err == nil {
		err = s.write(r.Context(), vb, in, r.PostForm)
	}
	_ = limit.SetWriteDeadline(time.Now().Add(answerTime))
	switch {
	case errors.Is(err, context.Canceled):
	case err != nil:
		s.refuse(w, r, v, err)
	case r.Header.Get(tokenHeader) != "":
		w.WriteHeader(http.StatusNoContent)
	default:
		http.Redirect(w, r, back(r.PostForm.Get("back")), http.StatusSeeOther)
	}
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
func (s *Server) write(ctx context.Context, v verb.Verb, in args, form url.Values) error {
	if !v.Runs {
		select {
		case s.writes <- struct{}{}:
			defer func() { <-s.writes }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	src, err := json.Marshal(in)
	if err != nil {
		return err
	}
	w := s.w
	w.Confirm = func(_ context.Context, asks []task.Ask) error { return s.confirm(asks, form) }
	w.Progress = func(p verb.Progress) { s.live.progress(p.String()) }
	noting, writes := store.NoteWrites(ctx)
	_, err = v.Call(noting, &w, src)
	for _, line := range work.Autocommit(context.WithoutCancel(ctx), writes, w.StateDir, w.Now) {
		s.log.Warn(line, "verb", v.Name)
	}
	return err
}

// asksError says what a person has to confirm by typing a word.
type asksError struct{ asks []task.Ask }

func (a asksError) Error() string { return "to be confirmed" }

// confirm reports whether the form has the word for just what would be done. If something else would be done by now
// than the person read, they are asked again.
func (s *Server) confirm(asks []task.Ask, form url.Values) error {
	if s.person != nil {
		if err := s.person(); err != nil {
			return verb.WithID(err, asks[0].ID)
		}
	}
	word := strings.TrimSpace(form.Get("word"))
	if form.Get("asked") != digest(asks) || word == "" {
		return asksError{asks}
	}
	if word == asks[0].Word || asks[0].Word == "yes" && word == "y" {
		return nil
	}
	e := record.Errorf(record.Forbidden, "not confirmed by %s", asks[0].Who).
		WithHint("nothing was changed; %s is what to type", asks[0].Word)
	return verb.WithID(e, asks[0].ID)
}

// digest names what is asked.
func digest(asks []task.Ask) string {
	sum := sha256.Sum256([]byte(fmt.Sprintf("%q", asks)))
	return hex.EncodeToString(sum[:])
}

// refusal is why a write was not done, or what has to be confirmed before it is.
type refusal struct {
	Code   record.Code
	Text   string
	Hint   string
	Failed []verb.CheckRun // of the run of checks that the refusal rests on

	Asks  []task.Ask // what has to be confirmed; nil for a refusal
	Asked string

	Do   string     // the verb
	Form url.Values // what was sent
	Back string
	Now  *verb.Task // as it is now, of a task that somebody else changed meanwhile
}

var statusOf = map[record.Code]int{
	record.NotFound: http.StatusNotFound, record.Conflict: http.StatusConflict, record.Forbidden: http.StatusForbidden,
	record.ReadOnly: http.StatusForbidden, record.InvalidInput: http.StatusBadRequest, record.Busy: http.StatusServiceUnavailable,
	record.IO: http.StatusInternalServerError,
}

func (s *Server) refuse(w http.ResponseWriter, r *http.Request, v *visitor, err error) {
	out := s.explain(err)
	out.Do, out.Back, out.Form = r.PathValue("verb"), back(r.PostForm.Get("back")), r.PostForm
	for _, own := range []string{"token", "back", "word", "asked"} {
		out.Form.Del(own)
	}
	status := cmp.Or(statusOf[out.Code], http.StatusUnprocessableEntity)
	if out.Asks != nil {
		status = http.StatusPreconditionRequired
	}
	if out.Code == record.Conflict {
		if t, err := ask[verb.Task](r.Context(), s, "get", args{"id": r.PostForm.Get("id")}); err == nil {
			out.Now = &t
		}
	}
	p := s.page(r, v, "Not done")
	p.Body = out
	s.draw(w, status, "refused", p)
}

// explain spells an error as the command line does.
func (s *Server) explain(err error) refusal {
	if a, ok := errors.AsType[asksError](err); ok {
		return refusal{Asks: a.asks, Asked: digest(a.asks)}
	}
	f := catalogue.FailureOf(err, s.w.Rights, catalogue.CommandLine).Error
	out := refusal{Code: f.Code, Text: record.MessageOf(err), Hint: f.Hint}
	if e, ok := errors.AsType[*record.Error](err); ok {
		if run, ok := e.Details["run"].(*verb.RunReport); ok {
			out.Failed = slices.DeleteFunc(slices.Clone(run.Checks), verb.CheckRun.Stands)
		}
	}
	return out
}

// inputOf reads a form as the input of a verb. A list is its values, or the lines of one of them; labels and ids may
// have commas between them.
func inputOf(v verb.Verb, form url.Values) (args, error) {
	in := args{}
	for _, f := range v.Fields() {
		if f.Type == verb.Pairs {
			pairs := map[string]string{}
			for name, values := range form {
				if own, ok := strings.CutPrefix(name, f.Name+"."); ok {
					pairs[own] = values[0]
				}
			}
			if len(pairs) > 0 {
				in[f.Name] = pairs
			}
			continue
		}
		if f.Type == verb.Objects {
			objects, given, err := objectsOf(f, form)
			if err != nil {
				return nil, err
			}
			if given {
				in[f.Name] = objects
			}
			continue
		}
		values, given := form[f.Name]
		if !given || form.Get("blank") == "leave" && strings.TrimSpace(strings.Join(values, "")) == "" {
			continue
		}
		if value := valueOf(f, values); value != nil {
			in[f.Name] = value
		}
	}
	return in, nil
}

func valueOf(f verb.Field, values []string) any {
	text := strings.ReplaceAll(values[len(values)-1], "\r\n", "\n")
	empty := strings.TrimSpace(text) == ""
	switch {
	case f.Type == verb.Boolean && empty, f.Type == verb.Number && empty, f.Type == verb.Decimal && empty:
		return nil
	case f.Type == verb.Boolean:
		return text != "false"
	case f.Type == verb.Number || f.Type == verb.Decimal:
		return json.Number(strings.TrimSpace(text))
	case f.Type == verb.Texts || f.Type == verb.Numbers:
		list := listOf(f, values)
		if len(list) == 0 && !f.Clears {
			return nil
		}
		if f.Type == verb.Numbers {
			return record.Each(list, func(one string) json.Number { return json.Number(one) })
		}
		return list
	case empty && !f.Clears && !f.Blank:
		return nil
	default:
		return text
	}
}

func listOf(f verb.Field, values []string) []string {
	out := []string{}
	for _, value := range values {
		value = strings.ReplaceAll(value, "\r\n", "\n")
		if f.Names != "" || strings.HasSuffix(f.Name, "labels") {
			value = strings.ReplaceAll(value, ",", "\n")
		}
		for line := range strings.SplitSeq(value, "\n") {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	}
	return out
}

// objectsOf reads the objects of a field by the flags that make them at the command line: of each, a line makes one.
func objectsOf(f verb.Field, form url.Values) (objects []map[string]any, given bool, err error) {
	objects = []map[string]any{}
	for _, flag := range f.Flags {
		values, has := form[flag.Name]
		given = given || has
		for _, line := range listOf(verb.Field{}, values) {
			one, err := flag.Parse(line)
			if err != nil {
				return nil, true, err
			}
			objects = append(objects, one)
		}
	}
	return objects, given, nil
}
