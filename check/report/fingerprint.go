package report

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// fingerprints returns an identifier for each finding. A finding keeps it when lines move, when other findings come and
// go, and when its severity is changed. Equal findings are numbered.
func (r Report) fingerprints() []string {
	seen := map[string]int{}
	out := make([]string, len(r.Findings))
	for i, f := range r.Findings {
		key := strings.Join([]string{string(f.Rule), r.inRepo(f), string(f.Task), f.Message}, "\x00")
		seen[key]++
		sum := sha256.Sum256([]byte(key + "\x00" + strconv.Itoa(seen[key])))
		out[i] = hex.EncodeToString(sum[:16])
	}
	return out
}
