package source

import "cmp"

// jira is the table of Jira: the CSV of its list of issues with all fields, and the JSON of its REST API (search).
var jira = table{
	name: "jira", list: "issues", inside: "fields", links: jiraLinks,
	people: "Assignee Id=Assignee|Reporter Id=Reporter|Creator Id=Creator",
	export: "in the list of issues, Export, CSV (all fields); or what /rest/api/3/search/jql answers with fields=*all",
	columns: []column{
		{to: "ref", from: "Issue key|key"},
		{to: "alias", from: "Issue id|id"},
		{to: "title", from: "Summary"},
		{to: "body", from: "Description"},
		{to: "state", from: "Status|status.name"},
		{to: "stage", from: "Status Category|status.statusCategory.name"},
		{to: "reason", from: "Resolution|resolution.name"},
		{to: "closed", from: "Resolved|resolutiondate"},
		{to: "priority", from: "Priority|priority.name"},
		{to: "assignee", from: "Assignee|assignee.displayName"},
		{to: "created", from: "Created"},
		{to: "created_by", from: "Reporter|reporter.displayName|Creator|creator.displayName"},
		{to: "due", from: "Due date|duedate"},
		{to: "seconds", from: "Original estimate|timeoriginalestimate"},
		{to: "parent", from: "Parent key|parent.key|Parent id|Parent|Custom field (Epic Link)"},
		{to: "labels", from: "Labels"},
		{to: "type", from: "Issue Type|issuetype.name"},
		{to: "labels component/", from: "Component/s|Components"},
		{to: "labels version/", from: "Fix Version/s|Fix versions|fixVersions"},
		{to: "labels sprint/", from: "Sprint|Custom field (Sprint)"},
		{to: "deps", from: "Inward issue link (Blocks)"},
		{to: "blocks", from: "Outward issue link (Blocks)"},
		{to: "duplicates", from: "Outward issue link (Duplicate)"},
		{to: "related",
			from: "Inward issue link (Duplicate)|Inward issue link (Relates)|Outward issue link (Relates)|" +
				"Inward issue link (Cloners)|Outward issue link (Cloners)"},
		{to: "comments", from: "Comment|comment.comments"},
	},
	drop: "Project key|Project name|Project type|Project lead|Project lead id|Project description|Project url|" +
		"Assignee Id|Reporter Id|Creator Id|Creator|" +
		"Updated|Last Viewed|Votes|Watchers|Watchers Id|Work Ratio|Remaining Estimate|Time Spent|Σ Original Estimate|" +
		"Σ Remaining Estimate|Σ Time Spent|" +
		"Parent|Parent id|Parent key|Parent summary|Parent status|Status Category Changed|Custom field (Rank)|" +
		"Custom field (Development)|Custom field (Epic Name)|" +
		"Custom field (Epic Color)|Custom field (Epic Status)|Custom field (Issue color)|" +
		"Custom field ([CHART] Date of First Response)|" +
		"self|expand|project|updated|lastViewed|votes|watches|creator|progress|aggregateprogress|workratio|subtasks|" +
		"statusCategory|statuscategorychangedate|" +
		"timetracking|aggregatetimeoriginalestimate|aggregatetimeestimate|timeestimate|issuerestriction|worklog",
}

// jiraLinks writes the links of an issue in JSON as CSV has them.
func jiraLinks(o object) {
	for _, link := range o.objects("issuelinks") {
		kind, _ := link.keys["type"].(map[string]any)
		for side, head := range map[string]string{"inwardIssue": "Inward", "outwardIssue": "Outward"} {
			if other, ok := link.keys[side].(map[string]any); ok {
				column := head + " issue link (" + cmp.Or(textOf(kind["name"]), "other") + ")"
				had, _ := o.keys[column].([]any)
				o.keys[column] = append(had, other["key"])
			}
		}
	}
	if epic, ok := o.keys["customfield_10014"].(string); ok && o.keys["parent"] == nil { // where old projects keep it
		o.keys["Custom field (Epic Link)"] = epic
		o.drop("customfield_10014")
	}
}

