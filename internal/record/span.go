package record

import (
	"strconv"
	"strings"
	"time"
)

// maxSpan is the longest span that can be written: about a hundred years.
const maxSpan = 100 * 366 * 24 * time.Hour

const day = 24 * time.Hour

// ParseSpan reads how long something takes, as people write it: 90m, 2h, 1h30m, 3d, 1w2d, 2mo, 1y. A day is 24 hours, a
// week 7 days, a month 30 and a year 365, here as everywhere in cairn; who thinks in hours of work writes hours. It
// returns INVALID_INPUT for what is not more than nothing, for a plain number, and for more than a hundred years.
func ParseSpan(s string) (time.Duration, error) {
	d, ok := Span(s)
	if !ok || d == 0 {
		return 0, Errorf(InvalidInput, "%q does not say how long", Clip(s, 40)).
			WithHint("such as 90m, 2h, 1h30m, 3d or 2w; a day is 24 hours")
	}
	return d, nil
}

// Span is ParseSpan of what may be no time at all, such as 0d. It reports false where that returns an error.
func Span(s string) (total time.Duration, ok bool) {
	rest := s
	for _, unit := range []struct {
		letters string
		is      time.Duration
	}{{"y", 365 * day}, {"mo", 30 * day}, {"w", 7 * day}, {"d", day}} {
		number, after, found := strings.Cut(rest, unit.letters)
		if !found {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		if err != nil || !IsDecimal(number) || n*float64(unit.is) > float64(maxSpan) {
			return 0, false
		}
		total, rest = total+time.Duration(n*float64(unit.is)), after
	}
	if rest != "" {
		d, err := time.ParseDuration(rest)
		if err != nil || rest == "0" || strings.ContainsAny(rest, "+-nuµμ") {
			return 0, false
		}
		total += d
	}
	return total, s != "" && total >= 0 && total <= maxSpan
}

// DayNamed is the date that a word names, in the zone of now: today, tomorrow, yesterday, or a day of the week, whole
// or by its first three letters. That is the nearest one in a direction: +1 after today, -1 before it. Upper and lower
// case mean the same.
func DayNamed(word string, now time.Time, direction int) (date string, ok bool) {
	word = strings.ToLower(word)
	days, ok := map[string]int{"today": 0, "tomorrow": 1, "yesterday": -1}[word]
	for d := time.Sunday; d <= time.Saturday && !ok; d++ {
		name := strings.ToLower(d.String())
		if word != name && word != name[:3] {
			continue
		}
		ok = true
		days = direction
		for now.AddDate(0, 0, days).Weekday() != d {
			days += direction
		}
	}
	if !ok {
		return "", false
	}
	return now.AddDate(0, 0, days).Format(time.DateOnly), true
}

// IsDecimal reports whether a text is a number as people write it: digits, with a point and more digits or without, and
// nothing else.
func IsDecimal(s string) bool {
	whole, part, point := strings.Cut(s, ".")
	return isDigits(whole) && (!point || isDigits(part))
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
