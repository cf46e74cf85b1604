package runner

import (
	"os"
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/slowtest"
	"github.com/cairn-tasks/cairn/internal/work/job"
)

func replace(t *testing.T, path, old, by string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s has no %q: %v", path, old, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, by, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

const goodDiff = "diff --git a/file b/file\nnew file mode 100644\n--- /dev/null\n+++ b/file\n@@ -0,0 +1 @@\n+good\n"

func TestAnAnswerIsReadInItsParts(t *testing.T) {
	for name, tt := range map[string]struct{ text, diff, plan, notes, other string }{
		"as it is asked for":     {"DIFF:\n```diff\n" + goodDiff + "```\nTEST_PLAN: run it\nand look\nNOTES:\nnone", goodDiff, "run it\nand look\n", "none\n", ""},
		"with Markdown":          {"Here.\n\n## DIFF\n```\n" + goodDiff + "```\n\n**Test Plan**\n- run\n### NOTES\n- x\n", goodDiff, "- run\n", "- x\n", "Here.\n\n\n"},
		"two blocks":             {"```diff\n" + goodDiff + "```\n~~~patch\n" + goodDiff + "~~~\n", goodDiff + goodDiff, "", "", ""},
		"another block":          {"```sh\nls\n```\n", "", "", "", "```sh\nls\n```\n"},
		"a fence in the diff":    {"````diff\n" + goodDiff + "+```\n````\n", goodDiff + "+```\n", "", "", ""},
		"no diff at all":         {"NOTES: could not", "", "", "could not\n", ""},
		"an empty block":         {"```diff\n\n```", "", "", "", "```diff\n\n```\n"},
		"a block without end":    {"```diff\n" + goodDiff, "", "", "", ""},
		"lines that end in CRLF": {strings.ReplaceAll("```diff\n"+goodDiff+"```\n", "\n", "\r\n"), goodDiff, "", "", ""},
	} {
		got := answerOf(tt.text)
		if got.diff != tt.diff || got.testPlan != tt.plan || got.notes != tt.notes || got.other != tt.other {
			t.Errorf("%s: got %+q", name, got)
		}
	}
}

func patched(s *job.Spec) { s.Output, s.Attempts = job.Patch, 0 }

func TestSlowAPatchIsApplied(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "cat <<'END'\nDIFF:\n```diff\n" + goodDiff + "```\nTEST_PLAN: look at it\nNOTES: easy\nEND"
	one := f.run(patched)
	f.want(one, job.Succeeded, "")
	if text := f.git(f.s.Root, "show", "cairn/PROJ-1:file"); text != "good" {
		t.Errorf("the branch has %q", text)
	}
	if out := f.file("job-1", "out.md"); out != "## Test plan\n\nlook at it\n\n## Notes\n\neasy\n" {
		t.Errorf("out.md is %q", out)
	}
	if diff := f.file("job-1", "patch.diff"); !strings.Contains(diff, "+good") {
		t.Errorf("patch.diff is %q", diff)
	}
	if !strings.Contains(f.agent.prompts()[0], "TEST_PLAN") {
		t.Error("the contract is not in the prompt")
	}
}

func TestSlowAPatchThatIsMissingOrDoesNotApply(t *testing.T) {
	slowtest.Skip(t)
	f := newField(t)
	f.agent.line = "echo I changed nothing"
	f.want(f.run(patched), job.Failed, job.BadArtifacts)
	f.agent.line = "cat <<'END'\n```diff\ndiff --git a/README b/README\n--- a/README\n+++ b/README\n@@ -1 +1 @@\n-never was here\n+good\n```\nEND"
	one := f.run(patched)
	f.want(one, job.Failed, job.Conflict)
	f.clean(one)
}
