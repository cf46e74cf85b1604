package slowtest_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What takes long is named so: CI runs these tests by their names.
func TestNames(t *testing.T) {
	test := regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n(\tslowtest\.Skip\(t\)\n)?`)
	long := 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		src, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		skips := strings.Count(string(src), "slowtest.Skip(t)\n")
		for _, m := range test.FindAllStringSubmatch(string(src), -1) {
			if named := strings.HasPrefix(m[1], "TestSlow"); named != (m[2] != "") {
				t.Errorf("%s: %s is named TestSlow…, or begins with slowtest.Skip(t), and not both", path, m[1])
			} else if named {
				long, skips = long+1, skips-1
			}
		}
		if skips != 0 && filepath.Base(path) != "slowtest_test.go" {
			t.Errorf("%s calls slowtest.Skip elsewhere than at the beginning of a test", path)
		}
		return nil
	})
	if err != nil || long == 0 {
		t.Errorf("%d tests take long (%v)", long, err)
	}
}
