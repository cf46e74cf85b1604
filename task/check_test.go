package task_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/task"
)

// What a check is called in provenance: two declarations with one name are the same to the record.
func TestKey(t *testing.T) {
	base := task.Check{Desc: "tests pass", Cmd: "go test ./..."}
	for _, tt := range []struct {
		name  string
		other task.Check
		same  bool
	}{
		{"another description", task.Check{Desc: "the suite", Cmd: "go test ./..."}, true},
		{"another time limit and result", task.Check{Desc: "tests pass", Cmd: "go test ./...", Timeout: 9, Result: record.Pass}, true},
		{"the workspace spelled as a dot", task.Check{Cmd: "go test ./...", Cwd: "."}, true},
		{"a folder that leads back", task.Check{Cmd: "go test ./...", Cwd: "api/.."}, true},
		{"another command", task.Check{Desc: "tests pass", Cmd: "true"}, false},
		{"one space more", task.Check{Desc: "tests pass", Cmd: "go test  ./..."}, false},
		{"another folder", task.Check{Desc: "tests pass", Cmd: "go test ./...", Cwd: "api"}, false},
		{"command and folder cut elsewhere", task.Check{Cmd: "go test ./...api", Cwd: ""}, false},
		{"a manual check", task.Check{Desc: "tests pass"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if same := tt.other.Key("T-1") == base.Key("T-1"); same != tt.same {
				t.Errorf("%s and %s", base.Key("T-1"), tt.other.Key("T-1"))
			}
		})
	}
	if len(base.Key("T-1")) != 16 {
		t.Errorf("a command is named by 16 hex digits, not %q", base.Key("T-1"))
	}
	if manual := (task.Check{Desc: "read by a person"}); manual.Key("T-1") != "read by a person" || !manual.Manual() {
		t.Errorf("a manual check is named by its description, not %q", manual.Key("T-1"))
	}
}

// Keys stand in committed files, so they never change.
func TestKeyIsStable(t *testing.T) {
	c := task.Check{Desc: "tests pass", Cmd: "go test ./...", Cwd: "api"}
	if got, want := c.Key("T-1"), "867b97d73cffee22"; got != want {
		t.Errorf("the key of %q in %q is %s, and was %s", c.Cmd, c.Cwd, got, want)
	}
}

// What the hashes of a list of checks see.
func TestCheckHashes(t *testing.T) {
	tests := task.Check{Desc: "tests pass", Cmd: "go test ./..."}
	read := task.Check{Desc: "read", By: task.ByHuman}
	hashes := func(checks []task.Check) []string { return task.Task{ID: "A-1", Checks: checks}.CheckHashes() }
	base := hashes([]task.Check{tests, read})
	edited := func(edit func(tests, read *task.Check)) []task.Check {
		a, b := tests, read
		edit(&a, &b)
		return []task.Check{a, b}
	}
	if other := (task.Task{ID: "A-2", Checks: []task.Check{tests, read}}).CheckHashes(); other[0] == base[0] || other[1] == base[1] {
		t.Errorf("two tasks have checks of one hash: %v, %v", other, base)
	}
	for _, tt := range []struct {
		name  string
		other []task.Check
		same  bool
	}{
		{"a result", edited(func(a, _ *task.Check) { a.Result = record.Pass }), true},
		{"a time limit", edited(func(a, _ *task.Check) { a.Timeout = 1 }), true},
		{"the folder in another spelling", edited(func(a, _ *task.Check) { a.Cwd = "./" }), true},
		{"a description", edited(func(a, _ *task.Check) { a.Desc = "some tests pass" }), false},
		{"a command", edited(func(a, _ *task.Check) { a.Cmd = "true" }), false},
		{"a folder", edited(func(a, _ *task.Check) { a.Cwd = "api" }), false},
		{"who may attest", edited(func(_, b *task.Check) { b.By = task.ByAnyone }), false},
		{"the order", []task.Check{read, tests}, false},
		{"one fewer", []task.Check{tests}, false},
		{"one more", []task.Check{tests, read, {Desc: "lint", Cmd: "make lint"}}, false},
		{"none", nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if same := slices.Equal(hashes(tt.other), base); same != tt.same {
				t.Errorf("the hash is the same: %v, want %v", same, tt.same)
			}
		})
	}
}

