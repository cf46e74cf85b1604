package ledger

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// DecisionKind is the kind of a decision, in a record.Ref.
const DecisionKind = "decision"

// DecisionPrefix stands before the dash of a decision's id.
const DecisionPrefix = "DEC"

// DecisionID names a decision: DEC-, and the token of a task's id.
type DecisionID string

// Decision is what was decided, and why. Its content never changes: the title, the choice, the options, the scope, what
// it is about, what it supersedes and the body. To change a decision, another one is logged that supersedes it. Its
// status, its labels and its provenance move.
type Decision struct {
	record.Header
	Choice     string     // what was chosen
	Supersedes DecisionID // the one whose place it takes; "" for none
	Options    []Option   // that were weighed
	Scope      []string   // globs of the paths that it governs
	About      []string   // ids of the records that it is about
	Body       string     // with the sections Context and Rationale
}

// Option is one of the options that were weighed.
type Option struct{ Label, Summary, Pros, Cons string }

// The states of a decision. The last two are closed.
const (
	Proposed record.Status = "proposed"
	Accepted record.Status = "accepted"
	Rejected record.Status = "rejected"
)

// DecisionStates lists the states of a decision.
var DecisionStates = []record.Status{Proposed, Accepted, Rejected}

// FindDecision returns another decision. It reports false for one that does not exist or cannot be read.
type FindDecision func(DecisionID) (Decision, bool)

// NewDecision returns a decision as it is written first, with an entry that has the hash of its content. Without a
// status, that of a person is accepted and any other is proposed. It returns INVALID_INPUT if there may be no such
// decision, NOT_FOUND if it supersedes one that does not exist, and FORBIDDEN if the actor may not accept it.
func NewDecision(f task.Flow, d Decision, token string, find FindDecision, s record.Stamp) (Decision, error) {
	d.Ref = record.Ref{Kind: DecisionKind, ID: DecisionPrefix + "-" + token}
	d.Choice, d.Body = record.CleanBody(d.Choice), record.CleanBody(d.Body)
	if d.Status == "" && s.Who.Human() {
		d.Status = Accepted
	}
	d.Status = cmp.Or(d.Status, Proposed)
	if err := d.valid(); err != nil {
		return d, err
	}
	e := s.Entry(record.Created).Saying(record.Detail{Content: d.ContentHash()})
	e.To, d.Status, d.Log = d.Status, "", nil
	d, err := d.apply(e, f)
	return d, cmp.Or(err, d.validSuccession(find))
}

// DecisionLife is the life of a decision.
var DecisionLife = task.Life{Step: decisionStep, Kinds: []record.Did{record.Created, record.Transitioned, record.Updated, record.Noted}}

// decisionStep says which entry brings a decision where, and who may write it.
func decisionStep(_ any, now record.Header, e record.Entry, in task.Rules) (record.Status, record.Actor, error) {
	err := record.OneOf("status", e.To, DecisionStates)
	switch e.Did {
	case record.Created:
		return e.To, "", cmp.Or(err, hasContent(e), mayRatify(in.Flow, "", e.To, e.Who))
	case record.Transitioned:
		if err == nil && e.To == now.Status {
			err = record.Errorf(record.Conflict, "it is %s already", e.To)
		}
		return e.To, "", cmp.Or(err, mayRatify(in.Flow, now.Status, e.To, e.Who))
	case record.Updated:
		if e.Fields != nil && !slices.Equal(e.Fields, []string{"labels"}) {
			return now.Status, "", record.Errorf(record.InvalidInput, "%s of a decision never changes", strings.Join(e.Fields, ", "))
		}
	default:
	}
	return now.Status, "", nil
}

func (d Decision) apply(e record.Entry, f task.Flow) (Decision, error) {
	now, err := DecisionLife.Apply(d, d.Header, e, task.Rules{Flow: f})
	d.Header = now
	return d, err
}

