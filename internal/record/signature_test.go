package record

import (
	"testing"
	"time"
)

var signedAt = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// What is written into an entry is part of what it says; an entry without a signature says what it always did.
func TestSignatureIsPartOfAnEntry(t *testing.T) {
	e := Entry{Who: "human:ada", At: signedAt, Did: Attested}
	signed := e
	signed.Sig = "x"
	if e.Equal(signed) || e.Hash() == signed.Hash() {
		t.Error("a signature is overlooked")
	}
	if got := e.Hash(); got != "10b47c0e87e3b092" {
		t.Errorf("the hash of an entry without a signature is another than it was: %s", got)
	}
}
