package tasks

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
	"github.com/cairn-tasks/cairn/internal/verb/gates"
	"github.com/cairn-tasks/cairn/session"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// UpdateIn is the input of Update. What is left out stays; "", [] and null clear a field.
type UpdateIn struct {
	ID             verb.RecordID `json:"id,omitempty" doc:"task to change; of another record labels and state" cli:"arg,several"`
	IDs            []record.ID   `json:"ids,omitempty" doc:"several tasks to change alike, all or none" cli:"flag=id"`
	Where          string        `json:"where,omitempty" doc:"all that fit a filter, or none; as in list" from:"filters"`
	Title          *string       `json:"title" doc:"new title"`
	Body           *string       `json:"body" doc:"new body, in Markdown"`
	Labels         *[]string     `json:"labels" doc:"new labels, in place of the old" cli:"flag=label" from:"labels"`
	AddLabels      []string      `json:"add_labels,omitempty" doc:"labels to add to those it has" cli:"flag=add-label" from:"labels"`
	RemoveLabels   []string      `json:"remove_labels,omitempty" doc:"labels to take away" cli:"flag=remove-label" from:"labels"`
	Scope          *[]string     `json:"scope" doc:"new globs of the paths it is about, in place of the old"`
	MayChange      *[]string     `json:"may_change" doc:"new globs of tests and scripts that its checks run and that the work may change; counts if somebody else says so before work begins"`
	Priority       *string       `json:"priority" doc:"0 (drop everything) to 4 (someday)" values:"0=drop everything,1=high,2=normal,3=low,4=someday"`
	Mode           *string       `json:"mode" doc:"who does it: auto (an agent, as a job), pair (a person with an agent), or empty for either" values:"auto,pair"`
	Repo           *string       `json:"repo" doc:"repository in which its files are and its commands run; empty for the workspace's own" cli:"flag=in-repo" from:"repos"`
	Due            *string       `json:"due" doc:"a date or a time; empty for none"`
	task.Optional  `doc:"; empty for none"`
	Given          verb.Given       `json:"-"` // which of Optional
	Parent         *record.ID       `json:"parent" doc:"task that groups it"`
	Assignee       *string          `json:"assignee" doc:"who holds it from now on: an actor, me, or unassigned" from:"actors"`
	Checks         *[]CheckIn       `json:"checks" doc:"new checks, in place of the old; one that asks for the same keeps its result" cli:"flag=check"`
	Acceptance     *[]string        `json:"acceptance" doc:"new acceptance criteria, in place of the old"`
	Reviewer       *string          `json:"reviewer" doc:"who must approve it before it is closed: an actor, me, or unassigned" from:"actors"`
	Evidence       *bool            `json:"requires_evidence" doc:"whether done needs a commit, a pull request or a passed command check"`
	AddDeps        []record.ID      `json:"add_deps,omitempty" doc:"tasks, handoffs or decisions to be closed first" cli:"flag=add-dep"`
	RemoveDeps     []record.ID      `json:"remove_deps,omitempty" doc:"what it no longer waits for" cli:"flag=remove-dep"`
	DiscoveredFrom *[]verb.RecordID `json:"discovered_from" doc:"in whose course it was found, in place of the old"`
	Duplicates     *[]verb.RecordID `json:"duplicates" doc:"what asks for the same and stands, in place of the old"`
	Related        *[]verb.RecordID `json:"related" doc:"what its reader should know of, in place of the old"`
	Fields         verb.Values      `json:"fields,omitempty" doc:"a field that the config declares; an empty value takes it away" cli:"flag=set" from:"fields"`
	To             *string          `json:"to" doc:"state to move it to, through the same gates as transition" from:"states"`
	Status         string           `json:"status,omitempty" doc:"-" from:"states"` // of other systems: to
	Note           string           `json:"note,omitempty" doc:"text for the provenance entry"`
	Reason         string           `json:"reason,omitempty" doc:"why; needed to remove a check once work has begun, or a dependency that is open"`
	ExpectedRev    string           `json:"expected_rev,omitempty" doc:"rev that the task must still have, else CONFLICT"`
	ExpectedStatus string           `json:"expected_status,omitempty" doc:"state that it must still be in, else CONFLICT" from:"states"`
	verb.Once
}

