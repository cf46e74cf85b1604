package disk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// shipped are the folders whose code changes a workspace, or what is kept of a user beside it.
var shipped = []string{
	"../../store", "../git", "../disk", "../setup", "../skills", "../sshsign", "../user", "../work/jobs", "../work/worktree",
}

func walk(roots []string, visit fs.WalkDirFunc) error {
	for _, root := range roots {
		if err := filepath.WalkDir(root, visit); err != nil {
			return err
		}
	}
	return nil
}

// A change of the disk that goes round this package is one that no test fails or dies at.
func TestNothingElseInTheStoreChangesTheDisk(t *testing.T) {
	changes := []string{
		"Chmod", "Chtimes", "Create", "CreateTemp", "Link", "Mkdir", "MkdirAll", "MkdirTemp", "OpenFile", "Remove", "RemoveAll",
		"Rename", "Symlink", "Truncate", "WriteFile",
	}
	read := 0
	err := walk(shipped, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || aside(path) {
			return err
		}
		read++
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if within(n) {
				return false
			}
			if name := ofOS(n); slices.Contains(changes, name) {
				t.Errorf("%s calls os.%s", files.Position(n.Pos()), name)
			}
			return true
		})
		return nil
	})
	if err != nil || read < 20 {
		t.Errorf("read %d files (%v)", read, err)
	}
}

// aside is what is not the shipped store, and this package. What ssh-keygen is handed lies in the system's folder for
// temporary files, which is no part of a workspace.
func aside(path string) bool {
	switch dir := filepath.ToSlash(filepath.Dir(path)); dir {
	case "../disk", "../../store/storetest", "../sshsign/signtest":
		return true
	default:
		return filepath.ToSlash(path) == "../sshsign/sign.go"
	}
}

// within reports whether a node is a call of disk.Do, which makes whatever is in it.
func within(n ast.Node) bool {
	call, ok := n.(*ast.CallExpr)
	return ok && selects(call.Fun, "disk") == "Do"
}

func ofOS(n ast.Node) string { return selects(n, "os") }

// selects is the name that a node takes from a package, or "".
func selects(n ast.Node, pkg string) string {
	sel, ok := n.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if x, ok := sel.X.(*ast.Ident); !ok || x.Name != pkg {
		return ""
	}
	return sel.Sel.Name
}

// A folder is made with all above it up to the base, and never the base.
func TestMakeFolder(t *testing.T) {
	base := t.TempDir()
	for range 2 {
		if err := MakeFolder(base, filepath.Join(base, "a", "b")); err != nil {
			t.Fatal(err)
		}
	}
	gone := filepath.Join(base, "gone")
	if err := MakeFolder(gone, filepath.Join(gone, "a", "b")); !os.IsNotExist(err) {
		t.Errorf("error %v; want fs.ErrNotExist", err)
	}
	if _, err := os.Stat(gone); err == nil {
		t.Error("the base was made")
	}
	var racers sync.WaitGroup
	for range 20 {
		racers.Go(func() {
			if err := MakeFolder(base, filepath.Join(base, "all", "at", "once")); err != nil {
				t.Error(err)
			}
		})
	}
	racers.Wait()
	file := filepath.Join(base, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := MakeFolder(base, file); err == nil {
		t.Error("a file passes as a folder")
	}
}
