// Package sshsign signs and verifies approvals with the SSH keys that people have for git.
//
// Whose key counts is said by a file in OpenSSH's format, .cairn/allowed_signers (allowed.go). Signatures are verified in pure
// Go (verify.go), so that neither a CI nor a server needs programs for it. They are made by the agent, or by ssh-keygen, so
// that a key never comes near this program, and one in hardware asks for its touch (sign.go).
//
// What is signed, and what a signature is worth, is decided by package task. This is the one package that knows about keys.
package sshsign
