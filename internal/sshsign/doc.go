// Package sshsign signs and verifies approvals with the SSH keys that people have for git.
//
// The keys that count are in a file in OpenSSH's format, .cairn/allowed_signers (allowed.go). Signatures are verified
// in Go (verify.go), so that neither a CI nor a server needs programs for it. They are made by the SSH agent or by
// ssh-keygen (sign.go), so that this program never reads a private key, and a hardware key can ask for its touch.
//
// Package task decides what is signed, and what a signature is worth. Only this package knows about keys.
package sshsign
