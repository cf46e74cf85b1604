package mcpserver

import (
	"io"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"
)

// slowly reads what a writer writes, once it is let go.
func slowly(t *testing.T) (w *writer, letGo func() string) {
	t.Helper()
	out, to := io.Pipe()
	w = newWriter(to, newLoad(1<<20))
	return w, func() string {
		w.close()
		read := make(chan string)
		go func() {
			text, _ := io.ReadAll(out) // ends with the pipe
			read <- string(text)
		}()
		<-w.done
		_ = to.Close()
		return <-read
	}
}

func answerTo(id string) mcp.JSONRPCMessage {
	return mcp.NewJSONRPCResultResponse(mcp.NewRequestId(id), struct{}{})
}

// While a client does not read, the newest of what is said under a key takes the place of the others, and no key is
// lost.
func TestNotificationsCoalesce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, letGo := slowly(t)
		w.send(answerTo("first"))
		synctest.Wait() // it is being written
		for n := range 1000 {
			for _, uri := range []string{"a", "b"} {
				w.notify(uri, "updated", map[string]any{"uri": uri, "n": n})
			}
			w.notify("a", "progress", map[string]any{"n": n})
		}
		w.send(answerTo("last"))
		const want = `{"jsonrpc":"2.0","id":"first","result":{}}
{"jsonrpc":"2.0","method":"updated","params":{"n":999,"uri":"a"}}
{"jsonrpc":"2.0","method":"updated","params":{"n":999,"uri":"b"}}
{"jsonrpc":"2.0","method":"progress","params":{"n":999}}
{"jsonrpc":"2.0","id":"last","result":{}}
`
		if got := letGo(); got != want {
			t.Errorf("written:\n%s\nwant:\n%s", got, want)
		}
		if w.load.bytes != 0 {
			t.Errorf("%d bytes are still counted", w.load.bytes)
		}
	})
}
