// fasthttp, on one processor.
package main

import (
	"encoding/json"
	"log"
	"os"

	"github.com/valyala/fasthttp"
)

type message struct {
	Message string `json:"message"`
}

func handle(c *fasthttp.RequestCtx) {
	switch string(c.Path()) {
	case "/plaintext":
		c.SetContentType("text/plain")
		c.SetBodyString("Hello, World!")
	case "/json":
		c.SetContentType("application/json")
		_ = json.NewEncoder(c).Encode(message{"Hello, World!"})
	case "/echo":
		c.SetContentTypeBytes(c.Request.Header.ContentType())
		c.SetBody(c.PostBody())
	default:
		c.Error("not found", fasthttp.StatusNotFound)
	}
}

func main() {
	server := &fasthttp.Server{Name: "fasthttp", Handler: handle, MaxRequestBodySize: 64 << 20}
	log.Fatal(server.ListenAndServe("127.0.0.1:" + os.Getenv("PORT")))
}
