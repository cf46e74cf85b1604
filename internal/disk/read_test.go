package disk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A file that is read by another way than OpenFile is one that a pipe of its name can hang.
func TestNothingElseInTheStoreOpensFiles(t *testing.T) {
	read := 0
	err := walk(append(shipped, "../verb", "../work/verb", "../transfer", "../doctor", "../../session", "../../task", "../record"), func(path string, _ fs.DirEntry, err error) error {
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
			if name := ofOS(n); slices.Contains([]string{"ReadFile", "Open"}, name) && filepath.Base(path) != "temp.go" {
				t.Errorf("%s calls os.%s", files.Position(n.Pos()), name) // temp.go opens a folder
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if read < 40 {
		t.Errorf("read %d files", read)
	}
}
