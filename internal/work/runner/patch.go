package runner

import (
	"context"
	"errors"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

// answer is the answer of an executor that hands over a patch, in its parts.
type answer struct {
	diff     string // "" if there is none
	testPlan string
	notes    string
	other    string // text before the first heading, and under the heading DIFF
}

// answerOf finds the parts of an answer: the fenced blocks that hold a diff, and what stands under the headings
// TEST_PLAN and NOTES. A heading is a line with that word alone or at its beginning, with any Markdown around it.
func answerOf(text string) answer {
	var out answer
	into, fence, block := &out.other, "", []string(nil)
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		bare := strings.TrimRight(line, "\n")
		switch mark := fenceOf(bare); {
		case fence == "" && mark != "":
			fence, block = mark, []string{bare}
		case fence != "" && mark != "" && strings.HasPrefix(mark, fence) && strings.Trim(bare, " `~") == "":
			if body := strings.Join(block[1:], "\n") + "\n"; isDiff(block[0], body) {
				out.diff += body
			} else {
				*into += strings.Join(append(block, bare), "\n") + "\n"
			}
			fence = ""
		case fence != "":
			block = append(block, bare)
		default:
			part, rest, ok := heading(bare)
			if !ok {
				*into += bare + "\n"
				continue
			}
			into = map[string]*string{"DIFF": &out.other, "TEST_PLAN": &out.testPlan, "NOTES": &out.notes}[part]
			if rest != "" {
				*into += rest + "\n"
			}
		}
	}
	return out
}

// fenceOf is the mark with which a line opens or closes a fenced block; "" if it does not.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " ")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// isDiff reports whether a fenced block holds a diff: its opening line says so, or says nothing and the block looks
// like one.
func isDiff(opening, body string) bool {
	word, _, _ := strings.Cut(strings.TrimLeft(strings.TrimLeft(opening, " "), "`~"), " ")
	looks := strings.HasPrefix(body, "diff --git ") || strings.HasPrefix(body, "--- ") && strings.Contains(body, "\n+++ ")
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "diff", "patch":
		return strings.TrimSpace(body) != ""
	case "":
		return looks
	}
	return false
}

// heading reads a line that begins a part.
func heading(line string) (part, rest string, ok bool) {
	bare := strings.TrimLeft(strings.TrimSpace(line), "#*_ ")
	for _, part := range []string{"DIFF", "TEST_PLAN", "NOTES"} {
		for _, name := range []string{part, strings.ReplaceAll(part, "_", " ")} {
			if len(bare) < len(name) || !strings.EqualFold(bare[:len(name)], name) {
				continue
			}
			rest := strings.TrimLeft(bare[len(name):], "*_")
			if after, colon := strings.CutPrefix(rest, ":"); colon {
				return part, strings.TrimSpace(strings.TrimLeft(after, "*_")), true
			}
			if strings.TrimSpace(rest) == "" {
				return part, "", true
			}
		}
	}
	return "", "", false
}

// rest is the answer without its diff, for a summary.
func (a answer) rest() string {
	var parts []string
	for _, p := range []struct{ name, text string }{{"", a.other}, {"Test plan: ", a.testPlan}, {"Notes: ", a.notes}} {
		if text := strings.TrimSpace(p.text); text != "" {
			parts = append(parts, p.name+text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// page is the answer as out.md has it.
func (a answer) page() string {
	b := &page{}
	for _, p := range []struct{ name, text string }{{"", a.other}, {"Test plan", a.testPlan}, {"Notes", a.notes}} {
		switch text := strings.TrimSpace(p.text); {
		case text == "":
		case p.name == "":
			b.add("%s", text)
		default:
			b.add("## %s\n\n%s", p.name, text)
		}
	}
	return b.String()
}

// apply applies the diff in the work tree. Its error ends the job: BAD_ARTIFACTS if there is no diff or it is refused,
// CONFLICT if it does not apply, POLICY if it changes files that a diff may not change.
func (a answer) apply(ctx context.Context, tree *workTree) error {
	if a.diff == "" {
		return failed(job.BadArtifacts, "the answer has no diff in a fenced block")
	}
	err := tree.trees.Apply(ctx, tree.Tree, []byte(a.diff))
	var refused *record.Error
	if errors.As(err, &refused) {
		switch refused.Code {
		case record.Conflict:
			return failed(job.Conflict, "the diff does not apply: %s", refused.Msg)
		case record.InvalidInput:
			return failed(job.BadArtifacts, "the diff is refused: %s", refused.Msg)
		case record.Forbidden, record.OutOfScope:
			return failed(job.Policy, "%s", refused.Msg)
		default:
		}
	}
	return err
}
