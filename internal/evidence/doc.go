// Package evidence writes and reads what is signed about closed tasks and checked changes, in forms that other programs
// verify: in-toto Statement v1, with the predicates test-result v0.1 and svr v0.2, in a DSSE envelope with one ed25519
// signature. It is pure: it knows no file, no clock and no git, and the same values always give the same bytes.
//
// Whose key counts, and for what, is decided elsewhere (package store/statements).
package evidence
