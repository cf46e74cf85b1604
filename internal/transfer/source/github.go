package source

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/transfer"
)

// GitHubFields are the fields of an issue that gh is asked for.
const GitHubFields = "number,title,body,state,stateReason,labels,assignees,author,milestone,createdAt,closedAt,url,comments"

// readGitHub reads issues as the API or gh gives them: one list, pages of lists, or an object a line. Pull requests are
// no issues. An issue is called by its repository and number, as in owner/name#12, where its address says the
// repository.
func readGitHub(files []File) (Batch, error) {
	var out Batch
	err := each(files, func(f File, i int, o object) error {
		objects := []object{o}
		if items := o.objects("items"); len(items) > 0 && o.keys["number"] == nil { // of a search
			objects = items
		}
		for _, o := range objects {
			number := o.text("number")
			if number == "" || o.keys["title"] == nil {
				return bad(f.Name, 0, "object %d has no number and title, so it is no issue", i+1).
					WithHint("gh issue list --state all --limit 10000 --json %s > issues.json", GitHubFields)
			}
			if o.keys["pull_request"] != nil {
				out.aside("a pull request", "#"+number+" "+o.text("title"))
				continue
			}
			if it := issueOf(o, number); !out.has(it.Ref) { // pages overlap where issues are made meanwhile
				out.put(it)
			}
		}
		return nil
	})
	return out, err
}

func issueOf(o object, number string) transfer.Item {
	it := o.item("title body labels url=html_url|url created=created_at|createdAt closed=closed_at|closedAt")
	it.CreatedBy, it.ClosedBy = o.named("user", "author"), o.named("closed_by")
	repo := repoOf(it.URL)
	it.Ref = repo + "#" + number
	issueState(o, &it)
	it.Body = strings.ReplaceAll(it.Body, "\r\n", "\n")
	issueEdges(&it, repo)
	who := o.texts("assignees")
	if one := o.named("assignee"); one != "" {
		who = append(who, one)
	}
	assigned(&it, record.Unique(who))
	label(&it, "milestone/", o.named("milestone"))
	if kind := o.named("type"); kind != "" {
		it.Labels = append(it.Labels, strings.ToLower(kind))
	}
	if up := o.text("parent_issue_url"); up != "" {
		it.Parent = repo + "#" + up[strings.LastIndexByte(up, '/')+1:]
	}
	it.Priority, it.Rank = priorityOf(it.Labels)
	it.Comments = o.comments("comments", []string{"author", "user"}, []string{"createdAt", "created_at"}, "body")
	if n := o.text("comments"); n != "" && n != "0" { // gh gives the list
		it.Lose("comments, which the API lists apart", n)
	}
	o.drop("id", "node_id", "number", "url", "html_url", "repository_url", "labels_url", "comments_url", "events_url", "timeline_url", "updated_at", "updatedAt",
		"author_association", "performed_via_github_app", "reactions", "reactionGroups", "score", "sub_issues_summary", "issue_dependencies_summary", "isPinned",
		"projectCards", "pull_request", "draft", "repository", "closed")
	o.rest(&it)
	return it
}

// repoOf is owner/name of the address of an issue, on the web or of the API; "" if it says none.
func repoOf(url string) string {
	_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://"), "/")
	path = strings.TrimPrefix(path, "api/v3/")
	parts := strings.Split(strings.TrimPrefix(path, "repos/"), "/")
	if len(parts) < 4 || parts[2] != "issues" {
		return ""
	}
	return parts[0] + "/" + parts[1]
}

func issueState(o object, it *transfer.Item) {
	state, reason := strings.ToLower(o.text("state")), strings.ToLower(o.text("state_reason", "stateReason"))
	it.Was = state
	if reason != "" && state == "closed" {
		it.Was = state + ", " + reason
	}
	switch {
	case state != "closed":
		it.State = transfer.Open
	case reason == "not_planned" || reason == "duplicate":
		it.State, it.Reason = transfer.Dropped, strings.ReplaceAll(reason, "_", " ")
	default:
		it.State = transfer.Done
	}
}

// issueEdges reads the lines of a body that say what an issue waits for, and what it repeats: a line that begins with
// "blocked by", "depends on" or "duplicate of".
func issueEdges(it *transfer.Item, repo string) {
	for line := range strings.Lines(it.Body) {
		low := strings.ToLower(strings.Trim(strings.TrimSpace(line), "*_->•: "))
		for _, words := range []string{"blocked by", "depends on", "duplicate of"} {
			rest, ok := strings.CutPrefix(low, words)
			if !ok {
				continue
			}
			for _, ref := range issuesIn(rest, repo) {
				if words == "duplicate of" {
					it.Same = append(it.Same, ref)
					continue
				}
				it.Deps = append(it.Deps, ref)
			}
		}
	}
}

// issuesIn lists the issues of the same repository that a text names as #12.
func issuesIn(text, repo string) []string {
	var out []string
	for word := range strings.FieldsSeq(strings.NewReplacer(",", " ", ";", " ", "*", " ", ":", " ", ".", " ", ")", " ", "(", " ").Replace(text)) {
		number, ok := strings.CutPrefix(word, "#")
		if ok && number != "" && strings.Trim(number, "0123456789") == "" {
			out = append(out, repo+"#"+number)
		}
	}
	return out
}

// priorityOf reads a priority off labels such as P1, priority: high and priority/low.
func priorityOf(labels []string) (priority, label string) {
	for _, l := range labels {
		low := strings.ToLower(strings.TrimSpace(l))
		if len(low) == 2 && low[0] == 'p' && low[1] >= '0' && low[1] <= '4' {
			return low[1:], l
		}
		for _, sign := range []string{"priority", "prio"} {
			rest, ok := strings.CutPrefix(low, sign)
			word := strings.Trim(rest, " :/-_")
			if ok && slices.Contains([]string{"critical", "urgent", "high", "medium", "normal", "low"}, word) {
				return word, l
			}
			if ok && len(strings.TrimPrefix(word, "p")) == 1 && strings.Contains("01234", strings.TrimPrefix(word, "p")) {
				return strings.TrimPrefix(word, "p"), l
			}
		}
	}
	return "", ""
}
