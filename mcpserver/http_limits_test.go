package mcpserver_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// Who sends a request a byte at a time is hung up on, at the head and at the body, and meanwhile others are served.
func TestRequestsThatTakeLongAreHungUpOn(t *testing.T) {
	for name, begun := range map[string]string{
		"the head": "POST /mcp HTTP/1.1\r\nHost: localhost\r\n",
		"the body": "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
		"nothing":  "",
	} {
		t.Run(name, func(t *testing.T) {
			w := anywhere(t.TempDir())
			synctest.Test(t, func(t *testing.T) {
				d := openDoor(t, w)
				ours, theirs := net.Pipe()
				d.dial <- theirs
				heard := make(chan string, 1)
				go func() {
					said, _ := io.ReadAll(ours)
					heard <- string(said)
				}()
				begins := time.Now()
				go func() {
					for _, c := range []byte(begun + strings.Repeat(" ", 900)) {
						if _, err := ours.Write([]byte{c}); err != nil {
							return
						}
						time.Sleep(time.Second)
					}
				}()
				if got := d.post("", initialize); got.status != http.StatusOK {
					t.Errorf("another is answered with %d %s", got.status, got.body)
				}
				<-heard
				if took := time.Since(begins); took > 3*time.Minute {
					t.Errorf("it is hung up on after %v", took)
				}
				_ = ours.Close()
			})
		})
	}
}

// There are so many clients at most; one that was idle for a while gives way, and one that is not is served on.
func TestSessionsAreLimited(t *testing.T) {
	w := anywhere(t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		d := openDoor(t, w)
		const most = 128
		var all []string
		for i := range most {
			got := d.post("", initialize)
			if got.status != http.StatusOK {
				t.Fatalf("client %d is answered with %d %s", i, got.status, got.body)
			}
			all = append(all, got.session)
		}
		if got := d.post("", initialize); got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, fmt.Sprint(most)) {
			t.Errorf("one more is answered with %d %s", got.status, got.body)
		}
		const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
		time.Sleep(6 * time.Minute)
		for _, session := range all[1:] {
			d.post(session, ping)
		}
		if got := d.post("", initialize); got.status != http.StatusOK {
			t.Errorf("after a while one more is answered with %d %s", got.status, got.body)
		}
		if got := d.post(all[0], ping); got.status != http.StatusNotFound {
			t.Errorf("the client that was idle is answered with %d %s", got.status, got.body)
		}
		if got := d.post(all[1], ping); got.status != http.StatusOK {
			t.Errorf("another client is answered with %d %s", got.status, got.body)
		}
	})
}