const mostAtOnce = 100 // tasks

// Update changes what a task says, in one entry, or what several tasks say, in one write. It returns a verb.Task, or a
// verb.Several. Of a record of another kind it changes the labels or the state, and returns a verb.Record.
func Update(ctx context.Context, w *verb.Workspace, s *store.Store, in UpdateIn) (any, error) {
	if err := in.choose(ctx, w, s); err != nil {
		return nil, err
	}
	if err := in.valid(); err != nil {
		return nil, err
	}
	edit, err := in.edit(w)
	if err != nil {
		return nil, err
	}
	text, err := in.text()
	if err != nil {
		return nil, err
	}
	if err := in.mode(s, &edit); err != nil {
		return nil, err
	}
	if err := in.own(w, s, &edit); err != nil {
		return nil, err
	}
	if in.ID != "" {
		if k, _, err := kind.Find(s, string(in.ID)); k != kind.Tasks.Kind && err == nil {
			return in.other(ctx, w, s, k, text)
		}
		return in.transition(ctx, w, s, edit, text).Make(ctx, w, s, record.ID(in.ID))
	}
	return in.several(w, s, func(w *verb.Workspace, s *store.Store, ids []record.ID) (verb.Several, error) {
		return in.transition(ctx, w, s, edit, text).MakeSeveral(ctx, w, s, ids)
	})
}

// StaysHere is true for an edit that moves the task.
func (in UpdateIn) StaysHere(kind.Config) bool { return in.To != nil }

// Others are the tasks beside ID.
func (in UpdateIn) Others() []record.ID { return in.IDs }

// several changes several tasks: those that lie here in one write, and then each that a work tree of its own has carried
// further, in a write there. An idempotency key goes with the first write.
func (in UpdateIn) several(
	w *verb.Workspace, s *store.Store, change func(*verb.Workspace, *store.Store, []record.ID) (verb.Several, error),
) (out verb.Several, err error) {
	var here []record.ID
	var further []func() (verb.Several, error)
	for _, id := range in.IDs {
		there, at := w.Follow(s, struct{ ID string }{string(id)})
		if there == w {
			here = append(here, id)
			continue
		}
		if len(here)+len(further) > 0 {
			there = there.WithoutKey()
		}
		further = append(further, func() (verb.Several, error) { return change(there, at, []record.ID{id}) })
	}
	if len(here) > 0 {
		out, err = change(w, s, here)
	}
	for _, one := range further {
		if err != nil {
			return out, err
		}
		var more verb.Several
		more, err = one()
		out.Tasks, out.Notices = append(out.Tasks, more.Tasks...), append(out.Notices, more.Notices...)
	}
	slices.SortStableFunc(out.Tasks, func(a, b verb.Row) int {
		return cmp.Compare(slices.Index(in.IDs, a.ID), slices.Index(in.IDs, b.ID))
	})
	return out, err
}

// choose names the tasks that fit the filter, if there is one.
func (in *UpdateIn) choose(ctx context.Context, w *verb.Workspace, s *store.Store) error {
	if in.Where == "" {
		return nil
	}
	if in.ID != "" || len(in.IDs) > 0 {
		return verb.BadInput("where", "chooses tasks, and id or ids name some").WithHint("give the one or the other")
	}
	found, err := List(ctx, w, s, ListIn{Where: in.Where, Limit: mostAtOnce})
	switch {
	case err != nil:
		return err
	case found.Total == 0:
		return record.Errorf(record.NotFound, "no task fits %q", in.Where).WithHint("%s shows what fits a filter", record.CallTo("list", "where", in.Where).OnlyShown())
	case found.Total > mostAtOnce:
		return verb.BadInput("where", "fits %d tasks, more than %d", found.Total, mostAtOnce).WithHint("narrow it down, or change them in several calls")
	}
	for _, row := range found.Tasks {
		in.IDs = append(in.IDs, row.ID)
	}
	return nil
}

