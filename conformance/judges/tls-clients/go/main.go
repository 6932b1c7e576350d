// Go's crypto/tls as a client: PORT, the PORT that requires client certificates, that of a server whose certificate has
// expired, and the folder with the certificates. Prints what it says of what is refused. It knows no revocation lists.
package main

import (
	"bytes"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

var (
	port, clientsPort, oldPort, folder = os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	roots                              = x509.NewCertPool()
)

func main() {
	pem, err := os.ReadFile(filepath.Join(folder, "ca.pem"))
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		log.Fatal("ca.pem: ", err)
	}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		config := func() *tls.Config {
			return &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: version, MaxVersion: version}
		}
		resumed(config())
		protocols(config)
		names(config)
		large(config())
		clients(config)
	}
	old := &tls.Config{RootCAs: roots, ServerName: "localhost", MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}
	refused("TLS 1.1", port, old, "protocol version")
}

// Asks once, and reads the answer to its end, which must be a close_notify.
func ask(port string, config *tls.Config) (tls.ConnectionState, error) {
	socket, err := tls.Dial("tcp", "127.0.0.1:"+port, config)
	if err != nil {
		return tls.ConnectionState{}, err
	}
	defer socket.Close()
	socket.SetDeadline(time.Now().Add(20 * time.Second))
	if _, err := io.WriteString(socket, "GET /plaintext HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); err != nil {
		return tls.ConnectionState{}, err
	}
	answer, err := io.ReadAll(socket) // an end without close_notify is an io.ErrUnexpectedEOF
	if err == nil && !(bytes.HasPrefix(answer, []byte("HTTP/1.1 200 ")) && bytes.HasSuffix(answer, []byte("Hello, World!"))) {
		err = fmt.Errorf("the answer is %q", answer)
	}
	return socket.ConnectionState(), err
}

func asked(what, port string, config *tls.Config) tls.ConnectionState {
	state, err := ask(port, config)
	if err != nil {
		log.Fatalf("%s, %s: %v", tls.VersionName(config.MaxVersion), what, err)
	}
	if state.Version != config.MaxVersion {
		log.Fatalf("%s instead of %s", tls.VersionName(state.Version), tls.VersionName(config.MaxVersion))
	}
	return state
}

func refused(what, port string, config *tls.Config, reasons ...string) {
	_, err := ask(port, config)
	for _, reason := range reasons {
		if err != nil && strings.Contains(err.Error(), reason) {
			fmt.Printf("%s, %s: %v\n", tls.VersionName(config.MaxVersion), what, err)
			return
		}
	}
	log.Fatalf("%s, %s: %v instead of %q", tls.VersionName(config.MaxVersion), what, err, reasons)
}

func resumed(config *tls.Config) {
	config.ClientSessionCache = tls.NewLRUClientSessionCache(8)
	for n := 0; n < 4; n++ {
		if state := asked("resumption", port, config); state.DidResume != (n > 0) {
			log.Fatalf("%s: handshake %d, resumed is %v", tls.VersionName(config.MaxVersion), n, state.DidResume)
		}
	}
}

func protocols(config func() *tls.Config) {
	both, only := config(), config()
	both.NextProtos, only.NextProtos = []string{"h2", "http/1.1"}, []string{"h2"}
	if chosen := asked("ALPN", port, both).NegotiatedProtocol; chosen != "http/1.1" {
		log.Fatalf("ALPN chose %q", chosen)
	}
	refused("ALPN h2", port, only, "no application protocol")
}

func names(config func() *tls.Config) {
	for _, name := range []string{"shop.example", "a.shop.example"} {
		by := config()
		by.ServerName = name // and it is verified
		asked("SNI "+name, port, by)
	}
	other := config()
	other.ServerName = "other.example"
	refused("SNI other.example", port, other, "not other.example")
}

// By Go's own HTTP client, with keep-alive.
func large(config *tls.Config) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config}, Timeout: time.Minute}
	content := make([]byte, 5_000_000)
	rand.Read(content)
	for n := 0; n < 2; n++ {
		response, err := client.Post("https://localhost:"+port+"/echo", "application/octet-stream", bytes.NewReader(content))
		if err != nil {
			log.Fatal(err)
		}
		got, err := io.ReadAll(response.Body)
		if response.Body.Close(); err != nil || !bytes.Equal(got, content) {
			log.Fatalf("echo: %d bytes, %v", len(got), err)
		}
	}
}

func clients(config func() *tls.Config) {
	with := func(name string) *tls.Config {
		pair, err := tls.LoadX509KeyPair(filepath.Join(folder, name+".pem"), filepath.Join(folder, name+".key"))
		if err != nil {
			log.Fatal(err)
		}
		made := config() // sent whatever issuers the server names
		made.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &pair, nil }
		return made
	}
	asked("client certificate", clientsPort, with("client"))
	refused("client certificate: none", clientsPort, config(), "certificate required", "bad certificate", "handshake failure")
	for _, each := range [][2]string{{"stranger", "unknown certificate authority"}, {"expired", "expired certificate"},
		{"revoked", "revoked certificate"}, {"weak", "bad certificate"}} {
		refused("client certificate: "+each[0], clientsPort, with(each[0]), each[1], "unknown certificate")
	}
	refused("server's certificate: expired", oldPort, config(), "certificate has expired")
	wary := config()
	wary.RootCAs = x509.NewCertPool()
	refused("server's certificate: unknown issuer", port, wary, "signed by unknown authority")
}
