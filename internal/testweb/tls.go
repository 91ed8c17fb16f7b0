package testweb

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"sync"
	"time"
)

var errNoTLS = errors.New("testweb: this host fails handshakes")

// Roots is a new pool with the certificate authority of this process, which signs for every name. It is made at first use and
// lives in memory only.
func Roots() *x509.CertPool {
	pool := x509.NewCertPool()
	if a, err := theAuthority(); err == nil {
		pool.AddCert(a.cert)
	}
	return pool
}

// alsoTrusting is pool, or the system's for nil, and our authority.
func alsoTrusting(pool *x509.CertPool) *x509.CertPool {
	if pool != nil {
		pool = pool.Clone()
	} else if system, err := x509.SystemCertPool(); err == nil {
		pool = system
	} else {
		pool = x509.NewCertPool()
	}
	if a, err := theAuthority(); err == nil {
		pool.AddCert(a.cert)
	}
	return pool
}

// authority is a certificate authority, and the certificates it has signed so far.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey

	mu     sync.Mutex
	signed map[string]*tls.Certificate
}

var theAuthority = sync.OnceValues(func() (*authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := certificate(1, "testweb authority")
	template.IsCA, template.BasicConstraintsValid, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &authority{cert: cert, key: key, signed: make(map[string]*tls.Certificate)}, nil
})

// certificateFor returns a certificate for the name that the client asked for. A client that connects to an address names
// none (RFC 6066, 3); it gets one for the loopback addresses.
func certificateFor(name string) (*tls.Certificate, error) {
	a, err := theAuthority()
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.signed[name]; c != nil {
		return c, nil
	}
	template := certificate(int64(len(a.signed))+2, name)
	if name == "" {
		template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	} else {
		template.DNSNames = []string{name}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		return nil, err
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
	a.signed[name] = c
	return c, nil
}

// certificate is valid from before the year 2000, where the clock of a synctest bubble begins, until long after its end.
func certificate(serial int64, name string) *x509.Certificate {
	return &x509.Certificate{
		SerialNumber: big.NewInt(serial),
		Subject:      pkix.Name{CommonName: name},
		NotBefore:    time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2190, 1, 1, 0, 0, 0, 0, time.UTC),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
}
