//go:build !linux

package slowtest

// InMemory does nothing: there is no folder of the system that lies in memory.
func InMemory() {}
