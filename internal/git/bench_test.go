package git

import (
	"fmt"
	"testing"
)

// large makes a repository of 2,000 committed files.
func large(b *testing.B) repo {
	isolate(b)
	r := newRepoAt(b, "")
	for i := range 2000 {
		r.write(fmt.Sprintf("dir%02d/file%04d.go", i%40, i), fmt.Sprintf("package p // %d\n", i))
	}
	r.commit()
	return r
}

func BenchmarkFingerprintClean(b *testing.B) {
	r := large(b)
	for b.Loop() {
		r.fingerprint()
	}
}

func BenchmarkFingerprintChanged(b *testing.B) {
	r := large(b)
	for i := range 50 {
		r.write(fmt.Sprintf("dir%02d/file%04d.go", i%40, i), "package changed\n")
		r.write(fmt.Sprintf("new/file%04d.go", i), "package added\n")
	}
	for b.Loop() {
		r.fingerprint()
	}
}

func BenchmarkCommitFingerprint(b *testing.B) {
	r := large(b).open()
	for b.Loop() {
		if _, err := r.Objects().Fingerprint(b.Context(), "HEAD"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHead(b *testing.B) {
	r := large(b).open()
	for b.Loop() {
		if _, err := r.Head(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkFind(b *testing.B) {
	r := large(b)
	for b.Loop() {
		r.open()
	}
}
