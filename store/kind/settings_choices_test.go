package kind_test

import (
	"strings"
	"testing"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/store/format"
	"github.com/cairn-tasks/cairn/store/kind"
)

// A setting takes each of its choices and no other word, and has one of them by default.
func TestChoicesOfSettings(t *testing.T) {
	stamp := record.Stamp{Who: "human:ada", At: time.Date(2026, 6, 21, 10, 0, 0, 0, time.UTC)}
	for _, one := range kind.Settings() {
		choices := one.Choices
		if choices == nil {
			continue
		}
		if now := one.Value(kind.DefaultConfig()); !strings.Contains(" "+strings.Join(choices, " ")+" ", " "+now+" ") {
			t.Errorf("%s is %q by default, which is not among %q", one.Key, now, choices)
		}
		for _, value := range append(choices, "elephant") {
			doc, err := format.Parse([]byte("prefix: T\n"), format.YAML)
			if err == nil {
				_, err = kind.Set(doc, one.Key, value, stamp)
			}
			if (err == nil) != (value != "elephant") {
				t.Errorf("%s can be %s: %v", one.Key, value, err)
			}
		}
	}
}
