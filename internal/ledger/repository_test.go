package ledger_test

import (
	"strings"
	"testing"

	"github.com/cairn-tasks/cairn/internal/ledger"
)

// What is wrong with an address that holds credentials is said without them: check prints it where many read it.
func TestARefusedRepositoryIsNotQuoted(t *testing.T) {
	r := ledger.Repository{Repo: "user.name/secret@github.com/o/r"}
	r.Title = "R"
	if err := r.Valid(); err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v", err)
	}
}
