package storetest

import (
	"os"
	"testing"

	"github.com/cairn-tasks/cairn/store"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
)

// Forge changes the file of a record as somebody does who knows the format and calls no verb.
func Forge[ID ~string, T any](t testing.TB, s *store.Store, k kind.Of[ID, T], id ID, change func(T) T) {
	t.Helper()
	path := s.Abs(s.File(k.Kind, string(id)))
	src, err := os.ReadFile(path)
	must(t, err)
	doc, err := format.Parse(src, k.Form)
	must(t, err)
	was, err := k.Decode(doc)
	must(t, err)
	next, err := k.Edit(doc, was, change(was))
	must(t, err)
	must(t, os.WriteFile(path, next.Bytes(), 0o644))
}
