package risk

import (
	"cmp"

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

var states = []task.Status{Open, Mitigated, Accepted}

// life is how risks live: none is opened again, and none is accepted without a reason.
var life = task.Plain(states...).With(func(_ task.Header, e task.Entry) error {
	switch {
	case e.To == Open:
		return task.Errorf(task.InvalidInput, "a risk is not opened again").WithHint("mitigated or accepted")
	case e.To == Accepted && e.Text == "":
		return task.Errorf(task.InvalidInput, "a risk is accepted for a reason").WithHint("say in reason why it may stay as it is")
	}
	return nil
})

// Valid returns INVALID_INPUT for what no risk may be. The message begins with the key.
func (r Risk) Valid() error {
	if _, err := task.ParseActor(string(r.Owner)); r.Owner != "" && err != nil {
		return err
	}
	return cmp.Or(task.OneOf("likelihood", r.Likelihood, []Likelihood{Low, Medium, High}), r.Header.Valid(r.Body))
}
