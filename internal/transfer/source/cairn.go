package source

import (
	"cmp"
	"strconv"

	"github.com/cairn-tasks/cairn/internal/transfer"
	"github.com/cairn-tasks/cairn/task"
)

// readCairn reads the JSON lines of cairn export.
func readCairn(files []File) (Batch, error) {
	var out Batch
	err := each(files, func(f File, i int, o object) error {
		if o.text("id") == "" || o.text("title") == "" || o.text("status") == "" {
			return bad(f.Name, 0, "object %d has no id, title and status, so it is no task of cairn", i+1).
				WithHint("export with the format jsonl makes the file")
		}
		out.put(exportedTask(o))
		return nil
	})
	return out, err
}

func exportedTask(o object) transfer.Item {
	it := o.item("ref=id title body was=status state=means priority labels deps parent related discovered_from duplicates assignee due mode scope created=created_at")
	it.Optional = task.OptionalOf(func(name string) string { return o.text(name) })
	it.State, it.Rank = cmp.Or(it.State, it.Was), it.Priority // a list that another program wrote does not say what a state means
	for _, c := range o.objects("checks") {
		timeout, _ := strconv.Atoi(c.text("timeout"))
		it.Checks = append(it.Checks, transfer.Check{Desc: c.text("desc"), Cmd: c.text("cmd"), Cwd: c.text("cwd"), Timeout: timeout, By: c.text("by")})
		if c.text("result") == "pass" && it.State != transfer.Done {
			it.Lose("a pass, which is earned here", c.text("desc"))
		}
	}
	entries := o.objects("provenance")
	for i, e := range entries {
		switch did := e.text("did"); {
		case i == 0 && did == "created":
			it.CreatedBy = e.text("who")
		case did == "noted":
			it.Comments = append(it.Comments, transfer.Comment{By: e.text("who"), At: e.text("at"), Text: e.text("text")})
		case e.text("to") == it.Was && (it.State == transfer.Done || it.State == transfer.Dropped):
			it.Closed, it.ClosedBy, it.Reason = e.text("at"), e.text("who"), e.text("text")
		}
	}
	o.links(&it)
	if own, ok := o.keys["fields"].(map[string]any); ok {
		o.drop("fields")
		newObject(own).rest(&it)
	}
	o.drop("updated_at", "ready", "blocked_by", "is_running", "is_reviewing", "is_blocked", "is_pending", "rev", "overdue", "execution", "claim", "elsewhere", "waits_for")
	o.rest(&it)
	return it
}

// links reads the references that are links to other tasks; the others have no place.
func (o object) links(it *transfer.Item) {
	for _, r := range o.objects("refs") {
		target := r.text("target")
		if kind := r.text("type"); kind != "record" {
			it.Lose("reference of type "+kind, cmp.Or(target, r.text("url", "sha", "path", "branch", "number")))
			continue
		}
		it.Related = append(it.Related, target)
	}
}
