// Go's net/http as it comes, on one processor.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"
)

type message struct {
	Message string `json:"message"`
}

func main() {
	hello := []byte("Hello, World!")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Server"] = []string{"go"}
		w.Header()["Content-Type"] = []string{"text/plain"}
		_, _ = w.Write(hello)
	})
	mux.HandleFunc("GET /json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Server"] = []string{"go"}
		w.Header()["Content-Type"] = []string{"application/json"}
		_ = json.NewEncoder(w).Encode(message{"Hello, World!"})
	})
	mux.HandleFunc("POST /echo", func(w http.ResponseWriter, r *http.Request) {
		// HTTP/1 replies end the reading of the request unless this is asked for.
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.Header()["Content-Type"] = r.Header["Content-Type"]
		if r.ContentLength >= 0 {
			w.Header()["Content-Length"] = r.Header["Content-Length"]
		}
		_, _ = io.Copy(w, r.Body)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), mux))
}
