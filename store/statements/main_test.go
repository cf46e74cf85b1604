package statements_test

import (
	"testing"

	"github.com/cairn-tasks/cairn/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, nil) }
