package source

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/transfer"
)

// readBeads reads issues as JSON lines. Of an id that comes twice the last line counts, as in a log. Memories, messages
// and what else the system keeps for itself are no tasks.
func readBeads(files []File) (Batch, error) {
	var out Batch
	parents := map[string][]string{}
	for _, f := range files {
		line := 0
		for raw := range bytes.Lines(f.Data) {
			line++
			objects, err := objectsOf(File{f.Name, raw})
			if err != nil {
				_, msg, _ := strings.Cut(err.Error(), ": ")
				return out, bad(f.Name, line, "%s", msg).WithHint("each line is one issue in JSON; a conflict of a merge has to be solved first")
			}
			for _, o := range objects {
				if err := out.bead(o, parents); err != nil {
					return out, bad(f.Name, line, "%v", err).WithHint("name the file with the issues: .beads/issues.jsonl, or what bd export prints")
				}
			}
		}
	}
	for i := range out.Items {
		it := &out.Items[i]
		it.Parent = out.oneParent(it, parents[it.Ref])
	}
	return out, nil
}

// oneParent is the first of the parents of an issue that is itself an item; the first of all if none is. The others are
// reported.
func (b *Batch) oneParent(it *transfer.Item, parents []string) string {
	if len(parents) == 0 {
		return ""
	}
	up := parents[max(slices.IndexFunc(parents, b.has), 0)]
	for _, other := range parents {
		if other != up {
			it.Lose("a second parent", other)
		}
	}
	return up
}

// bead adds one issue, and notes what it stands below.
func (b *Batch) bead(o object, parents map[string][]string) error {
	kind, id := o.text("issue_type"), o.text("id")
	switch record := o.text("_type"); {
	case record != "" && record != "issue":
		b.aside("a record of type "+record, cmp.Or(o.text("key", "id"), "without an id"))
		return nil
	case id == "":
		return errors.New("the object has no id")
	case o.text("status") == "tombstone" || o.text("deleted_at") != "":
		b.aside("a deleted issue", id)
		return nil
	case slices.Contains([]string{"message", "event", "gate", "molecule", "agent", "role", "rig", "convoy", "slot"}, kind):
		b.aside("an issue of type "+kind, id)
		return nil
	case o.keys["ephemeral"] == true || o.keys["is_template"] == true:
		b.aside("an issue that is ephemeral or a template", id)
		return nil
	}
	it := beadOf(o)
	label(&it, "", kind)
	stated(&it) // blocked, deferred, pinned, and those of a team's own, are labels
	parents[id] = beadEdges(o, &it)
	o.rest(&it)
	b.addLatest(it, "an earlier line of the same id")
	return nil
}

// beadOf makes an item of an issue.
func beadOf(o object) transfer.Item {
	it := o.item("ref=id title was=status labels priority assignee due=due_at created=created_at created_by closed=closed_at reason=close_reason")
	it.Rank = "P" + strings.TrimPrefix(cmp.Or(it.Priority, "0"), "P") // of old versions a priority of 0 is left out
	it.Priority = strings.TrimPrefix(it.Rank, "P")
	acceptance := o.text("acceptance_criteria")
	it.Acceptance, _ = criteria(acceptance)
	criteriaToo := ""
	if len(it.Acceptance) == 1 && len(acceptance) > 400 {
		criteriaToo = acceptance
	}
	it.Body = body([2]string{"", o.text("description")}, [2]string{"Design", o.text("design")}, [2]string{"Notes", o.text("notes")},
		[2]string{"Acceptance criteria", criteriaToo}, [2]string{"External reference", external(&it, o.text("external_ref"))}) // such as gh-41, which is no address
	if minutes := o.text("estimated_minutes"); minutes != "" && minutes != "0" {
		it.Estimate = minutes + "m"
	}
	it.Comments = o.comments("comments", []string{"author"}, []string{"created_at"}, "text")
	o.drop("updated_at", "content_hash", "dependency_count", "dependent_count", "comment_count", "compaction_level", "original_size", "source_repo", "started_at", "parent")
	return it
}

// beadEdges reads what an issue says of others, and returns its parents. The name of the type says what the issue is to
// the other.
func beadEdges(o object, it *transfer.Item) (parents []string) {
	for _, d := range o.objects("dependencies") {
		kind := cmp.Or(d.text("type"), d.text("dependency_type"), "blocks")
		to := cmp.Or(d.text("depends_on_id"), d.text("id"))
		switch kind {
		case "blocks", "blocked-by", "waits-for", "conditional-blocks":
			it.Deps = append(it.Deps, to)
		case "parent-child":
			parents = append(parents, to)
		case "related", "relates-to":
			it.Related = append(it.Related, to)
		case "discovered-from":
			it.Found = append(it.Found, to)
		case "duplicates":
			it.Same = append(it.Same, to)
		default:
			it.Lose("dependency of type "+kind, to)
		}
	}
	return parents
}
