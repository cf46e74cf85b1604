package verb

import (
	"slices"
	"strings"
)

// guessed is what cairn calls that which callers call by another name. Of several the first that the verb has is meant.
func guessed(key string) []string {
	return map[string][]string{
		"description":  {"body"},
		"content":      {"body"},
		"name":         {"title"},
		"dependencies": {"deps", "add_deps"},
		"depends_on":   {"deps", "add_deps"},
		"command":      {"cmd"},
		"query":        {"text", "q"},
		"search":       {"text", "q"},
		"task":         {"id"},
		"task_id":      {"id"},
		"id":           {"session"},
		"owner":        {"assignee"},
		"state":        {"status", "to"},
		"status":       {"to"},
		"tags":         {"labels", "label"},
		"tag":          {"labels", "label"},
		"kind":         {"type"},
		"type":         {"kind"},
		"decision":     {"choice"},
		"comment":      {"text"},
		"message":      {"text"},
		"recipients":   {"to"},
		"recipient":    {"to"},
		"due_at":       {"due"},
		"deadline":     {"due"},
		"project":      {"parent"},
		"project_id":   {"parent"},
		"run_id":       {"session"},
		"run":          {"session"},
		"actor_id":     {"actor"},
		"slug":         {"id"},
	}[key]
}

// meant returns the name that a caller who wrote another one was probably looking for, or "".
func meant(key string, names []string) string {
	for _, ours := range guessed(strings.ToLower(key)) {
		if slices.Contains(names, ours) {
			return ours
		}
	}
	return Nearest(key, names)
}

// Nearest returns the name that was probably meant: one that begins like the word or differs from it by a typing
// mistake or two; "" if none does.
func Nearest(word string, names []string) string {
	word = fold(word)
	best, bestDistance := "", (len(word)+1)/3
	for _, name := range names {
		n := fold(name)
		d := distance(word, n)
		if min(len(word), len(n)) > 2 && (strings.HasPrefix(n, word) || strings.HasPrefix(word, n)) {
			d = min(d, 1)
		}
		if d <= bestDistance && (best == "" || d < bestDistance) {
			best, bestDistance = name, d
		}
	}
	return best
}

func fold(s string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
}

// distance counts the insertions, deletions and replacements that turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j+1]+1, row[j]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
