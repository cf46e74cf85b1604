package record

import (
	"cmp"
	"path"
	"strings"
)

// FilesFolder is where the files lie that references of type file name, from the workspace root.
const FilesFolder = ".cairn/" + FilesDir

// FilesDir is the name of FilesFolder below .cairn.
const FilesDir = "files"

const maxFileName = 100 // bytes, of a file's own name

// FileName is the name of a file in FilesFolder: the first 16 hex digits of the SHA-256 of its content, and its own
// name, of which only letters, digits, dots, dashes and underscores of ASCII stay.
func FileName(sum, name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 0x80 && IsWord(string(r), "._-") {
			return r
		}
		return '_'
	}, path.Base(name))
	if ext := path.Ext(name); len(name) > maxFileName {
		ext = ext[:min(len(ext), 20)]
		name = name[:maxFileName-len(ext)] + ext
	}
	name = strings.TrimRight(name, ".") // which some file systems drop
	if strings.HasSuffix(strings.ToLower(name), ".tmp") {
		name += "_" // git ignores temporary files
	}
	return sum[:16] + "-" + cmp.Or(name, "file")
}

// IsFilePath reports whether a path is that of a file in FilesFolder, with a name that FileName makes.
func IsFilePath(name string) bool {
	base, ok := strings.CutPrefix(name, FilesFolder+"/")
	return ok && IsFileName(base)
}

// IsFileName reports whether FileName makes a name.
func IsFileName(base string) bool {
	sum, own, _ := strings.Cut(base, "-")
	return len(sum) == 16 && isHex(sum, 16, 16) && len(own) <= maxFileName+1 && IsWord(own, "._-") && !strings.HasSuffix(own, ".")
}
