package risk

import (
	"cmp"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// ID names a risk: RISK-, and the token of a task's id.
type ID string

// Risk is something that may go wrong.
type Risk struct {
	record.Header // what all kinds have in common
	Likelihood    Likelihood
	Owner         record.Actor // who watches it; "" for nobody
	Body          string
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
	Open      record.Status = "open"
	Mitigated record.Status = "mitigated"
	Accepted  record.Status = "accepted"
)

var states = []record.Status{Open, Mitigated, Accepted}

// life is how risks live: none is opened again, and none is accepted without a reason.
var life = task.Plain(states...).With(func(_ record.Header, e record.Entry) error {
	switch {
	case e.To == Open:
		return record.Errorf(record.InvalidInput, "a risk is not opened again").WithHint("mitigated or accepted")
	case e.To == Accepted && e.Text == "":
		return record.Errorf(record.InvalidInput, "a risk is accepted for a reason").WithHint("say in reason why it may stay as it is")
	}
	return nil
})

// Valid returns INVALID_INPUT for what no risk may be. The message begins with the key.
func (r Risk) Valid() error {
	if _, err := record.ParseActor(string(r.Owner)); r.Owner != "" && err != nil {
		return err
	}
	return cmp.Or(record.OneOf("likelihood", r.Likelihood, []Likelihood{Low, Medium, High}), r.Header.Valid(r.Body))
}
