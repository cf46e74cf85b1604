package task_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/task"
)

// Letters are checks; each entry but the first changed the list to what it says.
func TestChecksExplained(t *testing.T) {
	for _, tt := range []struct {
		name     string
		recorded []string
		list     string
		want     bool
	}{
		{"as created", []string{"ab"}, "ab", true},
		{"as changed last", []string{"ab", "a"}, "a", true},
		{"no list was ever recorded", nil, "ab", true},
		{"one taken out by hand", []string{"ab"}, "a", false},
		{"all taken out by hand", []string{"ab"}, "", false},
		{"one exchanged by hand", []string{"ab"}, "ac", false},
		{"one added by hand", []string{"ab"}, "abc", false},
		{"put in another order by hand", []string{"ab"}, "ba", false},
		{"what an earlier entry recorded", []string{"a", "ab"}, "a", false},
		{"merged: each side added one", []string{"a", "ab", "ac"}, "abc", true},
		{"merged: theirs is the later", []string{"a", "ac", "ab"}, "abc", true},
		{"merged: nothing was there before", []string{"-", "b", "c"}, "bc", true},
		{"merged: each side added two, one after the other", []string{"a", "ab", "ad", "abc", "ade"}, "abcde", true},
		{"merged: three sides", []string{"a", "ab", "ac", "ad"}, "abcd", true},
		{"merged, and declared anew since", []string{"a", "ab", "ac", "abcd"}, "abcd", true},
		{"merged, and that of the later side taken out by hand", []string{"a", "ab", "ac"}, "ab", false},
		{"merged, and the first taken out by hand", []string{"a", "ab", "ac"}, "bc", false},
		{"merged, and one added by hand", []string{"a", "ab", "ac"}, "abcd", false},
		{"merged: one side took a check out, and a person should look", []string{"ab", "a", "abc"}, "ac", false},
		{"merged: a long list", []string{"a", "ab", "a" + letters(40)}, "ab" + letters(40), true},
		{"merged, and put in another order by hand", []string{"a", "ab", "ac", "abc"}, "acb", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			one := task.Task{Checks: lettered(tt.list)}
			for _, list := range tt.recorded {
				one = one.With(task.Entry{Did: task.Updated, Checks: task.Task{Checks: lettered(list)}.CheckHashes()})
			}
			if got := one.ChecksExplained(); got != tt.want {
				t.Errorf("explained is %v", got)
			}
		})
	}
}

// lettered is a check for each letter; "-" is a list without any.
func lettered(list string) []task.Check {
	var out []task.Check
	for _, r := range list {
		if r != '-' {
			out = append(out, task.Check{Desc: string(r), Cmd: "run " + string(r)})
		}
	}
	return out
}

// letters is n letters that no row names.
func letters(n int) string {
	out := make([]rune, n)
	for i := range out {
		out[i] = rune('Α' + i)
	}
	return string(out)
}
