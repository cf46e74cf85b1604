package where

import (
	"strconv"
	"strings"
	"time"
)

// moment is a time that a filter names: a whole day, or an instant.
type moment struct {
	from time.Time
	day  bool
}

// compare is where a time lies: before the moment, in it or after it.
func (m moment) compare(at time.Time) int {
	if !m.day {
		return at.Compare(m.from)
	}
	switch {
	case at.Before(m.from):
		return -1
	case at.Before(m.from.AddDate(0, 0, 1)):
		return 0
	default:
		return 1
	}
}

// momentOf reads a date, a time, a day in words, or a span from now. Days are in UTC.
func momentOf(text string, now time.Time) (moment, bool) {
	now = now.UTC()
	today := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	switch strings.ToLower(text) {
	case "now":
		return moment{from: now}, true
	case "today":
		return moment{today, true}, true
	case "tomorrow":
		return moment{today.AddDate(0, 0, 1), true}, true
	case "yesterday":
		return moment{today.AddDate(0, 0, -1), true}, true
	}
	if at, err := time.Parse(time.DateOnly, text); err == nil {
		return moment{at, true}, true
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return moment{from: at}, true
	}
	span, ok := spanOf(text)
	return moment{from: now.Add(span)}, ok
}

const maxSpan = 100 * 365 * 24 * time.Hour

// spanOf reads a length of time: a whole number and m, h, d, w, mo (30 days) or y (365 days), perhaps with a sign.
func spanOf(text string) (time.Duration, bool) {
	digits := strings.TrimRight(text, "mhdwoy")
	unit, ok := map[string]time.Duration{
		"m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour, "mo": 30 * 24 * time.Hour, "y": 365 * 24 * time.Hour,
	}[text[len(digits):]]
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n > int(maxSpan/unit) || n < -int(maxSpan/unit) {
		return 0, false
	}
	return time.Duration(n) * unit, true
}
