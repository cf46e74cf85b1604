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

// A list that ends in the name of the next key is not that key.
func TestEntriesThatDiffer(t *testing.T) {
	for _, pair := range [][2]Entry{
		{{Fields: []string{"title", "re", "0badcafe"}}, {Fields: []string{"title"}, Detail: &Detail{Re: "0badcafe"}}},
		{{Detail: &Detail{About: []string{"T-1", "refs", "T-2"}}}, {Detail: &Detail{About: []string{"T-1"}, Refs: []string{"T-2"}}}},
		{{AddDeps: []ID{"T-1", "remove_deps"}}, {AddDeps: []ID{"T-1"}, RemoveDeps: []ID{"remove_deps"}}},
		{{Detail: &Detail{}}, {}},
	} {
		if pair[0].Equal(pair[1]) || pair[1].Equal(pair[0]) {
			t.Errorf("%+v and %+v are equal", pair[0], pair[1])
		}
		if !pair[0].Equal(pair[0]) {
			t.Errorf("%+v is not equal to itself", pair[0])
		}
	}
}
