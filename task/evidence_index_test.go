package task

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// The index of a task says of each check what a look at the record for that check alone says.
func TestEvidenceIndexAgreesWithALookAtEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SampledFrom([]string{"a", "b", "c", "d"})
		var one Task
		for range rapid.IntRange(0, 6).Draw(t, "checks") {
			c := Check{Desc: names.Draw(t, "desc"), Result: Pass}
			if rapid.Bool().Draw(t, "command") {
				c.Cmd = names.Draw(t, "cmd")
			}
			one.Checks = append(one.Checks, c)
		}
		for i := range rapid.IntRange(0, 8).Draw(t, "entries") {
			e := Entry{Who: "human:lee", At: time.Unix(int64(i), 0), Did: rapid.SampledFrom([]Did{Checked, Attested, Transitioned}).Draw(t, "did")}
			for range rapid.IntRange(0, 3).Draw(t, "results") {
				r := CheckResult{Result: rapid.SampledFrom([]Result{Pass, Fail}).Draw(t, "result")}
				switch rapid.IntRange(0, 3).Draw(t, "kind") {
				case 0:
					r.Check, r.Unhashed = rapid.SampledFrom([]string{"*", "0", "1", "7"}).Draw(t, "index"), true
				case 1:
					r.Check = names.Draw(t, "manual")
				default:
					r.Check = Check{Cmd: names.Draw(t, "ran")}.Key(one.ID)
				}
				e.Results = append(e.Results, r)
			}
			one.Provenance = append(one.Provenance, e)
		}
		x := one.EvidenceIndex()
		for i := range one.Checks {
			want, wantOK := one.Evidence(i)
			got, ok := x.Evidence(i)
			if got != want || ok != wantOK {
				t.Fatalf("check %d of %+v has the evidence %+v, %v by the index, and %+v, %v by a look", i, one, got, ok, want, wantOK)
			}
			if got, want := x.Unclaimed(i), one.Unclaimed(i); got != want {
				t.Fatalf("check %d of %+v: the index says that entry %d is unclaimed, and a look says %d", i, one, got, want)
			}
		}
	})
}
