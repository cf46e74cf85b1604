package kind

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/store/layout"
	"golang.org/x/text/unicode/norm"
)

// A record lies in the folder of its kind: .cairn/tasks/SHOP-7.md. A kind that has a folder for records at rest can
// also have them there, in subfolders for months: .cairn/closed/2026-11/SHOP-7.md. A month that is full has further
// ones: .cairn/closed/2026-11_02. Where a record lies means nothing: at rest it is the same record as before.

// File is the usual path of a record from the workspace root, with forward slashes.
func (k *Kind) File(id string) string { return k.FileIn(k.Folder, id) }

// FileIn is the path of a record that lies in a folder under .cairn: that of the kind, or one that RestIn returns.
func (k *Kind) FileIn(folder, id string) string {
	return layout.Folder + "/" + folder + "/" + k.FileName(id)
}

// FileName is the name of the file of a record.
func (k *Kind) FileName(id string) string {
	if k.Swaps != "" {
		id = swapped(id, k.Swaps)
	}
	return id + k.Ext()
}

// IDOf is the id of the record whose file has a name. It reports false for a name that is ignored: one with another
// ending, and one that begins with a dot. The id may be none that the kind can have: ParseID says so.
func (k *Kind) IDOf(name string) (id string, ok bool) {
	id, ok = strings.CutSuffix(name, k.Ext())
	if !ok || id == "" || id[0] == '.' {
		return "", false
	}
	if k.Swaps != "" {
		id = norm.NFC.String(swapped(id, k.Swaps)) // some file systems of macOS take names apart
	}
	return id, true
}

// swapped is a text with the other one of two characters in place of the first of them that it has. Swapped twice it is
// as it was, so that each name of a file is that of one id, and each id has one name.
func swapped(text, pair string) string {
	i := strings.IndexAny(text, pair)
	if i < 0 {
		return text
	}
	other := pair[:1]
	if text[i] == pair[0] {
		other = pair[1:]
	}
	return text[:i] + other + text[i+1:]
}

// RestIn is the folder under .cairn of the records that rest since a month, which is written as 2026-11, or as
// 2026-11_02 if it is a further folder of the month. The kind must have Rest.
func (k *Kind) RestIn(month string) string { return k.Rest + "/" + month }

// MaxParts is how many folders a month can have.
const MaxParts = 99

// Month is the name of a folder of records at rest: the nth of a month, from 1 to MaxParts. Names are in the order of
// their months and parts, by bytes and, since _ comes behind /, in git's trees too.
func Month(at time.Time, nth int) string {
	name := at.UTC().Format("2006-01")
	if nth > 1 {
		name += fmt.Sprintf("_%02d", nth)
	}
	return name
}

// IsMonth reports whether a name is that of a folder of records at rest, such as 2026-11 or 2026-11_02.
func IsMonth(name string) bool {
	if whole, part, ok := strings.Cut(name, "_"); ok {
		if len(part) != 2 || strings.Trim(part, "0123456789") != "" || part < "02" {
			return false
		}
		name = whole
	}
	if len(name) != len("2026-11") || name[4] != '-' {
		return false
	}
	year, month := name[:4], name[5:]
	return strings.Trim(year+month, "0123456789") == "" && "01" <= month && month <= "12"
}

// At finds the kind and the id of the record that a file belongs to, by its path from the workspace root, with forward
// slashes.
func At(name string) (k *Kind, id string, ok bool) {
	dir, file := path.Split(name)
	for _, k := range kinds {
		if id, ok := k.IDOf(file); ok && k.keeps(path.Clean(dir)) {
			return k, id, true
		}
	}
	return nil, "", false
}

func init() {
	layout.IsRecord = func(name string) bool {
		_, _, ok := At(name)
		return ok
	}
}

// keeps reports whether records of the kind lie in a folder, by its path from the workspace root.
func (k *Kind) keeps(dir string) bool {
	around, month := path.Split(dir)
	return dir == layout.Folder+"/"+k.Folder ||
		k.Rest != "" && around == layout.Folder+"/"+k.Rest+"/" && IsMonth(month)
}

// IsFolder reports whether a path from the workspace root is that of a folder of records, or of one around these below
// .cairn.
func IsFolder(name string) bool {
	for _, k := range kinds {
		if k.keeps(name) || k.Rest != "" && name == layout.Folder+"/"+k.Rest {
			return true
		}
	}
	return false
}

// Folders lists the usual folders of all kinds.
func Folders() []string {
	var out []string
	for _, k := range kinds {
		out = append(out, k.Folder)
	}
	return out
}

// Rests lists the folders of all kinds that have subfolders with records at rest.
func Rests() []string {
	var out []string
	for _, k := range kinds {
		if k.Rest != "" {
			out = append(out, k.Rest)
		}
	}
	return out
}
