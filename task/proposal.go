package task

import "encoding/json"

// ProposalKind is the kind of a proposal, in a Ref.
const ProposalKind = "proposal"

// ProposalPrefix is what stands before the dash of a proposal's id.
const ProposalPrefix = "plan"

// MadeReal is the text of the entry that tells that a proposal was made into tasks.
const MadeReal = "made real"

// Proposal is a plan that was stored for others to read.
type Proposal struct {
	ID         string          `json:"id"`
	Summary    string          `json:"summary"`
	Tasks      json.RawMessage `json:"tasks"`          // a list of tasks, as the verb that made it takes them
	Made       []ID            `json:"made,omitempty"` // what came of it
	Refs       []Reference     `json:"-"`
	Provenance Log             `json:"-"` // who proposed it, and who made it real
	Rev        Rev             `json:"rev"`
}

// ProposalLife is the life of a proposal: it is made real, gets references and is noted. Nothing else in it changes.
var ProposalLife = Life{Kinds: []Did{Created, Updated, Noted}, Step: func(_ any, now Header, e Entry, _ Rules) (Status, Actor, error) {
	if e.Did == Updated && e.Text != MadeReal && (e.Text != "" || len(e.Said().Refs) == 0) {
		return "", "", Errorf(InvalidInput, "it changes what never changes in a proposal")
	}
	return now.Status, now.Assignee, nil
}}

// With returns the proposal with e behind the other entries of its provenance.
func (p Proposal) With(e Entry) Proposal {
	p.Provenance = p.Provenance.Add(e)
	return p
}

// Header returns what the proposal has in common with records of other kinds.
func (p Proposal) Header() Header {
	return Header{Ref: Ref{Kind: ProposalKind, ID: p.ID}, Title: p.Summary, Refs: p.Refs, Log: p.Provenance, Rev: p.Rev}
}
