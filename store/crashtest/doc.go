// Package crashtest tries every verb that writes against a disk that fails and a process that dies, at each system call
// in turn. It holds tests alone. Which calls a verb makes is found by counting them as they come by (package disk), so
// a verb that gains a step gains its tests, and a verb that has no story here fails one. The risks of examples/kind
// stand for kinds of record that a program adds.
//
// What a power cut leaves it cannot show: the kernel keeps what a killed process wrote.
package crashtest
