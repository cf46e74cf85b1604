package git

import "testing"

// A file of a commit comes byte for byte, and what is not there is no failure.
func TestFileAt(t *testing.T) {
	r := newRepoAt(t, "", "-b", "main")
	r.write("a folder/file", "one\ntwo: three\n")
	r.commit()
	for _, tt := range []struct {
		name, commit, path, want string
		ok                       bool
	}{
		{"a file", "HEAD", "a folder/file", "one\ntwo: three\n", true},
		{"a file that is not there", "HEAD", "a folder/other", "", false},
		{"a folder", "HEAD", "a folder", "", false},
		{"a commit that is not there", "1234567812345678123456781234567812345678", "a folder/file", "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, ok, err := r.open().FileAt(t.Context(), tt.commit, tt.path)
			if err != nil || ok != tt.ok || string(got) != tt.want {
				t.Errorf("got %q, %v, %v", got, ok, err)
			}
		})
	}
}