// linear is the table of Linear: the CSV that it exports, and the JSON that its API answers to a query of issues.
var linear = table{
	name: "linear", list: "data.issues.nodes|issues.nodes|nodes", links: linearJSON,
	export: "in the settings of the workspace, Import / Export, Export CSV; or what its API answers to a query of issues",
	columns: []column{
		{to: "ref", from: "identifier|ID"},
		{to: "alias", from: "UUID|ID"},
		{to: "title", from: "Title"},
		{to: "body", from: "Description"},
		{to: "state", from: "Status|state.name"},
		{to: "started", from: "Started|startedAt"},
		{to: "closed", from: "Completed|completedAt"},
		{to: "dropped", from: "Canceled|canceledAt"},
		{to: "priority", from: "Priority"},
		{to: "assignee", from: "Assignee"},
		{to: "created", from: "Created|createdAt"},
		{to: "created_by", from: "Creator"},
		{to: "due", from: "Due Date|dueDate"},
		{to: "url", from: "url"},
		{to: "points", from: "Estimate"},
		{to: "parent", from: "Parent issue"},
		{to: "labels", from: "Labels", split: ","},
		{to: "labels project/", from: "Project"},
		{to: "labels milestone/", from: "Project Milestone|projectMilestone"},
		{to: "labels cycle/", from: "Cycle Name|Cycle Number|cycle.name|cycle.number"},
		{to: "deps", from: "Blocked by", split: ","},
		{to: "blocks", from: "Blocks"},
		{to: "comments", from: "comments"},
		{to: "duplicates", from: "Duplicate of", split: ","},
		{to: "related", from: "Related to", split: ","},
	},
	drop: "Team|Updated|Triaged|Project ID|Cycle Number|Cycle Start|Cycle End|Project Milestone ID|" +
		"Time in status (minutes)|" +
		"id|identifier|state|parent|cycle|priorityLabel|number|updatedAt|sortOrder|branchName|children|relations|inverseRelations",
}

// linearJSON writes what the API says of an issue as CSV has it: lists without their pages, words for priorities, and what
// an issue belongs to and has to do with by the ids of the others.
func linearJSON(o object) {
	for key, v := range o.keys {
		if page, ok := v.(map[string]any); ok {
			if nodes, ok := page["nodes"].([]any); ok {
				o.keys[key] = nodes
			}
		}
	}
	words := map[string]any{"0": "No priority", "1": "Urgent", "2": "High", "3": "Medium", "4": "Low"}
	o.keys["priority"] = cmp.Or(words[textOf(o.keys["priority"])], o.keys["priority"])
	idOf := func(v any) string {
		other, _ := v.(map[string]any)
		return cmp.Or(textOf(other["identifier"]), textOf(other["id"]))
	}
	if parent := idOf(o.keys["parent"]); parent != "" {
		o.keys["Parent issue"] = parent
	}
	for _, side := range []struct{ list, other, blocks, same string }{
		{"relations", "relatedIssue", "Blocks", "Duplicate of"}, {"inverseRelations", "issue", "Blocked by", ""},
	} {
		for _, one := range o.objects(side.list) {
			column := map[string]string{"blocks": side.blocks, "duplicate": side.same, "related": "Related to"}[textOf(one.keys["type"])]
			if id := idOf(one.keys[side.other]); id != "" && column != "" {
				had, _ := o.keys[column].([]any)
				o.keys[column] = append(had, id)
			}
		}
	}
}

