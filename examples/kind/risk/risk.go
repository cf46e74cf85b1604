package risk

import (
	"slices"

	"github.com/cairn-tasks/cairn/task"
)

// ID names a risk: RISK-, and the token of a task's id.
type ID string

// Risk is something that may go wrong.
type Risk struct {
	task.Header // what all kinds have in common
	Likelihood  Likelihood
	Owner       task.Actor // who watches it; "" for nobody
	Body        string
}

// Likelihood is how likely a risk is.
type Likelihood string

// The likelihoods.
const (
	Low    Likelihood = "low"
	Medium Likelihood = "medium"
	High   Likelihood = "high"
)

// The states. The last two are closed: nothing waits for such a risk.
const (
	Open      task.Status = "open"
	Mitigated task.Status = "mitigated"
	Accepted  task.Status = "accepted"
)

// New returns a risk as it is written first, or INVALID_INPUT if there may be no such risk.
func New(r Risk, token string, s task.Stamp) (Risk, error) {
	r.Ref, r.Status, r.Log = task.Ref{Kind: kindName, ID: prefix + "-" + token}, Open, task.Log{}.Add(s.Entry(task.Created))
	if !slices.Contains([]Likelihood{Low, Medium, High}, r.Likelihood) {
		return r, task.Errorf(task.InvalidInput, "likelihood is %q", r.Likelihood).WithHint("low, medium or high")
	}
	if _, err := task.ParseActor(string(r.Owner)); r.Owner != "" && err != nil {
		return r, err
	}
	return r, r.Valid(r.Body)
}

// Close returns the risk in a closed state. It returns INVALID_INPUT for another state, and for a risk that is accepted without a reason.
func Close(r Risk, as task.Status, s task.Stamp) (Risk, error) {
	if as != Mitigated && as != Accepted {
		return r, task.Errorf(task.InvalidInput, "as is %q", as).WithHint("mitigated or accepted")
	}
	if as == Accepted && s.Text == "" {
		return r, task.Errorf(task.InvalidInput, "a risk is accepted for a reason").WithHint("say in reason why it may stay as it is")
	}
	r.Header = r.Moved(as, s)
	return r, task.ValidText("reason", s.Text)
}

// Explained reports whether the provenance says why an accepted risk was accepted.
func (r Risk) Explained() bool {
	return r.Status != Accepted || slices.ContainsFunc(r.Log, func(e task.Entry) bool { return e.To == Accepted && e.Text != "" })
}
