package verifiers

import (
	"bytes"
	"context"
	"crypto"
	"encoding/base64"
	"encoding/json"
	"os"
	"testing"

	testresult "github.com/in-toto/attestation/go/predicates/test_result/v0"
	intoto "github.com/in-toto/attestation/go/v1"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	sigstore "github.com/sigstore/sigstore/pkg/signature/dsse"
	"google.golang.org/protobuf/encoding/protojson"
)

func read(t *testing.T, name string) []byte {
	t.Helper()
	src, err := os.ReadFile("../testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func witness(t *testing.T) crypto.PublicKey {
	t.Helper()
	key, err := cryptoutils.UnmarshalPEMToPublicKey(read(t, "witness.pem"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// bySigstore verifies as cosign does with --key.
func bySigstore(t *testing.T, src []byte) error {
	v, err := signature.LoadVerifier(witness(t), crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	return sigstore.WrapVerifier(v).VerifySignature(bytes.NewReader(src), nil)
}

// dsseKey is the key as the library of DSSE wants it.
type dsseKey struct{ v signature.Verifier }

func (k dsseKey) Verify(_ context.Context, data, sig []byte) error {
	return k.v.VerifySignature(bytes.NewReader(sig), bytes.NewReader(data))
}
func (k dsseKey) KeyID() (string, error)   { return dsse.SHA256KeyID(k.Public()) }
func (k dsseKey) Public() crypto.PublicKey { key, _ := k.v.PublicKey(); return key }

func byDSSE(t *testing.T, src []byte) error {
	v, err := signature.LoadVerifier(witness(t), crypto.SHA256)
	if err != nil {
		t.Fatal(err)
	}
	verifier, err := dsse.NewEnvelopeVerifier(dsseKey{v})
	if err != nil {
		t.Fatal(err)
	}
	var e dsse.Envelope
	if err := json.Unmarshal(src, &e); err != nil {
		return err
	}
	_, err = verifier.Verify(t.Context(), &e)
	return err
}

func TestOthersVerify(t *testing.T) {
	for _, name := range []string{"close.json", "change.json"} {
		src := read(t, name)
		for by, verify := range map[string]func(*testing.T, []byte) error{"sigstore": bySigstore, "dsse": byDSSE} {
			if err := verify(t, src); err != nil {
				t.Errorf("%s by %s: %v", name, by, err)
			}
			for _, part := range []string{"payload", "sig", "payloadType"} {
				for i, bent := range changed(t, src, part) {
					if verify(t, bent) == nil {
						t.Errorf("%s by %s: holds with another byte %d of its %s", name, by, i, part)
					}
				}
			}
		}
	}
}

// changed are envelopes with one byte of a part changed, each in another place.
func changed(t *testing.T, src []byte, part string) (all [][]byte) {
	t.Helper()
	type envelope struct {
		PayloadType string `json:"payloadType"`
		Payload     []byte `json:"payload"`
		Signatures  []struct {
			KeyID string `json:"keyid"`
			Sig   []byte `json:"sig"`
		} `json:"signatures"`
	}
	for i := 0; ; i++ {
		var e envelope
		if err := json.Unmarshal(src, &e); err != nil {
			t.Fatal(err)
		}
		if part == "payloadType" {
			if i == len(e.PayloadType) {
				return all
			}
			e.PayloadType = e.PayloadType[:i] + "_" + e.PayloadType[i+1:]
		} else {
			in := e.Payload
			if part == "sig" {
				in = e.Signatures[0].Sig
			}
			if i == len(in) {
				return all
			}
			in[i] ^= 1
		}
		bent, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, bent)
	}
}

// The library of in-toto reads the statement and its predicate, and finds that nothing is missing.
func TestInTotoReads(t *testing.T) {
	for _, name := range []string{"close.json", "change.json"} {
		var e struct{ Payload string }
		if err := json.Unmarshal(read(t, name), &e); err != nil {
			t.Fatal(err)
		}
		payload, err := base64.StdEncoding.DecodeString(e.Payload)
		if err != nil {
			t.Fatal(err)
		}
		var s intoto.Statement
		if err := protojson.Unmarshal(payload, &s); err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name != "close.json" {
			continue
		}
		predicate, err := protojson.Marshal(s.Predicate)
		if err != nil {
			t.Fatal(err)
		}
		var r testresult.TestResult
		if err := protojson.Unmarshal(predicate, &r); err != nil || r.Result != "PASSED" || len(r.Configuration) != 2 || len(r.PassedTests) != 2 {
			t.Errorf("the results: %v, %v", &r, err)
		}
	}
}