// valid returns INVALID_INPUT for an input that names no task, and for what makes no sense of several.
func (in UpdateIn) valid() error {
	seen := map[record.ID]bool{}
	for _, id := range in.IDs {
		if seen[id] {
			return verb.BadInput("ids", "names %s twice", id)
		}
		seen[id] = true
	}
	changes := in
	changes.ID, changes.IDs, changes.Where, changes.ExpectedRev, changes.ExpectedStatus = "", nil, "", "", ""
	changes.Once, changes.Given = verb.Once{}, nil
	switch {
	case (in.ID == "") == (len(in.IDs) == 0):
		return verb.BadInput("", "names neither one task nor several, or both").WithHint("give id, ids or where")
	case reflect.ValueOf(changes).IsZero() && len(in.ownGiven()) == 0:
		return verb.BadInput("", "names nothing to change").
			WithHint("say what is to be changed, as in %s", record.CallTo("update", "id", string(in.all()[0]), "priority", "1").OnlyShown())
	case in.Labels != nil && len(in.AddLabels)+len(in.RemoveLabels) > 0:
		return verb.BadInput("labels", "replaces all labels, and add_labels and remove_labels change some").WithHint("give the one or the others")
	case len(in.IDs) > mostAtOnce:
		return verb.BadInput("ids", "are %d, more than %d", len(in.IDs), mostAtOnce).WithHint("change them in several calls")
	case len(in.IDs) > 0 && in.ExpectedRev != "":
		return verb.BadInput("expected_rev", "is of one task").WithHint("leave it out, or change one task at a time")
	case len(in.IDs) > 0 && (in.Title != nil || in.Body != nil || in.Checks != nil || in.Acceptance != nil):
		return verb.BadInput("", "would make several tasks say the same").WithHint("title, body, checks and acceptance are changed of one task at a time")
	}
	return nil
}

// all are the tasks that are named, at least one.
func (in UpdateIn) all() []record.ID {
	if len(in.IDs) > 0 {
		return in.IDs
	}
	return []record.ID{record.ID(in.ID)}
}

// mode returns TASK_TYPE_VALUE_IN_STATUS for a mode in place of a state, and the errors of knownRepo.
func (in UpdateIn) mode(s *store.Store, edit *task.Edit) error {
	to := record.Status(in.Status)
	if in.To != nil {
		to = *edit.To
	}
	id := in.all()[0]
	if err := modeInStatus(s.Config.Flow, id, to); err != nil {
		return err
	}
	if in.Status != "" {
		return verb.BadInput("status", "is not a key that update changes: a task is moved from state to state").
			WithHint("%s moves it, through the gates; so does update with to", record.CallTo("transition", "id", string(id), "to", in.Status).OnlyShown())
	}
	if in.Repo != nil {
		return knownRepo(s, *in.Repo)
	}
	return nil
}

// own adds the links and the fields of the user's own to the edit.
func (in UpdateIn) own(w *verb.Workspace, s *store.Store, edit *task.Edit) (err error) {
	given := map[string][]verb.RecordID{}
	for name, ids := range map[string]*[]verb.RecordID{"discovered_from": in.DiscoveredFrom, "duplicates": in.Duplicates, "related": in.Related} {
		if ids != nil {
			given[name] = *ids
		}
	}
	has := func(id record.ID) bool {
		for _, one := range in.all() {
			t, err := kind.Tasks.Get(s, one)
			if err != nil || !slices.ContainsFunc(task.LinkKinds, func(k task.Link) bool { return slices.Contains(*t.LinksOf(k.Name), id) }) {
				return false
			}
		}
		return true
	}
	links, err := verb.LinksGiven(s, given, has)
	if err != nil {
		return err
	}
	own, err := w.OwnFields(s, in.ownGiven())
	for name, ids := range links {
		edit.Set[name] = ids
	}
	for name, value := range own {
		edit.Set[name] = value
	}
	return err
}

// ownGiven are the values that the caller gives of fields, optional and of the config; "" takes one away.
func (in UpdateIn) ownGiven() verb.Values {
	out := verb.Values{}
	maps.Copy(out, in.Fields)
	for _, f := range task.OptionalFields() {
		if in.Given[f.Name] {
			out[f.Name] = in.Value(f.Name)
		}
	}
	return out
}

