package where

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cairn-tasks/cairn/internal/record"
)

// there is the test of a key alone: whether an item has it.
func (k Key[T]) there() func(T) bool {
	switch k.Type {
	case Number:
		return func(item T) bool { _, ok := k.Number(item); return ok }
	case Time:
		return func(item T) bool { _, ok := k.Time(item); return ok }
	case Span:
		return func(item T) bool { _, ok := k.Span(item); return ok }
	case Flag:
		return k.Flag
	case Text, Word, Words:
	}
	return func(item T) bool { return slices.ContainsFunc(k.Texts(item), func(s string) bool { return s != "" }) }
}

// compare is the test of a key against one value. The operator is not negated.
func (t Table[T]) compare(k Key[T], op string, value token) (func(T) bool, error) {
	text := value.text
	if k.Read != nil && op != "~" {
		read, err := k.Read(text)
		if err != nil {
			return nil, at(value.column, err)
		}
		text = read
	}
	switch k.Type {
	case Number:
		return k.compareNumber(op, text, value)
	case Time:
		return k.compareTime(op, text, value, t.Now)
	case Span:
		return k.compareSpan(op, text, value)
	case Flag:
		return k.compareFlag(text, value)
	case Text, Word, Words:
	}
	return k.compareText(op, text), nil
}

// at is an error of Read, with the column of the value. Its code, hint and details stay.
func at(column int, err error) error {
	e := wrong(column, "%s", record.MessageOf(err))
	var cause *record.Error
	if errors.As(err, &cause) {
		e.Code, e.Hint, e.Details = cause.Code, cause.Hint, cause.Details
	}
	return e
}

func (k Key[T]) compareText(op, text string) func(T) bool {
	text = strings.ToLower(text)
	same := func(s string) bool { return strings.ToLower(s) == text }
	if op == "~" {
		same = func(s string) bool { return strings.Contains(strings.ToLower(s), text) }
	}
	return func(item T) bool { return slices.ContainsFunc(k.Texts(item), same) }
}

func (k Key[T]) compareNumber(op, text string, value token) (func(T) bool, error) {
	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, wrong(value.column, "%s is a number, and %s is none", k.Name, quote(text)).WithHint("such as %s%s1", k.Name, op)
	}
	return func(item T) bool {
		got, ok := k.Number(item)
		return ok && holds(op, cmp.Compare(got, want))
	}, nil
}

func (k Key[T]) compareTime(op, text string, value token, now time.Time) (func(T) bool, error) {
	want, ok := momentOf(text, now)
	if !ok {
		return nil, wrong(value.column, "%s is a time, and %s is none", k.Name, quote(text)).WithHint("a date such as 2026-06-21, a time such as 2026-06-21T10:00:00Z, today, or a time from now such as 7d or -2w")
	}
	if k.Past && want.from.After(now) && !want.day {
		return nil, wrong(value.column, "%s is never in the future, and %s is", k.Name, quote(text)).WithHint("-%s is as long ago", strings.TrimPrefix(text, "+"))
	}
	return func(item T) bool {
		got, ok := k.Time(item)
		return ok && holds(op, want.compare(got))
	}, nil
}

func (k Key[T]) compareSpan(op, text string, value token) (func(T) bool, error) {
	want, ok := spanOf(text)
	if !ok || want < 0 {
		return nil, wrong(value.column, "%s is a length of time, and %s is none", k.Name, quote(text)).WithHint("such as 90m, 12h, 7d or 2w")
	}
	return func(item T) bool {
		got, ok := k.Span(item)
		return ok && holds(op, cmp.Compare(got, want))
	}, nil
}

func (k Key[T]) compareFlag(text string, value token) (func(T) bool, error) {
	var want bool
	switch strings.ToLower(text) {
	case "yes", "true":
		want = true
	case "no", "false":
	default:
		return nil, wrong(value.column, "%s is yes or no, and not %s", k.Name, quote(text)).WithHint("%s alone, not %s, or %s=no", k.Name, k.Name, k.Name)
	}
	return func(item T) bool { return k.Flag(item) == want }, nil
}

// holds reports whether an operator holds for what a comparison returned.
func holds(op string, order int) bool {
	switch op {
	case "=":
		return order == 0
	case "<":
		return order < 0
	case "<=":
		return order <= 0
	case ">":
		return order > 0
	case ">=":
		return order >= 0
	}
	return false
}
