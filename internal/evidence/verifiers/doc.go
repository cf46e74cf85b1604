// Package verifiers has tests alone: the envelopes in ../testdata, which package evidence writes, are verified by the
// libraries of in-toto, of DSSE, and of sigstore, which cosign verifies with. They refuse an envelope with one byte changed.
//
//	cd internal/evidence/verifiers && GOWORK=off go test ./...
package verifiers
