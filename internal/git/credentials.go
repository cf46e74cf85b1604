package git

import (
	"regexp"

	"github.com/cairn-tasks/cairn/internal/record"
)

var (
	address  = regexp.MustCompile(`https?://[^\s'"]+`)
	userInfo = regexp.MustCompile(`[^\s'"/:@]*:[^\s'"/@]*@`)
)

// WithoutCredentials is what git or a remote said, without the credentials of addresses in it: git repeats addresses,
// and takes the credentials out of some alone.
func WithoutCredentials(said string) string {
	return userInfo.ReplaceAllString(address.ReplaceAllStringFunc(said, record.CleanURL), "")
}
