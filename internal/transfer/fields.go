package transfer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// status is the state that an item gets. A state of the workspace that is called as the source calls the item's is
// taken, if it is closed where the item is.
func (d *draft) status(it Item) record.Status {
	to := d.statusOf(it)
	if d.flow.IsClosed(to) && !d.flow.IsAbandoned(to) && len(d.flow.Defaults) > 0 {
		d.lose(it, "done: its task is "+string(d.flow.Abandoned[0])+", because nobody ran the workspace's default checks on it", it.Closed)
		return d.flow.Abandoned[0]
	}
	return to
}

// cannotClose reports whether an item is closed and no state of the workspace can say so.
func (d *draft) cannotClose(it Item) bool {
	to := d.statusOf(it)
	return d.flow.IsClosed(to) && !d.flow.IsAbandoned(to) && len(d.flow.Defaults) > 0 && len(d.flow.Abandoned) == 0
}

func (d *draft) statusOf(it Item) record.Status {
	f := d.flow
	to, known := map[string]record.Status{
		"": f.Initial, Open: f.Initial, Started: cmp.Or(f.Working, f.Initial), Review: cmp.Or(f.Review, f.Working, f.Initial),
		Done: cmp.Or(f.Done(), cmp.Or(f.Closed...), f.Initial), Dropped: cmp.Or(cmp.Or(f.Abandoned...), cmp.Or(f.Closed...), f.Initial),
	}[it.State]
	if !known {
		if to = record.Status(it.State); f.Known(to) != nil {
			return f.Initial
		}
		return to
	}
	same := record.Status(strings.NewReplacer(" ", "_", "-", "_").Replace(strings.ToLower(oneLine(it.Was))))
	if it.Was != "" && f.Known(same) == nil && f.IsClosed(same) == f.IsClosed(to) && f.IsAbandoned(same) == f.IsAbandoned(to) {
		return same
	}
	return to
}

// fields makes a task of what an item says of itself. It is no task of the workspace yet.
func (d *draft) fields(it Item, id record.ID, to record.Status) (task.Task, error) {
	t := d.told(it, id)
	checks := d.checks(it)
	if d.flow.IsClosed(to) && !d.flow.IsAbandoned(to) {
		t.Body = withCriteria(t.Body, checks) // nobody here has settled them
		return t, nil
	}
	var err error
	t.Checks, err = d.flow.WithDefaults(d.apartFromDefaults(checks))
	return t, err
}

// told is a task with what an item says of itself, its checks apart.
func (d *draft) told(it Item, id record.ID) task.Task {
	known := []string{"", Open, Started, Review, Done, Dropped}
	if !slices.Contains(known, it.State) && d.flow.Known(record.Status(it.State)) != nil {
		d.lose(it, "state", it.State)
	}
	t := task.Task{ID: id, Priority: d.priority(it), Labels: d.labels(it), Due: d.due(it)}
	t.Title, t.Body = d.title(it), d.body(it)
	if it.Assignee != "" {
		who, ok := actorOf(it.Assignee)
		if !ok {
			d.lose(it, "assignee", it.Assignee)
		}
		t.Assignee = who
	}
	if mode, err := task.ParseMode(it.Mode); err == nil {
		t.Mode = mode
	} else {
		d.lose(it, "mode", it.Mode)
	}
	if err := task.ValidScope(it.Scope); err == nil && len(it.Scope) <= task.MaxScope {
		t.Scope = it.Scope
	} else {
		d.lose(it, "scope", strings.Join(it.Scope, " "))
	}
	var kept []string
	t.Own, kept = d.own(it)
	t.Body = withWhole(d.withKept(t.Body, it, kept), it)
	return t
}

// own are the values of optional fields, and of what is called as fields of the workspace, that these can have. The
// names of the others are returned too.
func (d *draft) own(it Item) (own map[string]string, kept []string) {
	out := map[string]string{}
	fields := it.more()
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		given, err := d.flow.Fields.Read(map[string]string{name: fields[name]})
		if err != nil {
			kept = append(kept, name)
			continue
		}
		maps.Copy(out, given)
	}
	return task.GivenOwn(out), kept
}

// more is what an item has by the names of optional fields or of any others.
func (it Item) more() map[string]string {
	out := map[string]string{}
	maps.Copy(out, it.Values())
	maps.Copy(out, it.Fields)
	return out
}

// withKept writes into the body what no field of the workspace holds, and tells of it.
func (d *draft) withKept(body string, it Item, names []string) string {
	if len(names) == 0 {
		return body
	}
	fields := it.more()
	body += "\n\n## Also in " + d.source + "\n"
	for _, name := range names {
		value := strings.TrimSpace(plain(fields[name]))
		d.lose(it, name+", which stands in the body", value)
		body += "\n- " + oneLine(name) + ": " + strings.ReplaceAll(value, "\n", "\n  ")
	}
	body, _ = fit(strings.TrimSpace(body), bodyRoom)
	return body
}

