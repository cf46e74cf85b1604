package evidence

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// The types of what is stated.
const (
	StatementType  = "https://in-toto.io/Statement/v1"
	TestResultType = "https://in-toto.io/attestation/test-result/v0.1"
	SVRType        = "https://in-toto.io/attestation/svr/v0.2"
)

// Verifier names what judged a change: the rules of cairn check, in their first version.
const Verifier = "https://github.com/cairn-tasks/cairn/check/v1"

// Statement is an in-toto statement.
type Statement struct {
	Type          string          `json:"_type"`
	Subject       []Resource      `json:"subject"`
	PredicateType string          `json:"predicateType"`
	Predicate     json.RawMessage `json:"predicate"`
}

// Resource is a ResourceDescriptor of in-toto.
type Resource struct {
	Name        string            `json:"name,omitempty"`
	Digest      map[string]string `json:"digest,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Bytes is the statement as JSON, as it is signed.
func (s Statement) Bytes() ([]byte, error) { return marshal(s) }

func stating(predicateType string, predicate any, subject ...Resource) (Statement, error) {
	src, err := marshal(predicate)
	return Statement{StatementType, subject, predicateType, src}, err
}

// Close states that the checks of a closed task passed.
type Close struct {
	Task   record.ID
	Close  string // task.Task.Closing: the entry that closed it and the passes on which it rests
	Commit string // in whose files the checks passed
	Rerun  bool   // the signer ran the commands itself, and does not tell what the record says
	Checks []Passed
}

// Passed is a check that passed.
type Passed struct {
	Key  string // task.Check.Key
	Hash string // task.Check.Hash: what it asks for
	Desc string
	Held bool // with the guarded files of the base too
	Red  bool // and it fails on the base with those of the work
}

type testResult struct {
	Result        string     `json:"result"`
	Configuration []Resource `json:"configuration"`
	PassedTests   []string   `json:"passedTests"`
}

const (
	passed   = "PASSED"
	rerun    = "rerun"
	recorded = "recorded"
	onBase   = "base"
)

// Statement states the close, with the predicate test-result.
func (c Close) Statement() (Statement, error) {
	how := recorded
	if c.Rerun {
		how = rerun
	}
	result := testResult{Result: passed, Configuration: []Resource{}, PassedTests: []string{}}
	for _, p := range c.Checks {
		at := Resource{Name: p.Key, Digest: map[string]string{"cairnCheck": p.Hash}}
		marks := map[string]string{}
		if p.Held {
			marks["held"] = onBase
		}
		if p.Red {
			marks["red"] = onBase
		}
		if len(marks) > 0 {
			at.Annotations = marks
		}
		result.Configuration, result.PassedTests = append(result.Configuration, at), append(result.PassedTests, p.Desc)
	}
	return stating(TestResultType, result,
		Resource{Name: "commit", Digest: map[string]string{"gitCommit": c.Commit}, Annotations: map[string]string{"results": how}},
		Resource{Name: string(c.Task), Digest: map[string]string{"cairnClose": c.Close}})
}

// Close reads what Close.Statement states. It returns an error for anything else.
func (s Statement) Close() (Close, error) {
	var r testResult
	err := json.Unmarshal(s.Predicate, &r)
	if err != nil || s.Type != StatementType || s.PredicateType != TestResultType || len(s.Subject) != 2 || len(r.PassedTests) != len(r.Configuration) {
		return Close{}, errors.New("it does not state the results of a closed task")
	}
	c := Close{
		Task: record.ID(s.Subject[1].Name), Close: s.Subject[1].Digest["cairnClose"],
		Commit: s.Subject[0].Digest["gitCommit"], Rerun: s.Subject[0].Annotations["results"] == rerun,
	}
	for i, at := range r.Configuration {
		c.Checks = append(c.Checks, Passed{at.Name, at.Digest["cairnCheck"], r.PassedTests[i], at.Annotations["held"] == onBase, at.Annotations["red"] == onBase})
	}
	if _, err := record.ParseID(string(c.Task)); err != nil {
		return c, err
	}
	return c, same(s, c.Statement)
}

// Change states that a change was judged by cairn check, and what it has.
type Change struct {
	Head, Base string    // commits
	Config     string    // id of the blob with the config of the workspace that was in force; "" for none
	At         time.Time // of the commit Head: the same history gives the same bytes
	Properties []string
}

// What a change has.
const (
	RecordSound = "CAIRN_RECORD_SOUND" // no rule of cairn check finds an error
	ChecksRerun = "CAIRN_CHECKS_RERUN" // the commands of the tasks that it closes were run again and passed
)

type svr struct {
	Verifier struct {
		ID       string     `json:"id"`
		Policies []Resource `json:"policies"`
	} `json:"verifier"`
	TimeCreated string   `json:"timeCreated"`
	Properties  []string `json:"properties"`
}

// Statement states the change, with the predicate svr.
func (c Change) Statement() (Statement, error) {
	var r svr
	r.Verifier.ID, r.Verifier.Policies, r.Properties = Verifier, []Resource{}, c.Properties
	r.TimeCreated = c.At.UTC().Format(time.RFC3339)
	if c.Config != "" {
		r.Verifier.Policies = append(r.Verifier.Policies, Resource{Name: ".cairn/config.yaml", Digest: map[string]string{"gitBlob": c.Config}})
	}
	return stating(SVRType, r,
		Resource{Name: "commit", Digest: map[string]string{"gitCommit": c.Head}, Annotations: map[string]string{"base": c.Base}})
}

// Change reads what Change.Statement states. It returns an error for anything else.
func (s Statement) Change() (Change, error) {
	var r svr
	err := json.Unmarshal(s.Predicate, &r)
	if err != nil || s.Type != StatementType || s.PredicateType != SVRType || len(s.Subject) != 1 || len(r.Verifier.Policies) > 1 {
		return Change{}, errors.New("it does not state what a change has")
	}
	c := Change{Head: s.Subject[0].Digest["gitCommit"], Base: s.Subject[0].Annotations["base"], Properties: r.Properties}
	for _, p := range r.Verifier.Policies {
		c.Config = p.Digest["gitBlob"]
	}
	if c.At, err = time.Parse(time.RFC3339, r.TimeCreated); err != nil {
		return c, err
	}
	return c, same(s, c.Statement)
}

// same returns an error where a statement says more, or less, than what was read of it.
func same(s Statement, again func() (Statement, error)) error {
	made, err := again()
	a, _ := s.Bytes()
	b, _ := made.Bytes()
	if err == nil && !slices.Equal(a, b) {
		err = fmt.Errorf("it says more, or less, than a statement of %s that cairn writes", s.PredicateType)
	}
	return err
}
