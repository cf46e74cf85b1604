package source

import (
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/transfer"
)

// readTaskwarrior reads what task export prints. Templates of recurring tasks are no tasks; the project is a label.
func readTaskwarrior(files []File) (Batch, error) {
	var out Batch
	err := each(files, func(f File, i int, o object) error {
		switch uuid := o.text("uuid"); {
		case uuid == "" || o.keys["description"] == nil:
			return bad(f.Name, 0, "object %d has no uuid and description, so it is no task of taskwarrior", i+1).
				WithHint("task export > tasks.json makes the file")
		case o.text("status") == "recurring":
			out.aside("a template of recurring tasks", o.text("description"))
		default: // of exports that were put together, the last says how it is
			out.addLatest(warriorOf(o), "an earlier object of the same uuid")
		}
		return nil
	})
	return out, err
}

func warriorOf(o object) transfer.Item {
	it := o.item("ref=uuid title=description was=status labels=tags rank=priority due created=entry closed=end")
	it.Repeat, it.After = o.text("recur"), o.text("scheduled")
	if it.After == "" {
		it.After = o.text("wait")
	}
	for _, at := range []*string{&it.Due, &it.After, &it.Created, &it.Closed} {
		*at = warriorTime(*at)
	}
	it.Priority = map[string]string{"H": "high", "M": "normal", "L": "low"}[it.Rank]
	if it.Rank != "" && it.Priority == "" {
		it.Lose("priority", it.Rank)
	}
	if project := o.text("project"); project != "" {
		it.Labels = append(it.Labels, project)
	}
	for _, dep := range o.texts("depends") {
		for one := range strings.SplitSeq(dep, ",") { // versions before 2.6 write one text
			it.Deps = append(it.Deps, strings.TrimSpace(one))
		}
	}
	for _, a := range o.objects("annotations") {
		it.Comments = append(it.Comments, transfer.Comment{At: warriorTime(a.text("entry")), Text: a.text("description")})
	}
	switch {
	case it.Was == "completed":
		it.State = transfer.Done
	case it.Was == "deleted":
		it.State = transfer.Dropped
	case o.text("start") != "":
		it.State, it.Was = transfer.Started, it.Was+", started"
	default:
		it.State = transfer.Open
	}
	if it.Was == "waiting" {
		it.Labels = append(it.Labels, "waiting")
	}
	o.drop("id", "modified", "urgency", "start", "imask", "mask")
	o.rest(&it)
	return it
}

// warriorTime is a time in the usual form; anything else stays as it is.
func warriorTime(s string) string {
	if at, ok := transfer.Moment(s); ok {
		return at.Format(time.RFC3339)
	}
	return s
}
