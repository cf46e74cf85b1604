package verb

import (
	"errors"
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/kind"
	"github.com/cairn-tasks/cairn/task"
)

// Profile says what a caller may do. Each profile holds those before it, but for InJob.
type Profile int

// The profiles.
const (
	Viewer Profile = iota
	Planner
	PairWorker
	InJob // the agent of a job: it may call what jobTools lists, and nothing else
	Operator
	Maintainer
)

var profileNames = []string{"viewer", "planner", "pair_worker", "job", "operator", "maintainer"}

// jobTools is what the agent of a job is offered, whatever the toolsets: the task and the session are the job's, and
// who reviews the work closes the task.
var jobTools = []string{"get", "create", "run_checks", "note", "heartbeat", "ask", "finish", "handoff_create"}

// shellTools is what the agent of a job may call besides in its shell: what reads, and what adds a record that lands with
// its work.
var shellTools = []string{"ref_add", "knowledge_write", "decision_log", "feedback_create"}

func (p Profile) String() string { return profileNames[p] }

// ParseProfile reads the name of a profile.
func ParseProfile(s string) (Profile, error) {
	if i := slices.Index(profileNames, s); i >= 0 {
		return Profile(i), nil
	}
	return 0, record.Errorf(record.InvalidInput, "there is no profile %q", s).
		WithHint("the profiles are viewer, planner, pair_worker, job, operator and maintainer")
}

// Toolset is a group of verbs that a server offers or does not, so that a list of tools stays small.
type Toolset string

// The toolsets.
const (
	Core    Toolset = "core"    // the life of a task and of a session on it
	Edit    Toolset = "edit"    // changing what a task says
	Plans   Toolset = "plan"    // many tasks at once
	Records Toolset = "history" // what was done, and what checks printed
	Admin   Toolset = "admin"   // settings, and taking away
	Ledger  Toolset = "ledger"  // decisions, knowledge, references, search and skills
	Team    Toolset = "team"    // handoffs, who there is, feedback and the manual
	Jobs    Toolset = "jobs"    // jobs, pairs, reviews and projects
)

var allToolsets = []Toolset{Core, Edit, Plans, Records, Admin, Ledger, Team, Jobs}

// AllToolsets lists every toolset.
func AllToolsets() []Toolset { return slices.Clone(allToolsets) }

// Toolsets is what a profile is offered by default. It is small, because each tool takes room in the context of a
// model. A planner without the tools for planning would be a viewer.
func (p Profile) Toolsets() []Toolset {
	if p == Planner {
		return []Toolset{Core, Plans}
	}
	return []Toolset{Core}
}

// ParseToolsets reads names of toolsets with commas between them; all stands for every one.
func ParseToolsets(s string) ([]Toolset, error) {
	var out []Toolset
	for name := range strings.SplitSeq(s, ",") {
		name = strings.TrimSpace(name)
		switch {
		case name == "all":
			return allToolsets, nil
		case !slices.Contains(allToolsets, Toolset(name)):
			return nil, record.Errorf(record.InvalidInput, "there is no toolset %q", name).
				WithHint("the toolsets are core, edit, plan, history, admin, ledger, team and jobs; all is every one")
		}
		out = append(out, Toolset(name))
	}
	return out, nil
}

// Rights are what a caller may do. A front-end fixes them; they are nobody's argument.
type Rights struct {
	Profile  Profile
	Scope    record.ID // the only task that may be changed; "" for every one
	ReadOnly bool      // nothing may be changed, whatever the profile
	Unchosen bool      // nobody gave the caller the profile, which is that of everybody at the command line
	Shell    bool      // InJob, and the caller is a command in the shell of the job's agent
	Toolsets []Toolset // what is offered; nil for everything
}