func (d *draft) title(it Item) string {
	title, cut := fit(oneLine(it.Title), lineRoom)
	if cut {
		d.lose(it, "the end of a title, which stands in the body", it.Title)
	}
	if record.Blank(title) {
		d.lose(it, "an empty title", it.Ref)
		title, _ = fit(d.source+" "+oneLine(it.Ref), lineRoom)
	}
	return title
}

func (d *draft) body(it Item) string {
	body := strings.Trim(plain(it.Body), "\n")
	if whole := oneLine(it.Title); len(whole) > lineRoom {
		body = strings.TrimSpace(whole + "\n\n" + body)
	}
	if len(body) > bodyRoom {
		d.lose(it, "the end of a long body", strconv.Itoa(len(body))+" bytes")
		body, _ = fit(body, bodyRoom)
	}
	return body
}

func (d *draft) priority(it Item) task.Priority {
	p, err := task.ParsePriority(strings.ToLower(strings.TrimSpace(it.Priority)))
	if err != nil {
		d.lose(it, "priority", it.Priority)
		return task.DefaultPriority
	}
	return p
}

func (d *draft) due(it Item) task.Due {
	due, err := task.ParseDue(strings.TrimSpace(it.Due))
	at, ok := Moment(it.Due)
	switch {
	case err == nil:
		return due
	case ok:
		return task.DueAt(at)
	}
	d.lose(it, "due", it.Due)
	return ""
}

func (d *draft) labels(it Item) []string {
	var out []string
	for _, label := range it.Labels {
		clean, cut := fit(oneLine(label), lineRoom)
		if cut {
			d.lose(it, "the end of a label", label)
		}
		if !record.Blank(clean) && !slices.Contains(out, clean) {
			out = append(out, clean)
		}
	}
	for _, label := range out[min(record.MaxLabels, len(out)):] {
		d.lose(it, "label, of more than a task may have", label)
	}
	return out[:min(record.MaxLabels, len(out))]
}

// checks are those of an item that was a task of cairn's, and its acceptance criteria. No two have the same
// description.
func (d *draft) checks(it Item) []task.Check {
	var out []task.Check
	add := func(c task.Check) {
		desc, cut := fit(oneLine(c.Desc), checkRoom)
		if cut {
			d.lose(it, "the end of an acceptance criterion, which stands in the body", c.Desc)
		}
		if record.Blank(desc) {
			return
		}
		c.Desc, c.Result = desc, record.Pending
		for n := 2; slices.ContainsFunc(out, func(have task.Check) bool { return have.Desc == c.Desc }); n++ {
			c.Desc = desc + " (" + strconv.Itoa(n) + ")"
		}
		if err := task.ValidChecks([]task.Check{c}); err != nil {
			d.lose(it, "check that is not valid here", c.Desc+": "+record.MessageOf(err))
			return
		}
		out = append(out, c)
	}
	for _, c := range it.Checks {
		add(task.Check{Desc: c.Desc, Cmd: c.Cmd, Cwd: c.Cwd, Timeout: c.Timeout, By: c.By})
	}
	for _, text := range it.Acceptance {
		add(task.Check{Desc: plain(text), By: task.ByAnyone})
	}
	for _, c := range out[min(task.MaxChecks, len(out)):] {
		d.lose(it, "acceptance criterion, of more than a task may have", c.Desc)
	}
	return out[:min(task.MaxChecks, len(out))]
}

// apartFromDefaults renames checks that are called as a default check of the workspace is, and ask for something else.
func (d *draft) apartFromDefaults(checks []task.Check) []task.Check {
	for i, c := range checks {
		if slices.ContainsFunc(d.flow.Defaults, func(have task.Check) bool { return have.Desc == c.Desc && !have.Same(c) }) {
			checks[i].Desc += " (" + d.source + ")"
		}
	}
	return checks
}

// withWhole writes into the body what is too long for a check.
func withWhole(body string, it Item) string {
	for _, text := range it.Acceptance {
		if len(oneLine(plain(text))) > checkRoom {
			body = strings.TrimSpace(body + "\n\n## Acceptance criterion in full\n\n" + strings.TrimSpace(plain(text)))
		}
	}
	body, _ = fit(body, bodyRoom)
	return body
}

const criteriaHead = "\n\n## Acceptance criteria\n"

// apartCriteria cuts off what withCriteria wrote into a body.
func apartCriteria(body string) (text, criteria string) {
	at := strings.LastIndex("\n\n"+body, criteriaHead)
	if at < 0 {
		return body, ""
	}
	return strings.TrimSpace(body[:max(at-2, 0)]), body[max(at-2, 0):]
}

// withCriteria writes into the body of a closed task what its checks were.
func withCriteria(body string, checks []task.Check) string {
	if len(checks) == 0 {
		return body
	}
	body = strings.TrimRight(body, "\n") + criteriaHead
	for _, c := range checks {
		body += "\n- " + c.Desc
		if c.Cmd != "" {
			body += " (`" + oneLine(c.Cmd) + "`)"
		}
	}
	return strings.TrimSpace(body)
}
