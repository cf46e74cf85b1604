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

// FileName is the name of a file in FilesFolder: the SHA-256 of its content in hex, a dash, and its own name, of which
// only letters, digits, dots, dashes and underscores of ASCII stay.
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
	return sum + "-" + cmp.Or(name, "file")
}

// IsFilePath reports whether a path is that of a file in FilesFolder, with a name that IsFileName accepts.
func IsFilePath(name string) bool {
	base, ok := strings.CutPrefix(name, FilesFolder+"/")
	return ok && IsFileName(base)
}

// IsFileName reports whether FileName makes a name, or made it before: with the first 16 digits of the hash.
func IsFileName(base string) bool {
	sum, own, _ := strings.Cut(base, "-")
	return (isHex(sum, fullHash, fullHash) || isHex(sum, 16, 16)) && len(own) <= maxFileName+1 && IsWord(own, "._-") && !strings.HasSuffix(own, ".")
}

const fullHash = 64 // hex digits

// FileHash is the hash in the name of a file in FilesFolder. Where it is whole, no other content can have the name.
func FileHash(name string) (sum string, whole bool) {
	base, _ := strings.CutPrefix(name, FilesFolder+"/")
	sum, _, _ = strings.Cut(base, "-")
	return sum, len(sum) == fullHash
}

// BesideFiles reports whether a path is that of a file by which git keeps those in FilesFolder as they are.
func BesideFiles(name string) bool {
	return name == FilesFolder+"/.gitattributes" || name == FilesFolder+"/.gitignore"
}
