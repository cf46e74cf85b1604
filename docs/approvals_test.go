package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/sshsign"
	"github.com/cairn-tasks/cairn/internal/sshsign/signtest"
	"github.com/cairn-tasks/cairn/task"
)

// signedExample is the approval that the page shows.
func signedExample(t *testing.T) (allowed, message, sig string) {
	t.Helper()
	allowed, message, sig = example(t, "allowed_signers"), example(t, "approval"), strings.TrimSpace(example(t, "signature"))
	return allowed, message, strings.TrimPrefix(sig, "sig: ")
}

// The page's example is what the program builds and accepts.
func TestExampleApprovalHolds(t *testing.T) {
	allowed, message, sig := signedExample(t)
	keys := sshsign.ParseAllowed([]byte(allowed))
	if len(keys.Problems) > 0 || len(keys.Signers) == 0 {
		t.Fatalf("the file is read as %v, %v", keys.Signers, keys.Problems)
	}
	a := task.Approval{
		Workspace: "SHOP", Approves: task.ApprovesCheck, Record: exampleID, Check: "a person has read the change",
		Declaration: regexp.MustCompile(`declaration: (\w+)`).FindStringSubmatch(message)[1], Result: record.Pass, Who: "human:ada",
		At: time.Date(2026, 11, 21, 11, 40, 10, 0, time.UTC), Text: "read it, and did the sums by hand",
		Commit: "b829842c296b7816ec9adde860b684a544a6a05c", Tree: "9714387956c9f24b56b5a9a2ee49104f5320517af4fbcc18cd1004d408c3b21b",
	}
	built, err := a.Message()
	if err != nil || string(built) != message {
		t.Errorf("what is signed is\n%s\nand not\n%s(%v)", built, message, err)
	}
	if err := keys.Verify([]byte(message), sig, a.Who, a.At); err != nil {
		t.Error(err)
	}
	if !strings.Contains(allowed, signtest.Line("ada")) {
		t.Error("the key is not the one that tests sign with")
	}
}

// Whoever has OpenSSH verifies an approval without cairn, with the commands of the page.
func TestRecipeVerifiesAnApproval(t *testing.T) {
	for _, program := range []string{"sh", "ssh-keygen", "fold"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here", program)
		}
	}
	allowed, message, sig := signedExample(t)
	for name, row := range map[string]struct {
		message string
		good    bool
	}{"as signed": {message, true}, "changed": {strings.Replace(message, "did the sums", "had fun", 1), false}} {
		dir := t.TempDir()
		for file, text := range map[string]string{"allowed_signers": allowed, "message": row.message, "sig": sig + "\n"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("sh", "-euc", example(t, "verify by hand"))
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if (err == nil) != row.good {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// The commands of the page about approvals are commands that there are.
func TestApprovalsPageNamesWhatThereIs(t *testing.T) {
	page := read(t, "approvals.md")
	for _, said := range []string{"gpg.format ssh", "user.signingkey", "cairn trust signer add", "--pass --sign", "attest: signed", "by: signed",
		"signed-elsewhere", "signed-tree-unknown", "signature-bad", "attest-unsigned", "signers-changed"} {
		if !strings.Contains(page, said) {
			t.Errorf("the page does not speak of %s", said)
		}
	}
}
