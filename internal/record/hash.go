package record

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest returns the first 16 hex digits of the hash of the parts.
func Digest(parts ...string) string { return hashOf(parts)[:16] }

// ContentHash returns the first 32 hex digits of the hash of the parts. It stands for what never changes in a record.
func ContentHash(parts ...string) string { return hashOf(parts)[:32] }

// FullHash returns the whole hash of the parts, for what a stranger may try to give the hash of something else.
func FullHash(parts ...string) string { return hashOf(parts) }

// hashOf hashes the parts. Each is ended by a NUL, which no part contains: files that have one are not read.
func hashOf(parts []string) string {
	sum := sha256.New()
	for _, p := range parts {
		sum.Write([]byte(p))
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil))
}