func TestValidChecks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		checks []task.Check
		says   string // "" if they may be declared
	}{
		{"none", nil, ""},
		{"a command", []task.Check{{Desc: "tests pass", Cmd: "go test ./...", Cwd: "api/v2", Timeout: 300}}, ""},
		{"a manual check", []task.Check{{Desc: "read by a person"}}, ""},
		{"one for a single actor", []task.Check{{Desc: "read", By: "human:shah"}}, ""},
		{"one for anyone", []task.Check{{Desc: "read", By: task.ByAnyone}}, ""},
		{"a command over several lines", []task.Check{{Desc: "tests", Cmd: "set -e\ngo vet ./...\ngo test ./..."}}, ""},
		{"a folder whose name begins with dots", []task.Check{{Desc: "tests", Cmd: "true", Cwd: "..data"}}, ""},
		{"the longest time limit", []task.Check{{Desc: "tests", Cmd: "true", Timeout: 86_400}}, ""},

		{"no description", []task.Check{{Cmd: "true"}}, "checks[0]: desc is empty"},
		{"a blank description", []task.Check{{Desc: " \t", Cmd: "true"}}, "desc is empty"},
		{"a description of two lines", []task.Check{{Desc: "a\nb", Cmd: "true"}}, "desc is not one line"},
		{"a description with a line separator", []task.Check{{Desc: "a\u2028b", Cmd: "true"}}, "desc is not one line"},
		{"a description that is too long", []task.Check{{Desc: strings.Repeat("x", 501), Cmd: "true"}}, "desc is longer"},
		{"two of one description", []task.Check{{Desc: "a", Cmd: "true"}, {Desc: "a"}}, `checks[1]: another check is called "a"`},
		{"a command that is not text", []task.Check{{Desc: "a", Cmd: "\xff"}}, "cmd is not text"},
		{"a command with a NUL", []task.Check{{Desc: "a", Cmd: "true\x00"}}, "cmd is not text"},
		{"a command that is too long", []task.Check{{Desc: "a", Cmd: strings.Repeat("x", 16_385)}}, "cmd is not text of at most"},
		{"a negative time limit", []task.Check{{Desc: "a", Cmd: "true", Timeout: -1}}, "timeout -1"},
		{"a time limit of more than a day", []task.Check{{Desc: "a", Cmd: "true", Timeout: 86_401}}, "timeout 86401"},
		{"a folder above", []task.Check{{Desc: "a", Cmd: "true", Cwd: ".."}}, "leaves the workspace"},
		{"a folder beside", []task.Check{{Desc: "a", Cmd: "true", Cwd: "api/../../other"}}, "leaves the workspace"},
		{"an absolute folder", []task.Check{{Desc: "a", Cmd: "true", Cwd: "/etc"}}, "leaves the workspace"},
		{"a folder with backslashes", []task.Check{{Desc: "a", Cmd: "true", Cwd: `api\v2`}}, "leaves the workspace"},
		{"an attester who is no actor", []task.Check{{Desc: "a", By: "the boss"}}, `by "the boss"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := task.ValidChecks(tt.checks)
			if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
				t.Errorf("got %v, want %q", err, tt.says)
			}
			if err != nil {
				wantCode(t, err, record.InvalidInput)
			}
		})
	}
}

// The ways in which a caller can name a check.
func TestFindCheck(t *testing.T) {
	of := task.Task{ID: "A-1", Checks: []task.Check{
		{Desc: "tests pass", Cmd: "true"}, {Desc: "Read by a person"}, {Desc: "read"}, {Desc: "7 looked at it"},
	}}
	for _, tt := range []struct {
		name, ref string
		want      int
		ok        bool
	}{
		{"an index", "1", 1, true},
		{"its description", "tests pass", 0, true},
		{"a part of it, in any case", "BY A PERSON", 1, true},
		{"a whole description wins over parts of others", "read", 2, true},
		{"a number that is no index is looked for in the descriptions", "7", 3, true},
		{"a part of two", "a", 0, false},
		{"a part of none", "lint", 0, false},
		{"an index beyond the list", "4", 0, false},
		{"a negative index", "-1", 0, false},
		{"nothing", "", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := of.FindCheck(tt.ref)
			if (err == nil) != tt.ok || got != tt.want {
				t.Errorf("FindCheck(%q) = %d, %v", tt.ref, got, err)
			}
		})
	}
}