// gitlab is the table of GitLab: the CSV of its list of issues, the JSON of its REST API, and issues.ndjson of the
// export of a project.
var gitlab = table{
	name: "gitlab",
	export: "in the list of issues, Export as CSV; or what the API /projects/ID/issues answers; " +
		"or tree/project/issues.ndjson of an export of the project",
	columns: []column{
		{to: "ref", from: "references.full"},
		{to: "number", from: "Issue ID|iid"},
		{to: "title", from: "Title"},
		{to: "body", from: "Description"},
		{to: "state", from: "State"},
		{to: "closed", from: "Closed At (UTC)|closed_at"},
		{to: "closed_by", from: "closed_by.username"},
		{to: "assignee", from: "Assignee Username|assignees.username|assignee.username", split: ","},
		{to: "nobody", from: "issue_assignees.user_id"},
		{to: "created", from: "Created At (UTC)|created_at"},
		{to: "created_by", from: "Author Username|author.username"},
		{to: "due", from: "Due Date|due_date"},
		{to: "seconds", from: "Time Estimate|time_stats.time_estimate|time_estimate"},
		{to: "url", from: "URL|web_url"},
		{to: "labels", from: "Labels|label_links.label", split: ","},
		{to: "labels milestone/", from: "Milestone"},
		{to: "labels epic/", from: "Epic Title|epic.title"},
		{to: "weight", from: "Weight"},
		{to: "confidential", from: "Confidential"},
		{to: "comments", from: "notes"},
	},
	drop: "Author|Assignee|Locked|Updated At (UTC)|Time Spent|Epic ID|" +
		"id|project_id|updated_at|type|issue_type|user_notes_count|merge_requests_count|upvotes|downvotes|assignee|" +
		"discussion_locked|references|_links|links|" +
		"task_completion_status|has_tasks|task_status|time_stats|moved_to_id|imported|imported_from|service_desk_reply_to|" +
		"blocking_issues_count|epic_iid|epic|closed_by|author|" +
		"author_id|updated_by_id|closed_by_id|relative_position|lock_version|last_edited_at|last_edited_by_id|" +
		"iteration_id|sprint_id|milestone_id|external_key|" +
		"state_id|resource_label_events|resource_milestone_events|resource_state_events|timelogs|events|award_emoji|" +
		"work_item_type|design_versions|designs|severity",
}

// anyTable is the table of CSV of any other origin: columns that are called as the fields are, or as people call them.
var anyTable = table{
	name: "csv", export: "a first line with the names of the columns, and a line for each task",
	columns: []column{
		{to: "ref", from: "ref|id|key|issue key|number|task id"},
		{to: "title", from: "title|summary|name|subject|task"},
		{to: "body", from: "body|description|notes|details|text"},
		{to: "state", from: "means|state|status"},
		{to: "priority", from: "priority"},
		{to: "assignee", from: "assignee|owner|assigned to", split: ","},
		{to: "labels", from: "labels|label|tags|tag", split: ","},
		{to: "deps", from: "deps|depends on|blocked by", split: ","},
		{to: "parent", from: "parent"},
		{to: "due", from: "due|due date|deadline"},
		{to: "estimate", from: "estimate"},
		{to: "url", from: "url|link"},
		{to: "created", from: "created|created at"},
		{to: "created_by", from: "created by|author|reporter"},
		{to: "closed", from: "closed|closed at|completed at"},
		{to: "mode", from: "mode"},
	},
	drop: "updated|checks|checks_passed|status",
}

// tableSources are the systems that are read by a table.
func tableSources() []Source {
	one := func(t table, about string) Source {
		return Source{Name: t.name, About: about, table: &t, Read: func(files []File) (Batch, error) {
			return t.read(files,
				Mapping{})
		}}
	}
	return []Source{
		one(jira, "CSV with all fields, or the JSON of the search API"),
		one(linear, "the CSV that its settings export, or the JSON of its API"),
		one(gitlab, "issues as CSV, as JSON of the API, or issues.ndjson of an exported project"),
		one(anyTable, "CSV of any other origin: --map says which column is what"),
	}
}

// ReadAs reads files of the system by what whoever imports says of their columns and states. It returns INVALID_INPUT
// for a system that is not read by columns.
func (s Source) ReadAs(files []File, m Mapping) (Batch, error) {
	if s.table != nil {
		return s.table.read(files, m)
	}
	if m.Given() {
		return Batch{}, bad(s.Name, 0, "is not read by columns, so nothing is mapped").WithHint("leave --map out")
	}
	return s.Read(files)
}
