// Typecheck holds packages and their tests against the types of another system, which it names first:
//
//	go run ./tools/typecheck darwin ./...
//
// It reads all that they import from its source, where go vet would compile it first.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: typecheck SYSTEM PACKAGE...")
		os.Exit(2)
	}
	all, err := packages.Load(&packages.Config{
		Mode:  packages.LoadAllSyntax,
		Tests: true,
		Env:   append(os.Environ(), "GOOS="+os.Args[1], "CGO_ENABLED=0"),
	}, os.Args[2:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if packages.PrintErrors(all) > 0 {
		os.Exit(1)
	}
}
