//go:build !linux

package proc

func marked() bool { return false }

func conclusive() bool { return false }

// Mine returns false: there are no marks here.
func (t Trace) Mine() bool { return false }

// Adopt does nothing: nothing here adopts processes.
func Adopt() (release func()) { return func() {} }
