package warc

import (
	"bufio"
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"net/http/httputil"
	"strings"
)

// A digest is one that a record claims.
type digest struct {
	hash.Hash
	name, claimed string
	want          []byte
}

// newDigest reads a digest such as "sha1:3EF8…" in base 16, 32 or 64. Nil: there is
// none, or one of a kind that nobody here knows.
func newDigest(name, claimed string) *digest {
	algorithm, value, ok := strings.Cut(claimed, ":")
	if !ok {
		return nil
	}
	d := &digest{name: name, claimed: claimed}
	switch strings.ReplaceAll(strings.ToLower(algorithm), "-", "") {
	case "sha1":
		d.Hash = sha1.New()
	case "sha256":
		d.Hash = sha256.New()
	case "sha512":
		d.Hash = sha512.New()
	case "md5":
		d.Hash = md5.New()
	default:
		return nil
	}
	value = strings.TrimRight(strings.TrimSpace(value), "=")
	base32 := base32.StdEncoding.WithPadding(base32.NoPadding)
	switch len(value) {
	case hex.EncodedLen(d.Size()):
		d.want, _ = hex.DecodeString(value)
	case base32.EncodedLen(d.Size()):
		d.want, _ = base32.DecodeString(strings.ToUpper(value))
	default:
		d.want, _ = base64.RawStdEncoding.DecodeString(strings.NewReplacer("-", "+", "_", "/").Replace(value))
	}
	return d
}

func (d *digest) holds() bool { return bytes.Equal(d.want, d.Sum(nil)) }

// Verify reads the block and compares its digest and that of its payload with
// what the record says of them; where it says nothing, nothing is wrong. A
// payload may have been counted with its transfer coding or without. The payload
// of a revisit is not there, and not looked at. The error is an *[Error].
func (r *Record) Verify() error {
	block := newDigest("WARC-Block-Digest", r.Header.Get("WARC-Block-Digest"))
	in := r.Block
	if block != nil {
		in = io.TeeReader(in, block)
	}
	payload, err := r.readPayload(bufio.NewReader(in))
	if err != nil {
		return r.wrong(err)
	}
	for _, d := range [...]*digest{block, payload} {
		if d != nil && !d.holds() {
			return &Error{r.File, r.Offset, fmt.Errorf("%w: %s is %s", ErrDigest, d.name, d.claimed)}
		}
	}
	return nil
}

// readPayload reads a block to its end and returns the digest of its payload,
// or nil where there is nothing to compare.
func (r *Record) readPayload(in *bufio.Reader) (*digest, error) {
	claimed := r.Header.Get("WARC-Payload-Digest")
	raw, decoded := newDigest("WARC-Payload-Digest", claimed), newDigest("WARC-Payload-Digest", claimed)
	if raw == nil || r.Type == Revisit {
		_, err := io.Copy(io.Discard, in)
		return nil, err
	}
	chunked := false
	if strings.HasPrefix(r.MediaType(), "application/http") {
		head, _, err := readMessageHead(in, r.Type == Request)
		if err != nil {
			return nil, err
		}
		chunked = isChunked(head)
	}
	body := io.TeeReader(in, raw)
	if chunked {
		io.Copy(decoded, httputil.NewChunkedReader(body)) // what is left of it when it breaks off counts as raw
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return nil, err
	}
	if chunked && decoded.holds() {
		return decoded, nil
	}
	return raw, nil
}