func (d Decision) valid() error {
	if err := cmp.Or(
		d.Valid(d.Body),
		record.RequiredText("choice", d.Choice, "say in a sentence what was chosen; the reasons go into rationale"),
		record.OneOf("status", d.Status, DecisionStates),
	); err != nil {
		return err
	}
	if len(d.Options) > maxOptions || len(d.Scope) > task.MaxScope || len(d.Labels) > record.MaxLabels {
		return record.Errorf(record.InvalidInput, "there are more than %d options, %d globs in scope or %d labels",
			maxOptions, task.MaxScope, record.MaxLabels).WithHint("put long lists into the context")
	}
	for i, o := range d.Options {
		if err := o.valid(); err != nil {
			return record.Errorf(record.InvalidInput, "options[%d]: %s", i, record.MessageOf(err)).WithHint("each has a label of its own, and may have summary, pros and cons")
		}
		if slices.ContainsFunc(d.Options[:i], func(other Option) bool { return other.Label == o.Label }) {
			return record.Errorf(record.InvalidInput, "options[%d]: another option has the label %q", i, o.Label).WithHint("give each option a label of its own")
		}
	}
	return cmp.Or(validAbout(d.About), task.ValidScope(d.Scope))
}

func (o Option) valid() error {
	if err := (record.Header{Title: o.Label}).Valid(""); err != nil {
		return record.Errorf(record.InvalidInput, "label is empty, too long, or not one line of text")
	}
	return cmp.Or(record.ValidText("summary", o.Summary), record.ValidText("pros", o.Pros), record.ValidText("cons", o.Cons))
}

// validSuccession returns NOT_FOUND if the decision supersedes one that does not exist, and INVALID_INPUT if the chain
// leads back to itself.
func (d Decision) validSuccession(find FindDecision) error {
	if d.Supersedes == "" {
		return nil
	}
	if _, ok := find(d.Supersedes); !ok && string(d.Supersedes) != d.Ref.ID {
		return record.Errorf(record.NotFound, "there is no decision %s to supersede", d.Supersedes).
			WithHint("%s shows what there is", record.CallTo("decision_query"))
	}
	of := func(id DecisionID) (DecisionID, bool) {
		if string(id) == d.Ref.ID {
			return d.Supersedes, true
		}
		before, ok := find(id)
		return before.Supersedes, ok
	}
	if InCircle(DecisionID(d.Ref.ID), of) || InCircle(d.Supersedes, of) {
		return record.Errorf(record.InvalidInput, "%s supersedes itself in the end", d.Supersedes).
			WithHint("%s names the files to correct", record.CallTo("check"))
	}
	return nil
}

// InCircle reports whether a decision supersedes itself in the end. of returns what a decision supersedes, "" for none;
// it reports false for one that is not known.
func InCircle(id DecisionID, of func(DecisionID) (DecisionID, bool)) bool {
	seen := map[DecisionID]bool{}
	for at := id; !seen[at]; {
		seen[at] = true
		before, ok := of(at)
		if !ok || before == "" {
			return false
		}
		if before == id {
			return true
		}
		at = before
	}
	return false // the chain leads into a circle of others
}

// mayRatify returns FORBIDDEN if the actor may not bring a decision from one status to another: to accept one, and to
// take that back, is for a person, unless the config lets anyone.
func mayRatify(f task.Flow, from, to record.Status, who record.Actor) error {
	switch {
	case from == to || from != Accepted && to != Accepted || f.Ratify == task.ByAnyone || who.Human():
		return nil
	case from == Accepted:
		return record.Errorf(record.Forbidden, "it is accepted, and only a person takes that back").
			WithHint("log a decision that supersedes it, for a person to accept; or ask a person")
	}
	err := record.Errorf(record.Forbidden, "a decision is accepted by a person, and %s is none", who)
	if from == "" {
		return err.WithHint("leave status out, which makes it proposed, and ask a person to accept it")
	}
	return err.WithHint("ask a person to run the command in a terminal")
}

// SetStatus returns the decision in another state. In the state that it is in already it stays as it is, and the text
// becomes a note. It returns INVALID_INPUT for what is no state, and FORBIDDEN for an actor who may not accept
// decisions or take that back.
func (d Decision) SetStatus(f task.Flow, to record.Status, s record.Stamp) (Decision, error) {
	e := s.Entry(record.Transitioned)
	e.To = to
	switch err := record.ValidText("reason", s.Text); {
	case err != nil:
		return d, err
	case to != d.Status:
		return d.apply(e, f)
	case s.Text != "":
		return d.apply(s.Entry(record.Noted), f)
	}
	return d, nil
}

