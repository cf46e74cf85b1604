package source

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/transfer"
)

// readBacklog reads the tasks of Backlog.md. The folder says what became of a file: one in completed is done, one in
// drafts is open with the label draft, and one in the archive is dropped.
func readBacklog(files []File) (Batch, error) {
	var out Batch
	refs := map[string]string{} // the id as its file writes it, by how others may write it
	for _, f := range files {
		o, text, err := frontMatter(f)
		if err != nil {
			return out, err
		}
		id := o.text("id")
		if id == "" {
			return out, bad(f.Name, 1, "has no id")
		}
		it := backlogOf(o, id, text, path.Dir(f.Name))
		if refs[backlogKey(id)] != "" { // an id of the archive is given again
			it.Ref = refs[backlogKey(id)]
		} else {
			refs[backlogKey(id)] = id
		}
		out.add(it)
	}
	for i := range out.Items {
		it := &out.Items[i]
		it.Parent = backlogRef(refs, it.Parent)
		for n, dep := range it.Deps {
			it.Deps[n] = backlogRef(refs, dep)
		}
	}
	return out, nil
}

// backlogKey is an id in the form in which all ways to write it are equal: prefixes change and are written in any case,
// so that back-12, BACK-12, task-12 and 12 are one.
func backlogKey(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	draft := strings.HasPrefix(id, "draft-")
	if at := strings.LastIndexByte(id, '-'); at >= 0 {
		id = id[at+1:]
	}
	parts := strings.Split(id, ".")
	for i, p := range parts {
		if trimmed := strings.TrimLeft(p, "0"); trimmed != "" {
			parts[i] = trimmed
		}
	}
	if draft {
		return "draft-" + strings.Join(parts, ".")
	}
	return strings.Join(parts, ".")
}

func backlogRef(refs map[string]string, id string) string {
	if own := refs[backlogKey(id)]; own != "" {
		return own
	}
	return id
}

func backlogOf(o object, id, text, folder string) transfer.Item {
	it := o.item("title was=status labels deps=dependencies parent=parent_task_id priority due=due_date created=created_date created_by=reporter")
	it.Ref, it.Priority = id, strings.ToLower(it.Priority)
	it.Rank = it.Priority
	it.State, _ = stateOf(it.Was)
	it.State = cmp.Or(it.State, transfer.Open)
	switch {
	case strings.HasSuffix(folder, "completed"):
		it.State, it.Was = transfer.Done, it.Was+" (completed)"
	case strings.Contains(folder, "archive"):
		it.State, it.Was = transfer.Dropped, it.Was+" (archived)"
	case strings.HasSuffix(folder, "drafts"):
		it.State, it.Labels = transfer.Open, append(it.Labels, "draft")
	}
	if it.State == transfer.Done {
		it.Closed = o.text("completed_date", "updated_date")
	}
	assigned(&it, o.texts("assignee"))
	label(&it, "", o.text("type"))
	label(&it, "milestone/", o.text("milestone"))
	o.drop("id", "completed_date", "updated_date", "subtasks", "ordinal")
	backlogText(&it, text, o)
	o.rest(&it)
	return it
}

// backlogText reads the sections of a task: criteria become checks, comments comments, and the rest stays.
func backlogText(it *transfer.Item, text string, o object) {
	var parts [][2]string
	for _, s := range sections(text) {
		name := strings.ToLower(s.title)
		s.text = withoutMarks(s.text)
		switch {
		case strings.HasPrefix(name, "acceptance criteria"), strings.HasPrefix(name, "definition of done"):
			found, ticked := criteria(s.text)
			it.Acceptance = append(it.Acceptance, found...)
			if ticked > 0 && it.State != transfer.Done {
				it.Lose("ticks of acceptance criteria, which somebody attests here", itoa(ticked)+" of "+itoa(len(found)))
			}
		case name == "comments":
			it.Comments = append(it.Comments, backlogComments(s.text)...)
		case name == "description" || s.level == 0:
			parts = append(parts, [2]string{"", s.text})
		default:
			parts = append(parts, [2]string{"", s.whole()})
		}
	}
	for _, list := range []string{"references", "documentation"} {
		var lines []string
		for _, one := range o.texts(list) {
			lines = append(lines, "- "+one)
		}
		parts = append(parts, [2]string{strings.ToUpper(list[:1]) + list[1:], strings.Join(lines, "\n")})
	}
	it.Body = body(parts...)
}

// withoutMarks takes away the comments with which Backlog.md marks its sections.
func withoutMarks(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(line string) bool {
		return strings.HasPrefix(strings.TrimSpace(line), "<!-- SECTION:")
	})
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// backlogComments reads comments: lines with author and created, a line of dashes, the text, and a line of dashes.
func backlogComments(text string) []transfer.Comment {
	var out []transfer.Comment
	head, c := true, transfer.Comment{}
	end := func() {
		if strings.TrimSpace(c.Text) != "" {
			out = append(out, c)
		}
		head, c = true, transfer.Comment{}
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		author, isAuthor := strings.CutPrefix(trimmed, "author:")
		at, isTime := strings.CutPrefix(trimmed, "created:")
		switch {
		case strings.HasPrefix(trimmed, "<!-- COMMENT"):
		case head && isAuthor:
			c.By = strings.TrimSpace(author)
		case head && isTime:
			c.At = strings.TrimSpace(at)
		case head && trimmed == "---":
			head = false
		case trimmed == "---":
			end()
		default:
			c.Text += line
			head = head && trimmed == ""
		}
	}
	end()
	return out
}
