package verb

// All is the catalogue, in the order in which help and tool lists show it.
var All = Link(
	declare(Verb{
		Name: "identity", Group: "sessions", Toolset: Core, Title: "Who am I", Kind: Read, Profile: Viewer, Idempotent: true,
		Summary: "Say who acts, with what rights, and in which workspace.",
		When:    "Call it first: begin wants the actor that it names.",
	}, (*Workspace).Identity),
	declare(Verb{
		Name: "list", Group: "tasks", Toolset: Core, Title: "List tasks", Kind: Read, Profile: Viewer, Idempotent: true, Lists: "task",
		Summary: "List the tasks that fit all filters given, the most urgent first.",
		When:    "With ready true and status the initial state it answers what can be started now. Rows are short; get has the rest.",
	}, (*Workspace).List),
	declare(Verb{
		Name: "get", Group: "tasks", Toolset: Core, Title: "Read a task", Kind: Read, Profile: Viewer, Idempotent: true, Reads: "task", Aliases: []string{"show"},
		Summary: "Read one task: body, checks with their results, provenance, what blocks it, who holds it.",
		When:    "Read a task before working on it.",
	}, (*Workspace).Get),
	declare(Verb{
		Name: "create", Group: "tasks", Toolset: Core, Title: "Create a task", Kind: Write, Profile: Operator,
		Summary: "Create a task in the initial state.",
		When:    "Give it checks: they are what makes its close mean something. Deps must exist already.",
	}, (*Workspace).Create),
	declare(Verb{
		Name: "claim", Group: "tasks", Toolset: Core, Title: "Claim a task", Kind: Write, Holds: true, Profile: PairWorker, Idempotent: true,
		Summary: "Take a task, so that nobody else does.",
		When:    "For short work; begin claims too, and opens a session. What another holds is refused, naming the holder.",
	}, (*Workspace).Claim),
	declare(Verb{
		Name: "next", Group: "tasks", Toolset: Core, Title: "Take the next task", Kind: Write, Holds: true, Profile: PairWorker, Exit: exitOfNext,
		Summary: "Claim the most urgent task that can be worked on now and that nobody holds.",
		When:    "Instead of list and claim, when any task will do. If there is none it says how many wait and how many are taken; wait with ready true tells when that changes.",
	}, (*Workspace).Next),
	declare(Verb{
		Name: "wait", Group: "tasks", Toolset: Core, Title: "Wait for a change", Kind: Read, Profile: Viewer, Idempotent: true, Waits: true, Exit: exitOfWait,
		Summary: "Wait until a task, a session, or the tasks that fit filters change, and say what changed.",
		When:    "Instead of asking again and again. With ready true it waits for work that next would find. Pass the cursor of the last answer: no change between two calls is missed. WAIT_TIMEOUT means nothing happened: call again.",
	}, (*Workspace).Wait),
	declare(Verb{
		Name: "release", Group: "tasks", Toolset: Core, Title: "Release a task", Kind: Write, Profile: PairWorker, Idempotent: true,
		Summary: "Let a claimed task go without moving it.",
		When:    "When you will not go on with it. In a session use cancel instead.",
	}, (*Workspace).Release),
	declare(Verb{
		Name: "update", Group: "tasks", Toolset: Edit, Title: "Change a task", Kind: Write, Profile: Operator, Idempotent: true, Runs: true,
		Summary: "Change what a task says: title, body, labels, priority, parent, holder, deps, checks, state; all in one entry.",
		When:    "What is left out stays. A check that work has begun under is taken away or changed by a person or a maintainer only, with a reason.",
	}, (*Workspace).Update),
	declare(Verb{
		Name: "transition", Group: "tasks", Toolset: Core, Title: "Move a task", Kind: Write, Profile: PairWorker, Idempotent: true, Runs: true,
		Summary: "Move a task to a state, through the deps gate and the checks gate.",
		When:    "Closing runs the command checks that have not passed on this state of the tree, and is refused with their output if one fails. It can take as long as the checks do.",
	}, (*Workspace).Transition),
	declare(Verb{
		Name: "run_checks", Group: "tasks", Toolset: Core, Title: "Run checks", Kind: Write, Profile: PairWorker, Runs: true, Exit: exitOfRun,
		Summary: "Run a task's command checks and record the results, without moving the task.",
		When:    "To see whether a close would be let through. A failing check is a result, not an error: look at run.",
	}, (*Workspace).RunChecks),
	declare(Verb{
		Name: "attest", Group: "tasks", Toolset: Core, Title: "Attest a manual check", Kind: Write, Profile: Operator, Idempotent: true, Signs: true,
		Summary: "Settle a manual check: say that it is, or is not, as it demands.",
		When:    "Only whoever the check names may; unless it says otherwise, a person.",
	}, (*Workspace).Attest),
	declare(Verb{
		Name: "note", Group: "tasks", Toolset: Core, Title: "Add a note", Kind: Write, Profile: PairWorker,
		Summary: "Append a note to a task's provenance, changing nothing else.",
		When:    "For what the next one should know: a finding, a dead end, why it is blocked.",
	}, (*Workspace).Note),
	declare(Verb{
		Name: "plan", Group: "tasks", Toolset: Plans, Title: "Create a whole plan", Kind: Write, Profile: Planner,
		Summary: "Create several tasks that depend on one another in one write: all of them or none.",
		When:    "A dep or parent of #0 names the first task of the list, so no id need be known. With dry_run it only checks.",
	}, (*Workspace).Plan),
	declare(Verb{
		Name: "propose", Group: "tasks", Toolset: Plans, Title: "Propose a plan", Kind: Write, Profile: Planner,
		Summary: "Store a plan for somebody else to read and make real.",
		When:    "When you may not create tasks, or should not without being asked: plan with the proposal's id makes it real.",
	}, (*Workspace).Propose),
	declare(Verb{
		Name: "delete", Group: "tasks", Toolset: Admin, Title: "Delete a task", Kind: Destructive, Profile: Maintainer,
		Summary: "Move a task out of the workspace, into the trash of this clone.",
		When:    "For what was created by mistake; what is given up is moved to an abandoned state instead. Refused while another task depends on it.",
	}, (*Workspace).Delete),
	declare(Verb{
		Name: "logs", Group: "tasks", Toolset: Records, Title: "Read check logs", Kind: Read, Profile: Viewer, Idempotent: true,
		Summary: "Read what the check runs of a task printed, the newest first.",
		When:    "When the end of the output that a refusal shows is not enough.",
	}, (*Workspace).Logs),
	declare(Verb{
		Name: "history", Group: "tasks", Toolset: Records, Title: "Read the history", Kind: Read, Profile: Viewer, Idempotent: true,
		Summary: "List who did what to which task, the newest first, deleted tasks included.",
		When:    "To catch up after a pause, or to see what an actor did.",
	}, (*Workspace).History),
	declare(Verb{
		Name: "settings_get", Group: "tasks", Toolset: Admin, Title: "Read the settings", Kind: Read, Profile: Viewer, Idempotent: true,
		Summary: "List the workspace's settings that a verb can change, and what they are now.",
		When:    "To see the time limits in force and who may attest.",
	}, (*Workspace).SettingsGet),
	declare(Verb{
		Name: "settings_set", Group: "tasks", Toolset: Admin, Title: "Change a setting", Kind: Write, Profile: Maintainer, Idempotent: true,
		Summary: "Change one setting, on its own line of config.yaml.",
		When:    "States and their meaning are not settings; they are changed in an editor.",
	}, (*Workspace).SettingsSet),
	declare(Verb{
		Name: "begin", Group: "sessions", Toolset: Core, Title: "Begin a session", Kind: Write, Holds: true, Profile: PairWorker, Idempotent: true,
		Summary: "Claim a task, move it to the working state, and open a session on it, in one step.",
		When:    "Before real work. Then heartbeat now and again, and finish or cancel at the end. Repeating it with the same idempotency_key returns the same session.",
	}, (*Workspace).Begin),
	declare(Verb{
		Name: "heartbeat", Group: "sessions", Toolset: Core, Title: "Report progress", Kind: Write, Profile: PairWorker, Idempotent: true,
		Summary: "Say that a session is alive and what it is doing; no committed file changes.",
		When:    "Every few minutes during long work: a session without a sign of life counts as stalled and may be taken over.",
	}, (*Workspace).Heartbeat),
	declare(Verb{
		Name: "finish", Group: "sessions", Toolset: Core, Title: "Finish a session", Kind: Write, Profile: PairWorker, Runs: true,
		Summary: "Hand the task over for review with a summary, and end the session.",
		When:    "When the work is done. It does not close the task: that takes passing checks and a transition.",
	}, (*Workspace).Finish),
	declare(Verb{
		Name: "cancel", Group: "sessions", Toolset: Core, Title: "Cancel a session", Kind: Write, Profile: PairWorker,
		Summary: "End a session without handing over; the task is released and stays open.",
		When:    "When you cannot go on. The reason helps whoever is next.",
	}, (*Workspace).Cancel),
	declare(Verb{
		Name: "get_session", Group: "sessions", Toolset: Core, Title: "Read a session", Kind: Read, Profile: Viewer, Idempotent: true, Reads: "session",
		Summary: "Read one session, with its health as of now.",
		When:    "To see how an attempt is doing, or how it ended.",
	}, (*Workspace).GetSession),
	declare(Verb{
		Name: "list_sessions", Group: "sessions", Toolset: Core, Title: "List sessions", Kind: Read, Profile: Viewer, Idempotent: true, Lists: "session",
		Summary: "List the sessions that fit all filters given, the newest first.",
		When:    "With health stalled it shows what was left behind; with awaiting_review what waits for a reviewer.",
	}, (*Workspace).ListSessions),
)
