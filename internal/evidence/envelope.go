package evidence

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
)

// PayloadType is the type of what an envelope holds: an in-toto statement.
const PayloadType = "application/vnd.in-toto+json"

// MaxEnvelope is the length of the largest envelope that is read, in bytes.
const MaxEnvelope = 64 << 10

// Envelope is a DSSE envelope with one signature.
type Envelope struct {
	Statement Statement
	KeyID     string // a hint which key signed: its SSH fingerprint

	payload, sig []byte
}

// Signer signs with one ed25519 key.
type Signer interface {
	KeyID() string
	SignRaw(ctx context.Context, message []byte) ([]byte, error)
}

// Seal signs a statement. It returns the bytes of the envelope, which end in a line feed.
func Seal(ctx context.Context, s Statement, by Signer) ([]byte, error) {
	payload, err := s.Bytes()
	if err != nil {
		return nil, err
	}
	sig, err := by.SignRaw(ctx, pae(payload))
	if err != nil {
		return nil, err
	}
	sealed, err := Envelope{KeyID: by.KeyID(), payload: payload, sig: sig}.Bytes()
	if err == nil && len(sealed) > MaxEnvelope {
		err = fmt.Errorf("the statement is longer than %d bytes", MaxEnvelope)
	}
	return sealed, err
}

// pae is the pre-authentication encoding of DSSE v1: what the signature is made of.
func pae(payload []byte) []byte {
	return fmt.Appendf(nil, "DSSEv1 %d %s %d %s", len(PayloadType), PayloadType, len(payload), payload)
}

// written is an envelope as JSON.
type written struct {
	PayloadType string      `json:"payloadType"`
	Payload     string      `json:"payload"`
	Signatures  []signature `json:"signatures"`
}

type signature struct {
	KeyID string `json:"keyid"`
	Sig   string `json:"sig"`
}

// Bytes is the envelope as JSON.
func (e Envelope) Bytes() ([]byte, error) {
	text := base64.StdEncoding.EncodeToString
	src, err := marshal(written{PayloadType, text(e.payload), []signature{{e.KeyID, text(e.sig)}}})
	return append(src, '\n'), err
}

// Parse reads an envelope with one signature that Seal may have written: it must be byte for byte as Bytes writes it,
// and so must its statement be. It verifies nothing.
func Parse(src []byte) (Envelope, error) {
	var w written
	switch {
	case len(src) > MaxEnvelope:
		return Envelope{}, fmt.Errorf("it is longer than %d bytes", MaxEnvelope)
	case json.Unmarshal(src, &w) != nil:
		return Envelope{}, errors.New("it is no DSSE envelope in JSON")
	case w.PayloadType != PayloadType:
		return Envelope{}, fmt.Errorf("its payload is not of type %s", PayloadType)
	case len(w.Signatures) != 1:
		return Envelope{}, fmt.Errorf("it has %d signatures, and one is wanted", len(w.Signatures))
	}
	e := Envelope{KeyID: w.Signatures[0].KeyID}
	var err [3]error
	e.payload, err[0] = base64.StdEncoding.DecodeString(w.Payload)
	e.sig, err[1] = base64.StdEncoding.DecodeString(w.Signatures[0].Sig)
	err[2] = json.Unmarshal(e.payload, &e.Statement)
	if err := errors.Join(err[:]...); err != nil {
		return e, errors.New("its payload or its signature cannot be read")
	}
	again, failed := e.Bytes()
	payload, broken := e.Statement.Bytes()
	if failed != nil || broken != nil || !bytes.Equal(again, src) || !bytes.Equal(payload, e.payload) {
		return e, errors.New("it is not written as cairn writes it")
	}
	return e, nil
}

// SignedBy reports whether the signature is that of a key, over this very statement.
func (e Envelope) SignedBy(key ed25519.PublicKey) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, pae(e.payload), e.sig)
}

// marshal writes JSON on one line. Keys stand in a fixed order.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
