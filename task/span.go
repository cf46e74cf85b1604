package task

import (
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// maxSpan is the longest span that can be written: about a hundred years.
const maxSpan = 100 * 366 * 24 * time.Hour

// ParseSpan reads how long something takes, as people write it: 90m, 2h, 1h30m, 3d, 1w2d. A day is 24 hours and a week
// 7 days, here as everywhere in cairn; who thinks in hours of work writes hours. It returns INVALID_INPUT for what is
// not more than nothing, for a plain number, and for more than a hundred years.
func ParseSpan(s string) (time.Duration, error) {
	total, rest := time.Duration(0), s
	for _, unit := range []struct {
		letter string
		is     time.Duration
	}{{"w", 7 * 24 * time.Hour}, {"d", 24 * time.Hour}} {
		number, after, ok := strings.Cut(rest, unit.letter)
		if !ok {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !isDecimal(number) || n*float64(unit.is) > float64(maxSpan) {
			return 0, noSpan(s)
		}
		total, rest = total+time.Duration(n*float64(unit.is)), after
	}
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil || d <= 0 || strings.ContainsAny(rest, "+-nuµμ") {
			return 0, noSpan(s)
		}
		total += d
	}
	if total <= 0 || total > maxSpan {
		return 0, noSpan(s)
	}
	return total, nil
}

func noSpan(s string) error {
	return record.Errorf(record.InvalidInput, "%q does not say how long", record.Clip(s, 40)).WithHint("such as 90m, 2h, 1h30m, 3d or 2w; a day is 24 hours")
}

// isDecimal reports whether a text is a number as people write it: digits, with a point and more digits or without, and
// nothing else.
func isDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	return isDigits(whole) && (!point || isDigits(part))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
