package runner

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
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
	heading := regexp.MustCompile(`(?i)^[#*_\s]*(DIFF|TEST[_ ]PLAN|NOTES)[*_]*(:.*)?\s*$`)
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
			if part := heading.FindStringSubmatch(bare); part != nil {
				first := strings.ToUpper(part[1])[0]
				into = map[byte]*string{'D': &out.other, 'T': &out.testPlan, 'N': &out.notes}[first]
				bare = strings.TrimSpace(strings.TrimLeft(strings.TrimPrefix(part[2], ":"), "*_"))
				if bare == "" {
					continue
				}
			}
			*into += bare + "\n"
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

// text is the answer without its diff, with something before and after the title of each part.
func (a answer) text(before, after string) string {
	parts := []string{strings.TrimSpace(a.other)}
	for _, p := range [][2]string{{"Test plan", a.testPlan}, {"Notes", a.notes}} {
		if text := strings.TrimSpace(p[1]); text != "" {
			parts = append(parts, before+p[0]+after+text)
		}
	}
	return strings.Join(verb.NonEmpty(parts...), "\n\n")
}

// page is the answer as out.md has it.
func (a answer) page() string {
	text := a.text("## ", "\n\n")
	if text != "" {
		text += "\n"
	}
	return text
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