func (in UpdateIn) transition(ctx context.Context, w *verb.Workspace, s *store.Store, edit task.Edit, text string) gates.Transition {
	var to record.Status
	withoutMove := edit // what the commands are run for: the gates judge the task as the rest of the edit leaves it
	if edit.To != nil {
		to, withoutMove.To = *edit.To, nil
	}
	var declared []CheckIn
	if in.Checks != nil {
		declared = *in.Checks
	}
	written := func(before, after task.Task, err error) error {
		if err == nil && (in.Checks != nil || in.Repo != nil) { // commands that run before the write are in it too
			ApproveWritten(ctx, w, s, Written(ctx, s, before, after, declared))
		}
		return err
	}
	preview := func(t task.Task) (task.Task, error) {
		if err := in.expects(t.Header()); err != nil {
			return t, err
		}
		after, entry, err := s.Config.Flow.Update(t, withoutMove, task.Proof{}, kind.Deps(s, s.Config.Flow), w.Stamp(text))
		if err == nil && entry != nil { // a person is asked before commands run for minutes
			err = w.Confirmed(s.Config.Flow.Asks(t, after, *entry, kind.Deps(s, s.Config.Flow)))
		}
		return after, written(t, after, err)
	}
	decide := func(wc verb.WriteContext, p task.Proof) (task.Task, *record.Entry, error) {
		if err := in.expects(wc.Task.Header()); err != nil {
			return wc.Task, nil, err
		}
		t, entry, err := s.Config.Flow.Update(wc.Task, edit, p, kind.Deps(wc.Tx, s.Config.Flow), w.Stamp(text))
		if err == nil && entry != nil && edit.Assignee != nil {
			err = reassign(ctx, w, wc, *edit.Assignee, t.Status)
		}
		return t, entry, written(wc.Task, t, err)
	}
	return gates.Transition{To: to, Preview: preview, Decide: decide}
}

// other changes the labels or the state of a record that is no task, in one entry.
func (in UpdateIn) other(ctx context.Context, w *verb.Workspace, s *store.Store, k *kind.Kind, text string) (verb.Record, error) {
	rest := in
	rest.ID, rest.Labels, rest.AddLabels, rest.RemoveLabels, rest.To, rest.Note, rest.Reason, rest.ExpectedRev, rest.ExpectedStatus, rest.Once, rest.Given = "", nil, nil, nil, nil, "", "", "", "", verb.Once{}, nil
	switch {
	case !reflect.ValueOf(rest).IsZero() || len(in.ownGiven()) > 0:
		return verb.Record{}, verb.BadInput("", "changes more of a %s than its labels or its state", k.Name).
			WithHint("labels, or to, with note, reason, expected_rev and expected_status; verbs of its own change the rest")
	case (in.Labels != nil || len(in.AddLabels)+len(in.RemoveLabels) > 0) == (in.To != nil):
		return verb.Record{}, verb.BadInput("", "says neither labels nor to, or both").WithHint("a %s is labeled, or moved, in one call each", k.Name)
	}
	return verb.Change{Kind: k, IDs: []string{string(in.ID)}, Decide: func(wc verb.WriteContext) (any, error) {
		h := k.Header(wc.Was)
		if err := in.expects(h); err != nil {
			return nil, err
		}
		if in.To != nil {
			return k.Move(wc.Was, record.Status(*in.To), w.Stamp(text))
		}
		labels := record.Relabeled(h.Labels, in.AddLabels, in.RemoveLabels)
		if in.Labels != nil {
			labels = *in.Labels
		}
		return k.Relabel(wc.Was, labels, w.Stamp(text))
	}}.Record(ctx, w, s)
}

// expects returns CONFLICT if a record has not the revision or the state that is expected.
func (in UpdateIn) expects(h record.Header) error {
	if err := verb.Expect(in.ExpectedRev, h); err != nil {
		return err
	}
	if status := record.Status(in.ExpectedStatus); status != "" && status != h.Status {
		return verb.Moved(h, "is %s, not %s", h.Status, status)
	}
	return nil
}

