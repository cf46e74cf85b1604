package record

// Result is what is recorded of a check.
type Result string

// The results. A check that was never run, or whose declaration changed, is pending.
const (
	Pending Result = "pending"
	Pass    Result = "pass"
	Fail    Result = "fail"
)

// HeldBase is what the result of a command says that passed also with the files on which it stands as they were in the
// base, where the work had changed some of them.
const HeldBase = "base"

// CheckResult is the result of one check, named by task.Check.Key.
type CheckResult struct {
	Check    string `json:"check"`
	Result   Result `json:"result"`
	Held     string `json:"held,omitempty"`     // HeldBase if it passed with the guarded files of the base too, and "" where that was not asked
	Unhashed bool   `json:"unhashed,omitempty"` // from a wording of the original cairn: Check is "*" for all that were run, or an index
}