// Allow returns why a caller may not call a verb at all, with the flag of the server that would let it: FORBIDDEN,
// READ_ONLY, or OUT_OF_SCOPE for what is not about one task.
func (r Rights) Allow(v Verb) error {
	switch {
	case r.ReadOnly && v.Kind != Read:
		return record.Errorf(record.ReadOnly, "changes the workspace, and this caller may only read").
			WithHint("start the server without --readonly, if the caller is to change anything")
	case r.Profile == InJob && slices.Contains(jobTools, v.Name):
		return nil
	case r.Shell && (v.Kind == Read || slices.Contains(shellTools, v.Name)):
		return nil
	case r.Shell:
		return record.Errorf(record.Forbidden, "is not for the agent of a job, which may change %s only", r.Scope).
			WithHint("%s asks whoever leads", record.CallTo("handoff_create", "title", "TITLE", "to", "WHO", "about", r.Scope).OnlyShown())
	case r.Profile == InJob:
		return notInJob()
	case r.Profile < v.Profile:
		return r.Needs(v.Profile)
	case r.Scope != "" && v.Kind != Read && !v.Scopes && !v.aboutOne():
		return record.Errorf(record.OutOfScope, "this caller may change %s only", r.Scope).
			WithHint("start the server without --scope, if it is to do more")
	case r.Toolsets != nil && !slices.Contains(r.Toolsets, v.Toolset):
		return record.Errorf(record.Forbidden, "is not among the tools that this server offers").
			WithHint("start the server with --toolsets %s, or all", v.Toolset)
	default:
		return nil
	}
}

// notInJob refuses what the agent of a job does not do to its task.
func notInJob() *record.Error {
	return record.Errorf(record.Forbidden, "a job opens its session itself and leaves the close to who reviews its work").
		WithHint("call finish: %s hands the work over", record.CallTo("finish", "summary", "SUMMARY").OnlyShown())
}

// NotInJob returns FORBIDDEN where the caller is at work in a job whose task is this one.
func (w *Workspace) NotInJob(s *store.Store, id record.ID) error {
	if w.Job == "" || w.Session == "" {
		return nil
	}
	if ses, err := kind.Sessions.Get(s, w.Session); err != nil || ses.Task != id || ses.Job == "" {
		return nil
	}
	return WithID(notInJob(), id)
}

// Needs returns FORBIDDEN if the caller's profile does not hold another one.
func (r Rights) Needs(p Profile) error {
	if r.Profile >= p {
		return nil
	}
	return record.Errorf(record.Forbidden, "needs the profile %s, and this caller has %s", p, r.Profile).
		WithHint("start the server with --profile %s, if the caller is to be trusted with it", p)
}

// aboutOne reports whether a verb changes the one record that its input names, or that it is about if the input names
// none.
func (v Verb) aboutOne() bool {
	return slices.ContainsFunc(v.Fields(), func(f Field) bool { return f.Names != "" && (f.Required || f.Else != "") })
}

// InScope returns OUT_OF_SCOPE for a task that the caller may not change.
func (r Rights) InScope(id record.ID) error {
	if r.Scope == "" || r.Scope == id {
		return nil
	}
	return record.Errorf(record.OutOfScope, "this caller may change %s only", r.Scope).
		WithHint("work on that task; for another the server is started with another --scope").
		WithNext(record.CallTo("get", "id", r.Scope))
}

// unconfirmedError is a refusal that goes away once a person has confirmed what they are asked.
type unconfirmedError struct {
	asks []task.Ask
	err  error
}

func (u unconfirmedError) Error() string { return u.err.Error() }
func (u unconfirmedError) Unwrap() error { return u.err }

// asksOf is what a person would have to confirm for the call to be let through; nil if that would not help.
func asksOf(err error) []task.Ask {
	var u unconfirmedError
	if !errors.As(err, &u) {
		return nil
	}
	return u.asks
}

// IsUnconfirmed reports whether an error goes away once a person has confirmed what they are asked. Verb.Call asks
// them.
func IsUnconfirmed(err error) bool { return asksOf(err) != nil }

// Confirmed returns FORBIDDEN if some of what is asked was not confirmed by the person in this call; see IsUnconfirmed.
func (w *Workspace) Confirmed(asks []task.Ask) error {
	asks = slices.DeleteFunc(asks, func(a task.Ask) bool { return slices.Contains(w.confirmed, a) })
	if len(asks) == 0 {
		return nil
	}
	return unconfirmedError{asks, task.Unconfirmed(asks)}
}