func (in UpdateIn) edit(w *verb.Workspace) (task.Edit, error) {
	ed := task.Edit{
		Set: task.Values{}, Acceptance: in.Acceptance, AddLabels: in.AddLabels, RemoveLabels: in.RemoveLabels,
		AddDeps: in.AddDeps, RemoveDeps: in.RemoveDeps, To: (*record.Status)(in.To),
		MayWeaken: w.MayWeaken(), Takes: true, NoNote: in.Assignee != nil && in.Note == "",
	}
	err := cmp.Or(
		set(ed.Set, "title", in.Title, asGiven),
		set(ed.Set, "body", in.Body, asGiven),
		set(ed.Set, "labels", in.Labels, asGiven),
		set(ed.Set, "scope", in.Scope, asGiven),
		set(ed.Set, "may_change", in.MayChange, asGiven),
		set(ed.Set, "parent", in.Parent, asGiven),
		set(ed.Set, "repo", in.Repo, asGiven),
		set(ed.Set, "requires_evidence", in.Evidence, asGiven),
		set(ed.Set, "priority", in.Priority, verb.Priority),
		set(ed.Set, "mode", in.Mode, task.ParseMode),
		set(ed.Set, "due", in.Due, func(text string) (task.Due, error) { return verb.Due("due", text, w.Now()) }))
	named := func(who *string) (out *record.Actor) {
		if who != nil && err == nil {
			out = new(record.Actor)
			*out, err = w.ActorNamed(*who)
		}
		return out
	}
	ed.Assignee, ed.Reviewer = named(in.Assignee), named(in.Reviewer)
	if in.Checks != nil && err == nil {
		ed.Checks = new([]task.Check)
		*ed.Checks, err = declaredChecks(w, *in.Checks)
	}
	if err != nil {
		return ed, err
	}
	if in.To != nil && *in.To == "" {
		return ed, verb.BadInput("to", "is empty").WithHint("leave it out to move the task nowhere")
	}
	return ed, nil
}

func asGiven[T any](value T) (T, error) { return value, nil }

func set[G, T any](in task.Values, name string, given *G, read func(G) (T, error)) error {
	if given == nil {
		return nil
	}
	value, err := read(*given)
	in[name] = value
	return err
}

// text returns the text of the entry: the reason, and below it the note.
func (in UpdateIn) text() (string, error) {
	if err := cmp.Or(record.ValidText("note", in.Note), record.ValidText("reason", in.Reason)); err != nil {
		return "", err
	}
	text := in.Reason
	if in.Note != "" && text != "" {
		text += "\n"
	}
	text += in.Note
	return text, record.ValidText("note and reason together", text)
}

// reassign gives a task, whose status is the one after the write, to somebody. What another holds only a person may
// give away; its session ends as abandoned. What is further elsewhere nobody gives to anybody. Nobody works on a closed task, so whoever it is given to makes no claim
// from a worktree.
func reassign(ctx context.Context, w *verb.Workspace, wc verb.WriteContext, to record.Actor, status record.Status) error {
	holds := to == wc.Hold.Actor && !wc.Hold.Ahead
	assigned := to == wc.Task.Assignee && wc.Hold.Actor == ""
	if holds || assigned {
		return nil // it is theirs already, and a claim stays
	}
	if !wc.Hold.Free(w.Actor(), wc.Store.Worktree) && (!w.Actor().Human() || wc.Hold.Ahead && to != "") {
		return wc.Refusal(ctx, false)
	}
	if err := cmp.Or(wc.Hold.RefuseEnd(), wc.MayEndSession()); err != nil {
		return err
	}
	switch {
	case to == "":
		wc.Tx.Claim(wc.Task.ID.Ref(), nil)
	case to == w.Actor() && !wc.Store.Config.Flow.IsClosed(status):
		wc.Tx.Claim(wc.Task.ID.Ref(), wc.Lease(ctx, ""))
	default: // a claim without a worktree: theirs wherever they claim it
		wc.Tx.Claim(wc.Task.ID.Ref(), &session.Lease{Actor: to, Since: wc.Now.UTC(), Seen: wc.Now.UTC()})
	}
	wc.EndSession(session.Abandoned, w.Stamp("reassigned by "+string(w.Actor())))
	return nil
}
