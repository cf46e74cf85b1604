package chain_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/check/proof/chain"
)

func TestChains(t *testing.T) {
	next := map[string]string{"a": "b", "b": "c", "c": "", "d": "b", "e": "gone", "p": "q", "q": "r", "r": "q", "s": "p", "x": "x"}
	want := map[string]chain.End{
		"a": chain.LeadsOut, "b": chain.LeadsOut, "c": chain.LeadsOut, "d": chain.LeadsOut, "e": chain.LeadsOut,
		"p": chain.LeadsIntoCircle, "q": chain.IsInCircle, "r": chain.IsInCircle, "s": chain.LeadsIntoCircle, "x": chain.IsInCircle,
	}
	for _, order := range []string{"abcdepqrsx", "xsrqpedcba", "qpsrcadbex"} {
		known := chain.Known{}
		for _, id := range order {
			if got := known.Of(string(id), func(id string) string { return next[id] }); got != want[string(id)] {
				t.Errorf("in the order %s, %c: got %d, want %d", order, id, got, want[string(id)])
			}
		}
	}
}

// Each link is walked once, so that a chain of many thousand records keeps nobody waiting.
func TestLongChains(t *testing.T) {
	const many = 20_000
	known, walked := chain.Known{}, 0
	name := func(n int) string { return string(rune('a' + n)) }
	next := func(id string) string { // each names the one before it
		walked++
		if r := []rune(id)[0]; r > 'a' {
			return string(r - 1)
		}
		return name(many - 1)
	}
	for n := range many {
		if known.Of(name(n), next) != chain.IsInCircle {
			t.Fatal(n)
		}
	}
	if walked > 2*many {
		t.Errorf("walked %d links", walked)
	}
}
