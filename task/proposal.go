package task

import (
	"encoding/json"

	"github.com/cairn-tasks/cairn/internal/record"
)

// ProposalKind is the kind of a proposal, in a Ref.
const ProposalKind = "proposal"

// ProposalPrefix is what stands before the dash of a proposal's id.
const ProposalPrefix = "plan"

// MadeReal is the text of the entry that tells that a proposal was made into tasks.
const MadeReal = "made real"

// Proposal is a plan that was stored for others to read.
type Proposal struct {
	ID         string             `json:"id"`
	Summary    string             `json:"summary"`
	Tasks      json.RawMessage    `json:"tasks"`          // a list of tasks, as the verb that made it takes them
	Made       []record.ID        `json:"made,omitempty"` // what came of it
	Refs       []record.Reference `json:"-"`
	Provenance record.Log         `json:"-"` // who proposed it, and who made it real
	Rev        record.Rev         `json:"rev"`
}

// ProposalLife is the life of a proposal: it is made real, gets references and is noted. Nothing else in it changes.
var ProposalLife = Life{Kinds: []record.Did{record.Created, record.Updated, record.Noted}, Step: func(_ any, now record.Header, e record.Entry, _ Rules) (record.Status, record.Actor, error) {
	if e.Did == record.Updated && e.Text != MadeReal && (e.Text != "" || len(e.Said().Refs) == 0) {
		return "", "", record.Errorf(record.InvalidInput, "it changes what never changes in a proposal")
	}
	return now.Status, now.Assignee, nil
}}

// With returns the proposal with e behind the other entries of its provenance.
func (p Proposal) With(e record.Entry) Proposal {
	p.Provenance = p.Provenance.Add(e)
	return p
}

// Header returns what the proposal has in common with records of other kinds.
func (p Proposal) Header() record.Header {
	return record.Header{Ref: record.Ref{Kind: ProposalKind, ID: p.ID}, Title: p.Summary, Refs: p.Refs, Log: p.Provenance, Rev: p.Rev}
}
