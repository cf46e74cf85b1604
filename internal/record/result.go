package record

// Result is what is recorded of a check.
type Result string

// The results. A check that was never run, or whose declaration changed, is pending.
const (
	Pending Result = "pending"
	Pass    Result = "pass"
	Fail    Result = "fail"
)

// What the result of a command says that passed, where the work had changed files on which it stands: it passed with
// these as they were in the base too, or it did not.
const (
	HeldBase = "base"
	HeldNot  = "no"
)

// CheckResult is the result of one check, named by task.Check.Key.
type CheckResult struct {
	Check    string `json:"check"`
	Result   Result `json:"result"`
	Held     string `json:"held,omitempty"`     // HeldBase or HeldNot; "" where that was not asked
	Unhashed bool   `json:"unhashed,omitempty"` // from a wording of the original cairn: Check is "*" for all that were run, or an index
}
