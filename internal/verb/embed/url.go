package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

const (
	batch       = 64       // texts of one request
	maxResponse = 64 << 20 // bytes
)

// byURL has a service make vectors of texts, with the API of OpenAI. The vectors of the requests that were answered
// count.
func (c Config) byURL(ctx context.Context, texts []string, timeout time.Duration) ([][]float32, error) {
	ctx, stop := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("took longer than %s", timeout))
	defer stop()
	client := c.client()
	defer client.CloseIdleConnections()
	var out [][]float32
	for len(out) < len(texts) {
		part := texts[len(out):min(len(out)+batch, len(texts))]
		got, err := c.request(ctx, client, part)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		if err == nil && len(out) > 0 && len(got[0]) != len(out[0]) {
			err = fmt.Errorf("sent vectors of %d and of %d numbers", len(out[0]), len(got[0]))
		}
		if err != nil {
			return out, err
		}
		out = append(out, got...)
	}
	return out, nil
}

// client connects to the address alone: to no proxy and no redirection, and, unless the user allows it, to no other
// machine, whatever a name stands for.
func (c Config) client() *http.Client {
	dialer := &net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		host, _, err := net.SplitHostPort(address)
		if err == nil && !c.Remote && !isLoopback(host) {
			err = fmt.Errorf("%s is another machine", host)
		}
		return err
	}}
	transport := &http.Transport{DialContext: dialer.DialContext}
	if c.Remote {
		transport.Proxy = http.ProxyFromEnvironment
	}
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func (c Config) request(ctx context.Context, client *http.Client, texts []string) ([][]float32, error) {
	body, err := json.Marshal(map[string]any{"model": c.Model, "input": texts})
	if err != nil {
		return nil, err
	}
	address := strings.TrimSuffix(c.URL, "/")
	if !strings.HasSuffix(address, "/embeddings") {
		address += "/embeddings"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.KeyEnv != "" {
		req.Header.Set("Authorization", "Bearer "+os.Getenv(c.KeyEnv))
	}
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("answered %s", resp.Status)
	}
	return decodeResponse(io.LimitReader(resp.Body, maxResponse), len(texts))
}

// decodeResponse reads as many vectors as were asked for. They can come in any order.
func decodeResponse(r io.Reader, n int) ([][]float32, error) {
	var got struct {
		Data []struct {
			Index     int       `json:"index"`
			Embedding []float32 `json:"embedding"`
		} `json:"data"`
	}
	if err := json.NewDecoder(r).Decode(&got); err != nil {
		return nil, fmt.Errorf("sent no answer of OpenAI's form: %w", err)
	}
	out := make([][]float32, n)
	for _, d := range got.Data {
		if d.Index < 0 || d.Index >= n || !usable(d.Embedding) || len(got.Data[0].Embedding) != len(d.Embedding) {
			return nil, errors.New("sent vectors that were not asked for, or of several sizes")
		}
		out[d.Index] = d.Embedding
	}
	for _, v := range out {
		if v == nil {
			return nil, fmt.Errorf("sent %d vectors for %d texts", len(got.Data), n)
		}
	}
	return out, nil
}
