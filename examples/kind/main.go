// Command kind is cairn with one more kind of record, the risks of package risk.
package main

import (
	"github.com/cairn-tasks/cairn"
	"github.com/cairn-tasks/cairn/examples/kind/risk"
)

func main() {
	risk.Register()
	cairn.Main()
}
