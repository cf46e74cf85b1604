// Package sshsign signs and verifies approvals with the SSH keys that people have for git.
//
// The keys that count are in a file in OpenSSH's format, .cairn/allowed_signers (allowed.go). Signatures are verified
// in Go (verify.go), so that neither a CI nor a server needs programs for it. They are made by the SSH agent or by
// ssh-keygen (sign.go), so that a hardware key can ask for its touch. Evidence is signed by an ed25519 key alone (raw.go),
// which the agent has or which lies in a file, as a CI gets it: nothing else reads a private key.
//
// Package task decides what is signed, and what a signature is worth. Only this package knows about keys.
package sshsign
