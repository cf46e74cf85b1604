package record_test

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
)

// Exit numbers are a promise to scripts. They are never changed; a new code gets a line of its own here.
var exits = map[record.Code]int{
	"IO": 1, "BAD_FILE": 1, "BUSY": 1, "GIT": 1, "NO_SHELL": 1, "NO_SANDBOX": 1, "SANDBOXED": 1,
	"NO_BASE": 2, "INVALID_INPUT": 2, "INVALID_PARAMS": 2, "INVALID_TIMEOUT": 2, "UNKNOWN_STATE": 2, "AMBIGUOUS_ID": 2,
	"INVALID_SPEC": 2, "TASK_TYPE_VALUE_IN_STATUS": 2,
	"NOT_FOUND": 3, "NO_WORKSPACE": 3, "JOB_NOT_FOUND": 3, "ARTIFACT_MISSING": 3, "RESOURCE_NOT_FOUND": 3,
	"DEPS_OPEN": 4, "CHECKS_FAILED": 4, "CHECKS_PENDING": 4, "CHECKS_RUNNING": 4, "EVIDENCE_MISSING": 4, "GUARDS_CHANGED": 4, "NEVER_RED": 4, "DANGLING_DEP": 4, "DEP_CYCLE": 4,
	"TASK_CLOSED": 4, "TASK_FULL": 4, "HAS_DEPENDENTS": 4, "SESSION_ENDED": 4, "SESSION_LIVE": 4,
	"ALREADY_TERMINAL": 4, "TASK_TYPE_MISMATCH": 4, "BASE_DIRTY": 4, "EXECUTOR_MISSING": 4, "MERGE_REQUIRED": 4,
	"ALREADY_CLAIMED": 5, "NOT_YOURS": 5, "ELSEWHERE": 5, "COLLIDES": 5, "CLAIM_LOST": 5, "OFFLINE": 5, "CONFLICT": 5,
	"MERGE_CONFLICT": 5, "REBASE_CONFLICT": 5, "BASE_MOVED": 5, "RATE_LIMIT": 5, "BUDGET_SPENT": 5,
	"FORBIDDEN": 7, "OUT_OF_SCOPE": 7, "READ_ONLY": 7, "IDENTITY_MISMATCH": 7,
	"UNTRUSTED": 8,
}

func TestExitNumbersNeverChange(t *testing.T) {
	for _, info := range record.Codes {
		want, pinned := exits[info.Code]
		if !pinned {
			t.Errorf("%s is new: add it to the table above", info.Code)
		} else if info.Exit != want {
			t.Errorf("%s exits with %d, and promised %d", info.Code, info.Exit, want)
		}
	}
	for code := range exits {
		if code.Info().Meaning == (record.Code("NONE")).Info().Meaning {
			t.Errorf("%s is gone from the list", code)
		}
	}
}

// Every code that is declared stands in the list, once, and the list is in the order of exit numbers.
func TestEveryCodeIsListedOnce(t *testing.T) {
	declared := declaredCodes(t)
	listed := map[record.Code]bool{}
	last := 0
	for _, info := range record.Codes {
		if listed[info.Code] {
			t.Errorf("%s is listed twice", info.Code)
		}
		if !declared[info.Code] {
			t.Errorf("%s is listed and has no constant", info.Code)
		}
		if info.Exit < last {
			t.Errorf("%s with exit %d is listed behind exit %d", info.Code, info.Exit, last)
		}
		listed[info.Code], last = true, info.Exit
	}
	for code := range declared {
		if !listed[code] {
			t.Errorf("%s has a constant and is not listed", code)
		}
	}
}

// declaredCodes reads the constants of type Code from the source, since Go cannot list them.
func declaredCodes(t *testing.T) map[record.Code]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "error.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	codes := map[record.Code]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		kind, isName := spec.Type.(*ast.Ident)
		literal, isLiteral := spec.Values[0].(*ast.BasicLit)
		if isName && isLiteral && kind.Name == "Code" {
			code, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			codes[record.Code(code)] = true
		}
		return true
	})
	if len(codes) == 0 {
		t.Fatal("error.go declares no codes")
	}
	return codes
}

// Meanings are printed in a table: each is a phrase on one line.
func TestEveryCodeSaysWhatItMeans(t *testing.T) {
	for _, info := range record.Codes {
		if info.Meaning == "" || strings.ContainsAny(info.Meaning, "\n|") || strings.HasSuffix(info.Meaning, ".") {
			t.Errorf("%s means %q", info.Code, info.Meaning)
		}
	}
}

func TestAnUnknownCodeIsAFailure(t *testing.T) {
	info := record.Code("NO_SUCH_CODE").Info()
	if info.Exit != 1 || info.Retryable || info.Meaning == "" {
		t.Errorf("reads as %+v", info)
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  record.Error
		want string
	}{
		{"all that is known", record.Error{Op: "transition", ID: "A-1", Msg: "waits for A-2"}, "transition A-1: waits for A-2"},
		{"no task", record.Error{Op: "list", Msg: "there is no state"}, "list: there is no state"},
		{"no verb", record.Error{ID: "A-1", Msg: "is closed"}, "A-1: is closed"},
		{"the message alone", record.Error{Msg: "is closed"}, "is closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := tt.err.Error(); got != tt.want {
				t.Errorf("reads %q, want %q", got, tt.want)
			}
		})
	}
}

func TestErrorsKeepTheirCause(t *testing.T) {
	err := record.Errorf(record.IO, "cannot read: %w", io.ErrUnexpectedEOF).WithHint("try %s", "again").WithNext(record.CallTo("get"))
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error("the cause is lost")
	}
	if err.Hint.String() != "try again" || err.Next[0].Verb != "get" {
		t.Errorf("the hint or the next verb is lost: %+v", err)
	}
	if code := record.CodeOf(fmt.Errorf("wrapped: %w", err)); code != record.IO {
		t.Errorf("the code of a wrapped error is %q", code)
	}
	if code := record.CodeOf(io.EOF); code != "" {
		t.Errorf("an error without a code has %q", code)
	}
	if code := record.CodeOf(nil); code != "" {
		t.Errorf("no error has %q", code)
	}
}
