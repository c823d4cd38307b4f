package chrome

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"math/big"
	"net"
	"sync"
	"time"
)

// maxCertificates is how many are kept. Making one takes 0.1 ms.
const maxCertificates = 1024

// authority makes certificates for whatever host Chrome asks the proxy for. All
// have one key, which lives in this process and which the browser is told to
// believe, that key and no other: whether the certificate of the server holds is
// for Via to find out.
type authority struct {
	key  *ecdsa.PrivateKey
	spki string // hash of the public key as Chrome wants it

	mu    sync.Mutex
	certs map[string]*tls.Certificate
}

func newAuthority() *authority {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		panic(err) // the curve is known
	}
	sum := sha256.Sum256(der)
	return &authority{key: key, spki: base64.StdEncoding.EncodeToString(sum[:]), certs: make(map[string]*tls.Certificate)}
}

// config is how a connection of Chrome to a host is answered.
func (a *authority) config(host string) *tls.Config {
	return &tls.Config{
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if hello.ServerName != "" {
				return a.certificate(hello.ServerName)
			}
			return a.certificate(host)
		},
	}
}

func (a *authority) certificate(host string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.certs[host]; ok {
		return c, nil
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	now := time.Now()
	leaf := &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: "Quarry"},
		NotBefore:    now.Add(-time.Hour),
		NotAfter:     now.AddDate(0, 3, 0),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		leaf.IPAddresses = []net.IP{ip}
	} else {
		leaf.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, leaf, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	if len(a.certs) >= maxCertificates {
		clear(a.certs)
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.certs[host] = c
	return c, nil
}
