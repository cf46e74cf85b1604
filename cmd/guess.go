package cmd

// guesses say how to do here what people know by another word: from git, from issue trackers, and from programs that
// keep tasks. A word that is a command here has no place among them.
func guesses() map[string]string {
	const (
		state   = "cairn transition ID STATE moves a task"
		deps    = "cairn update ID --add-dep OTHER, and --remove-dep; cairn graph draws them"
		labels  = "cairn update ID --add-label WORD, and --remove-label"
		holder  = "cairn update ID --assignee ACTOR"
		comment = "cairn note ID TEXT comments on a record"
		read    = "cairn show ID reads a record"
		people  = "cairn directory lists who works here"
		files   = "the files under .cairn are committed and pushed with git, as any others"
		trash   = "cairn delete ID moves a task to the trash, cairn restore ID takes it back"
		approve = "cairn review approve ID approves the work on a task, cairn attest settles a manual check"
		later   = "cairn update ID --due 7d says until when; a state such as deferred in .cairn/config.yaml keeps a task from being handed out"
		worked  = "cairn history ID --kind session lists the sessions; times are in them"
	)
	return map[string]string{
		// of issue trackers, and of what lists tasks
		"new": "cairn add makes a task", "task": "cairn add makes a task", "issue": "cairn add makes a task, cairn list lists them", "todo": "cairn add makes a task, cairn ready lists what can be started",
		"item": "cairn add makes a task", "bug": "cairn add makes a task; a label says what it is", "q": "cairn add makes a task", "tree": "cairn graph shows the tasks as a tree",
		"ls": "cairn list lists the tasks", "tasks": "cairn list lists the tasks", "issues": "cairn list lists the tasks", "all": "cairn list --all lists closed tasks too", "todos": "cairn list lists the tasks",
		"view": read, "cat": read, "info": read, "describe": read, "display": read, "open": read + ", cairn reopen ID opens a closed one again", "print": read,
		"query": "cairn list has the filters; cairn search finds by words", "find": "cairn search finds by words", "grep": "cairn search finds by words", "filter": "cairn list has the filters",
		"modify": "cairn update changes a task, cairn edit in your editor", "mod": "cairn update changes a task, cairn edit in your editor", "set": "cairn update changes a task; cairn settings-set the workspace",
		"change": "cairn update changes a task, cairn edit in your editor", "rename": "cairn update ID --title TITLE", "mv": "cairn update ID --title TITLE renames a task; " + state, "title": "cairn update ID --title TITLE",
		"move": state, "state": state, "in-progress": "cairn start ID claims a task and moves it to the working state", "doing": "cairn start ID claims a task and moves it to the working state", "wip": "cairn start ID claims a task and moves it to the working state",
		"resolve": "cairn done ID closes a task, cairn handoff resolve a handoff", "complete": "cairn done ID closes a task", "fix": "cairn done ID closes a task; cairn doctor --fix repairs the workspace", "finished": "cairn done ID closes a task", "check-off": "cairn done ID closes a task", "tick": "cairn done ID closes a task",
		"wontfix": "cairn close ID --as STATE gives a task up", "abandon": "cairn close ID --as STATE gives a task up", "drop": "cairn close ID --as STATE gives a task up", "abort": "cairn cancel ends a session, cairn job cancel a job, cairn close ID --as STATE gives a task up",
		"stop": "cairn release ID gives a task back, cairn cancel ends a session, cairn job cancel JOB a job", "pause": "cairn release ID gives a task back", "unclaim": "cairn release ID gives a task back", "take": "cairn claim ID takes a task, cairn next the most urgent one", "pick": "cairn claim ID takes a task, cairn next the most urgent one", "grab": "cairn claim ID takes a task, cairn next the most urgent one",
		"assign": holder, "unassign": holder + ", which is unassigned for nobody", "owner": holder, "delegate": holder,
		"comment": comment, "comments": "cairn show ID --include comments lists them; " + comment, "annotate": comment, "add-note": comment, "notes": comment, "append": comment, "denotate": comment + "; cairn undo ID takes your last one back", "worklog": worked, "timesheet": worked,
		"label": labels, "tag": labels, "tags": labels, "labels": labels, "untag": labels,
		"dep": deps, "deps": deps, "depend": deps, "depends": deps, "undep": deps, "block": deps, "blocks": deps, "unblock": deps, "link": deps + "; cairn ref add ID link adds a link", "unlink": deps + "; cairn ref remove ID REF removes a link",
		"blocked": "cairn list shows what waits and for what", "waiting": "cairn list shows what waits and for what", "stale": "cairn status shows what stalled", "stalled": "cairn status shows what stalled", "active": "cairn status shows what is under way",
		"overdue": "cairn status shows what is overdue", "due": "cairn update ID --due 7d; cairn list --sort due", "defer": later, "undefer": later, "snooze": later, "postpone": later, "supersede": "cairn close ID --as STATE -m 'superseded by OTHER'", "set-state": state, "where": "cairn status shows the workspace", "completed": "cairn list --closed lists closed tasks", "closed": "cairn list --closed lists closed tasks", "agenda": "cairn list --sort due", "calendar": "cairn list --sort due", "today": "cairn status shows what there is to do",
		"epic": "cairn update ID --parent EPIC groups tasks below another", "epics": "cairn list --parent ID lists the tasks below one", "subtask": "cairn add TITLE --parent ID", "children": "cairn list --parent ID", "parent": "cairn update ID --parent OTHER", "sprint": "cairn update ID --add-label WORD, and cairn list --label WORD", "milestone": "cairn update ID --parent OTHER groups tasks; --due says until when",
		"priority": "cairn update ID --priority 0 to 4", "prio": "cairn update ID --priority 0 to 4", "pri": "cairn update ID --priority 0 to 4",
		"duplicate": "cairn close ID --as STATE -m 'duplicate of OTHER'", "duplicates": "cairn search WORDS finds tasks that are alike", "stats": "cairn status counts the tasks", "count": "cairn status counts the tasks", "summary": "cairn status, or cairn brief", "stat": "cairn status counts the tasks", "st": "cairn status counts the tasks", "dashboard": "cairn status", "overview": "cairn status",
		"rm": trash, "remove": trash, "trash": trash, "purge": trash, "del": trash, "undelete": "cairn restore ID takes a task out of the trash",
		// of who asks and answers
		"answer": "cairn handoff respond answers a handoff", "reply": "cairn handoff respond answers a handoff, cairn note --re a comment", "respond": "cairn handoff respond answers a handoff",
		"ask": "cairn handoff create asks somebody", "mail": "cairn inbox shows what waits for you", "attach": "cairn ref add ID file --path FILE", "mention": "cairn note ID '@NAME ...'",
		"whoami": "cairn identity says who acts", "me": "cairn identity says who acts", "who": people, "users": people, "agents": people, "login": "there is nothing to log in to: cairn identity says who acts", "auth": "there is nothing to log in to: cairn identity says who acts",
		"decide": "cairn decision log records a decision", "adr": "cairn decision log records a decision", "remember": "cairn knowledge write writes a note", "remind": "cairn update ID --due 7d", "memory": "cairn knowledge search finds notes", "recall": "cairn knowledge search finds notes",
		"config": "cairn settings-get lists the settings", "settings": "cairn settings-get lists the settings", "executor": "executors are set up in your own config.yaml, under executors: docs/jobs.md",
		// of work and its review
		"run": "cairn job start ID runs an agent on a task, cairn work on all that are ready, cairn run-checks ID the checks of one", "test": "cairn run-checks ID runs the checks of a task", "verify": "cairn check proves that the record is sound, cairn run-checks ID runs the checks of a task", "validate": "cairn check proves that the record is sound", "lint": "cairn check proves that the record is sound",
		"merge": "cairn review merge ID merges the branch of a task and closes it", "approve": approve, "accept": approve, "lgtm": approve, "reject": "cairn review reject ID TEXT sends a task back to work", "decline": "cairn review reject ID TEXT sends a task back to work",
		"pr": "cairn review pr ID opens a pull request", "pull-request": "cairn review pr ID opens a pull request", "retry": "cairn job retry JOB tries a job again", "diff": "cairn review show ID --diff shows what the branch of a task changes", "spawn": "cairn job start ID runs an agent on a task", "tail": "cairn job logs JOB -f",
		// of git
		"commit": files, "push": files, "pull": files, "sync": files, "fetch": files, "clone": files, "branch": "cairn job start and cairn pair make the branch of a task", "checkout": "cairn start ID claims a task; cairn pair ID makes a work tree of it", "switch": "cairn start ID claims a task; cairn pair ID makes a work tree of it", "develop": "cairn pair ID makes a work tree of a task",
		"revert": "cairn undo ID takes your last write back", "reset": "cairn undo ID takes your last write back", "rollback": "cairn undo ID takes your last write back", "stash": "cairn release ID gives a task back", "blame": "cairn history ID lists who did what", "reflog": "cairn history lists who did what", "changelog": "cairn history lists who did what", "events": "cairn history lists who did what", "fsck": "cairn doctor examines the workspace", "gc": "cairn doctor examines the workspace",
		// of programs as such
		"install": "cairn init makes a workspace, cairn trust lets its commands run", "onboard": "cairn init makes a workspace, cairn guide is the manual", "quickstart": "cairn init makes a workspace, cairn guide is the manual", "docs": "cairn help TOPIC, cairn guide", "manual": "cairn guide",
		"daemon": "there is none: the files are the record", "start-server": "cairn serve speaks MCP", "mcp": "cairn serve speaks MCP", "server": "cairn serve speaks MCP", "watch": "cairn wait waits for a change", "ui": "cairn status shows the workspace", "health": "cairn doctor examines the workspace", "repair": "cairn doctor --fix repairs the workspace", "update-self": "install it anew; cairn version tells what this is", "upgrade": "install it anew; cairn version tells what this is",
		"hooks": "cairn setup NAME sets up an agent and its hooks", "compact": "cairn archive moves old closed tasks out of the way", "cleanup": "cairn archive moves old closed tasks out of the way",
	}
}

// flagGuesses say what stands for a flag that people know of another tracker, by the verb; "" is any verb.
func flagGuesses(name, flag string) string {
	const comment = "cairn note ID TEXT comments on it; cairn update ID --body TEXT, or cairn edit ID, writes its body"
	switch flag {
	case "type", "t", "issue-type":
		if name == "list" || name == "ready" {
			return "-l bug: the type is a label"
		}
		return "-l bug: the type is a label, and --add-label of update"
	case "description", "design", "desc":
		return "--body is all that is said of a task"
	case "notes", "append-notes":
		return comment
	case "deps", "depends-on", "blocked-by":
		return "--dep ID, once for each; update has --add-dep, --discovered-from and --related"
	case "claim":
		return "cairn start ID claims a task and moves it to the working state"
	case "r":
		return "-m TEXT says why"
	case "title-contains", "desc-contains":
		return "--text WORDS, or cairn search WORDS"
	case "label-any":
		return "--where 'label=a or label=b'"
	case "i", "file", "f":
		if name == "import" {
			return "the file stands without a flag: cairn import SOURCE FILE"
		}
	}
	return ""
}
