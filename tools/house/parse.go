package main

import (
	"bufio"
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// file is what is counted of a Go file.
type file struct {
	path     string // with slashes, below the root
	folder   string
	command  bool // of the package main
	lines    int
	long     int // lines that are too long
	exported int
	methods  map[string]int  // by the type of the receiver
	imports  []string        // of this module, below its root
	words    map[string]bool // of identifiers and strings, in small letters
	claims   []string        // types that are named for a claim, a hold or a lease
	writes   int             // functions that are given a transaction, and so make a write of their own
}

// names reports whether a file names a field: in an identifier that is the name or has it as a word, or as a word of a
// string.
func (f file) names(field string) bool { return f.words[strings.ToLower(field)] }

// parse reads the Go files below a folder, but for tests, tools, and folders that go leaves out.
func parse(root string) ([]file, error) {
	var files []file
	module, err := module(root)
	if err != nil {
		return nil, err
	}
	return files, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		below = filepath.ToSlash(below)
		if entry.IsDir() {
			if base := path.Base(below); below != "." && (base == "testdata" || below == "tools" || strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_")) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(below, ".go") || strings.HasSuffix(below, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := count(module, below, text)
		files = append(files, f)
		return err
	})
}

// module returns the path of the module whose go.mod lies in a folder.
func module(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(strings.TrimPrefix(line, "module ")), err
}

// count counts one file.
func count(module, name string, text []byte) (file, error) {
	f := file{path: name, folder: path.Dir(name), methods: map[string]int{}, words: map[string]bool{}}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for lines.Scan() {
		f.lines++
		if utf8.RuneCount(lines.Bytes()) > maxColumns {
			f.long++
		}
	}
	tree, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return f, err
	}
	f.command = tree.Name.Name == "main"
	for _, spec := range tree.Imports {
		if of, err := strconv.Unquote(spec.Path.Value); err == nil && strings.HasPrefix(of, module+"/") {
			f.imports = append(f.imports, strings.TrimPrefix(of, module+"/"))
		}
	}
	for _, d := range tree.Decls {
		f.declare(d)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.FuncLit:
			if transaction(n.Type.Params) {
				f.writes++
			}
		case *ast.TypeSpec:
			if claim.MatchString(n.Name.Name) {
				f.claims = append(f.claims, n.Name.Name)
			}
		case *ast.Ident:
			f.say(n.Name)
		case *ast.BasicLit:
			if n.Kind == token.STRING {
				f.say(n.Value)
			}
		}
		return true
	})
	return f, nil
}

// claim is in the names of types that say who holds a record; inputs of verbs, which end with In, do not.
var claim = regexp.MustCompile(`(?i)(claim|hold|lease)(s|er)?$`)

// transaction reports whether parameters are a transaction alone.
func transaction(params *ast.FieldList) bool {
	if params.NumFields() != 1 {
		return false
	}
	of, pointer := params.List[0].Type.(*ast.StarExpr)
	if !pointer {
		return false
	}
	name, qualified := of.X.(*ast.SelectorExpr)
	return qualified && name.Sel.Name == "Tx"
}

// declare counts what a declaration exports, and methods.
func (f *file) declare(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv != nil {
			of := receiver(d.Recv.List[0].Type)
			f.methods[of]++
			if !ast.IsExported(of) {
				return
			}
		}
		f.export(d.Name)
	case *ast.GenDecl:
		for _, s := range d.Specs {
			switch s := s.(type) {
			case *ast.TypeSpec:
				f.export(s.Name)
			case *ast.ValueSpec:
				f.export(s.Names...)
			}
		}
	}
}

func (f *file) export(names ...*ast.Ident) {
	for _, name := range names {
		if name.IsExported() {
			f.exported++
		}
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return receiver(of.X)
	case *ast.IndexExpr:
		return receiver(of.X)
	case *ast.IndexListExpr:
		return receiver(of.X)
	case *ast.Ident:
		return of.Name
	}
	return "?"
}

var word = regexp.MustCompile(`[A-Z]?[a-z0-9]+|[A-Z]+`)

// say takes down the words of an identifier or of a string.
func (f *file) say(text string) {
	for _, w := range word.FindAllString(text, -1) {
		f.words[strings.ToLower(w)] = true
	}
}
