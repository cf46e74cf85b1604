package where

import (
	"slices"
	"strings"

	"github.com/cairn-tasks/cairn/internal/record"
	"github.com/cairn-tasks/cairn/internal/verb"
)

// Filter says which items are meant. The zero value means all.
type Filter[T any] struct {
	fits  func(T) bool
	names []string
}

// Fits reports whether an item is meant.
func (f Filter[T]) Fits(item T) bool { return f.fits == nil || f.fits(item) }

// And means the items that both mean.
func (f Filter[T]) And(other Filter[T]) Filter[T] {
	return Filter[T]{func(item T) bool { return f.Fits(item) && other.Fits(item) }, slices.Concat(f.names, other.names)}
}

// Names reports whether the filter has a test of one of some keys.
func (f Filter[T]) Names(keys ...string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(f.names, key) })
}

// Parse reads a filter; "" means all. It returns INVALID_INPUT, or what the Read of a key returns, with the column at
// which the filter is wrong.
func (t Table[T]) Parse(text string) (Filter[T], error) {
	if strings.TrimSpace(text) == "" {
		return Filter[T]{}, nil
	}
	all, err := tokens(text)
	if err != nil {
		return Filter[T]{}, err
	}
	p := parser[T]{table: t, rest: all}
	fits, err := p.filter(0)
	if err == nil && p.rest[0].kind != end {
		err = p.unexpected("and, or, or the end")
	}
	if err != nil {
		return Filter[T]{}, err
	}
	return Filter[T]{fits, p.names}, nil
}

// parser reads the tokens of a filter; the last is always the end.
type parser[T any] struct {
	table Table[T]
	rest  []token
	names []string // of the tests so far
}

func (p *parser[T]) take() token {
	t := p.rest[0]
	if t.kind != end {
		p.rest = p.rest[1:]
	}
	return t
}

func (p *parser[T]) says(which string) bool {
	if t := p.rest[0]; t.kind != word || !strings.EqualFold(t.text, which) {
		return false
	}
	p.take()
	return true
}

func (p *parser[T]) unexpected(wanted string) *record.Error {
	t := p.rest[0]
	what := string(t.kind)
	if t.text != "" && t.kind != opening && t.kind != closing && t.kind != comma {
		what = strings.TrimSpace(what + " " + quote(t.text))
	}
	return wrong(t.column, "%s is here, and not %s", what, wanted).WithHint("%s", grammarHint())
}

func (p *parser[T]) filter(depth int) (func(T) bool, error) {
	return p.joined("or", depth, p.all, func(a, b func(T) bool) func(T) bool {
		return func(item T) bool { return a(item) || b(item) }
	})
}

func (p *parser[T]) all(depth int) (func(T) bool, error) {
	return p.joined("and", depth, p.one, func(a, b func(T) bool) func(T) bool {
		return func(item T) bool { return a(item) && b(item) }
	})
}

// joined reads parts with a word between each two of them.
func (p *parser[T]) joined(by string, depth int, part func(int) (func(T) bool, error), join func(a, b func(T) bool) func(T) bool) (func(T) bool, error) {
	out, err := part(depth)
	for err == nil && p.says(by) {
		var next func(T) bool
		if next, err = part(depth); err == nil {
			out = join(out, next)
		}
	}
	return out, err
}

func (p *parser[T]) one(depth int) (func(T) bool, error) {
	at := p.rest[0]
	if depth > MaxDepth {
		return nil, wrong(at.column, "more than %d levels of brackets", MaxDepth).WithHint("write it with fewer")
	}
	if p.says("not") {
		inner, err := p.one(depth + 1)
		return func(item T) bool { return !inner(item) }, err
	}
	if at.kind != opening {
		return p.test()
	}
	p.take()
	inner, err := p.filter(depth + 1)
	if err == nil && p.rest[0].kind != closing {
		err = p.unexpected("and, or, or )")
	}
	if err == nil {
		p.take()
	}
	return inner, err
}

func (p *parser[T]) test() (func(T) bool, error) {
	at := p.rest[0]
	if at.kind != word {
		return nil, p.unexpected("a key")
	}
	key, ok := p.table.key(at.text)
	if !ok {
		return nil, p.noKey(at)
	}
	p.take()
	if p.names = append(p.names, key.Name); len(p.names) > MaxTests {
		return nil, wrong(at.column, "more than %d tests", MaxTests).WithHint("make it shorter, or ask twice")
	}
	if p.rest[0].kind != operator {
		return key.there(), nil
	}
	op := p.take()
	if takes := operatorsOf(key.Type); !slices.Contains(takes, op.text) {
		return nil, wrong(op.column, "%s does not take %s", key.Name, op.text).WithHint("it is a %s and takes %s", key.Type, strings.Join(takes, ", "))
	}
	return p.values(key, op)
}

func (p *parser[T]) noKey(at token) *record.Error {
	names := record.Each(p.table.Keys, func(k Key[T]) string { return k.Name })
	e := wrong(at.column, "there is no key %s", quote(at.text))
	if near := verb.Nearest(at.text, names); near != "" {
		return e.WithHint("did you mean %s? The keys are %s", near, strings.Join(names, ", "))
	}
	return e.WithHint("the keys are %s", strings.Join(names, ", "))
}

// values reads the values of a test, which are alternatives.
func (p *parser[T]) values(key Key[T], op token) (func(T) bool, error) {
	negative := strings.HasPrefix(op.text, "!")
	var tests []func(T) bool
	for {
		at := p.rest[0]
		if at.kind != word && at.kind != quoted {
			return nil, p.unexpected("a value")
		}
		p.take()
		test, err := p.table.compare(key, strings.TrimPrefix(op.text, "!"), at)
		if err != nil {
			return nil, err
		}
		if tests = append(tests, test); len(tests) > MaxTests {
			return nil, wrong(at.column, "more than %d values", MaxTests).WithHint("make it shorter, or ask twice")
		}
		if p.rest[0].kind != comma {
			break
		}
		p.take()
	}
	return func(item T) bool {
		return slices.ContainsFunc(tests, func(test func(T) bool) bool { return test(item) }) != negative
	}, nil
}

func quote(text string) string { return "\"" + record.Clip(text, quotedMax) + "\"" }
