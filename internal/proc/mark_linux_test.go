package proc

import "testing"

const unlimited = ^uint64(0)

// A mark owns itself and the marks nested in it, and nothing else: not the program that runs the command, and no
// command beside it.
func TestWhatAMarkOwns(t *testing.T) {
	a, b := markWithin(unlimited, 7), markWithin(unlimited, 8)
	inA, inA2 := markWithin(uint64(a), 7), markWithin(uint64(a), 8)
	deepInA := markWithin(uint64(inA), 7)
	for _, test := range []struct {
		name  string
		m     mark
		limit uint64
		owns  bool
	}{
		{"itself", a, uint64(a), true},
		{"a command inside", a, uint64(inA), true},
		{"one inside that", a, uint64(deepInA), true},
		{"its neighbor", a, uint64(b), false},
		{"what is unmarked", a, unlimited, false},
		{"a limit somebody set", a, 1024, false},
		{"no limit left", a, 0, false},
		{"the command around it", inA, uint64(a), false},
		{"its neighbor inside", inA, uint64(inA2), false},
		{"the same number elsewhere", markWithin(uint64(b), 7), uint64(inA), false},
		{"no mark owns nothing", 0, 0, false},
	} {
		if test.m.owns(test.limit) != test.owns {
			t.Errorf("%s: mark %#x, limit %#x: want %v", test.name, test.m, test.limit, test.owns)
		}
	}
}

// Limits can only be lowered, whatever number a mark is made of.
func TestAMarkIsBelowTheLimitItLivesIn(t *testing.T) {
	for _, n := range []uint64{0, 1, 1<<31 - 1, 1 << 31, unlimited} {
		outer := markWithin(unlimited, n)
		inner := markWithin(uint64(outer), n)
		if outer == 0 || inner == 0 || uint64(outer) >= unlimited || inner >= outer {
			t.Errorf("n %#x: %#x, inside it %#x", n, outer, inner)
		}
	}
}

func TestWhereThereIsNoRoomThereIsNoMark(t *testing.T) {
	limit := unlimited
	for range 3 {
		limit = uint64(markWithin(limit, 1))
	}
	for _, l := range []uint64{0, 1024, 1<<leastRoom - 2, limit} {
		if m := markWithin(l, 1); m != 0 {
			t.Errorf("limit %#x gave %#x", l, m)
		}
	}
}
