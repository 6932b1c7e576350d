// Go's own net/http/fcgi, on the port that PORT names.
package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"net/http/fcgi"
	"os"
)

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(fcgi.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "Hello, World!")
	})))
}
