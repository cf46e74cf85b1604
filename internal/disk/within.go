package disk

import (
	"path/filepath"
	"strings"
)

// Within reports whether a path is a folder or lies in it. Both are clean.
func Within(folder, path string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