// Asks lists what a person must confirm before a decision, which was in another state or is new, may stand in this one
// in their name.
func (d Decision) Asks(f task.Flow, from record.Status, s record.Stamp) []task.Ask {
	if !s.Who.Human() || f.Ratify == task.ByAnyone || from == d.Status || from != Accepted && d.Status != Accepted {
		return nil
	}
	ask := task.Ask{Who: s.Who, Does: "accepting the decision \"" + d.Title + "\"", Text: d.Choice, Word: "accept"}
	if d.Status != Accepted {
		ask.Does, ask.Text, ask.Word = "taking back that the decision \""+d.Title+"\" is accepted", s.Text, "withdraw"
	}
	if from != "" {
		ask.Kind, ask.ID, ask.Title = DecisionKind, record.ID(d.Ref.ID), d.Title
	}
	return []task.Ask{ask}
}

// ContentHash is the hash of what never changes in a decision. Its parts are the id, the title, the choice, what it
// supersedes; the label, summary, pros and cons of each option, after how many there are; the globs of the scope and
// the ids in about, each list after its length; the body, in its normal form.
func (d Decision) ContentHash() string { return d.contentHash(Prose(d.Body)) }

// HasContent reports whether a hash is that of the content. Earlier programs hashed the body as it was.
func (d Decision) HasContent(hash string) bool {
	return hash == d.contentHash(d.Body) || hash == d.ContentHash()
}

func (d Decision) contentHash(body string) string {
	parts := []string{d.Ref.ID, d.Title, d.Choice, string(d.Supersedes), strconv.Itoa(len(d.Options))}
	for _, o := range d.Options {
		parts = append(parts, o.Label, o.Summary, o.Pros, o.Cons)
	}
	parts = counted(counted(parts, d.Scope), d.About)
	return record.ContentHash(append(parts, body)...)
}

// Changed names the keys of the content that differ between two versions of a decision, body among them. What a
// formatter does to the body is no difference.
func (d Decision) Changed(was Decision) []string {
	keys := change(nil, "title", &was.Title, &d.Title)
	keys = change(keys, "choice", &was.Choice, &d.Choice)
	keys = change(keys, "supersedes", &was.Supersedes, &d.Supersedes)
	keys = change(keys, "options", &was.Options, &d.Options)
	keys = change(keys, "scope", &was.Scope, &d.Scope)
	keys = change(keys, "about", &was.About, &d.About)
	if was.Body != d.Body && Prose(was.Body) != Prose(d.Body) {
		keys = append(keys, "body")
	}
	return keys
}

// DecisionBody is a body with the sections Context and Rationale. What is empty is left out.
func DecisionBody(context, rationale string) string {
	var out []string
	for _, s := range []struct{ heading, text string }{{"Context", context}, {"Rationale", rationale}} {
		if text := record.CleanBody(s.text); strings.TrimSpace(text) != "" {
			out = append(out, "## "+s.heading+"\n\n"+text)
		}
	}
	return strings.Join(out, "\n\n")
}

// Context is what led to the decision, from its body.
func (d Decision) Context() string {
	return section(d.Body, "context", "context and problem statement")
}

// Rationale is why it was decided so, from its body.
func (d Decision) Rationale() string { return section(d.Body, "rationale", "decision outcome") }

// section returns what stands under the first heading that has one of the names, ours and that of MADR, up to the next heading of its level or
// above. A heading in a block of code is none.
func section(body string, names ...string) string {
	var out []string
	in, fenced := 0, false
	for line := range strings.SplitSeq(body, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
		}
		level := len(line) - len(strings.TrimLeft(line, "#"))
		if fenced || level > 6 || !strings.HasPrefix(line[level:], " ") {
			level = 0
		}
		name := strings.ToLower(strings.TrimSpace(strings.Trim(line, "#")))
		switch {
		case in == 0 && level > 0 && slices.Contains(names, name):
			in = level
		case in > 0 && level > 0 && level <= in:
			return record.CleanBody(strings.Join(out, "\n"))
		case in > 0:
			out = append(out, line)
		}
	}
	return record.CleanBody(strings.Join(out, "\n"))
}
