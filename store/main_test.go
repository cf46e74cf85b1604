package store_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestMain(m *testing.M) {
	storetest.Main(m, map[string]storetest.Part{
		"note":     playNote,
		"create":   playCreate,
		"take":     playTake,
		"jot":      playJot,
		"scribble": playScribble,
		"die":      playDie,
	})
}
