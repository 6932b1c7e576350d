// Go's gorilla/websocket as the client of /ws on that port: echoes with compression, a ping, a close.
package main

import (
	"bytes"
	"log"
	"os"
	"time"

	"github.com/gorilla/websocket"
)

func main() {
	dialer := websocket.Dialer{EnableCompression: true, HandshakeTimeout: 10 * time.Second}
	socket, response, err := dialer.Dial("ws://127.0.0.1:"+os.Args[1]+"/ws", nil)
	if err != nil {
		log.Fatal(err)
	}
	if extensions := response.Header.Get("Sec-WebSocket-Extensions"); extensions == "" {
		log.Fatal("no compression was agreed on")
	}
	socket.SetReadDeadline(time.Now().Add(60 * time.Second))
	pong := ""
	socket.SetPongHandler(func(data string) error { pong = data; return nil })
	check(socket.WriteControl(websocket.PingMessage, []byte("here?"), time.Now().Add(10*time.Second)))
	echoes(socket, websocket.TextMessage, []byte("hi"))
	echoes(socket, websocket.TextMessage, bytes.Repeat([]byte("wörld "), 20000))
	echoes(socket, websocket.BinaryMessage, bytes.Repeat([]byte("x"), 1<<20))
	socket.EnableWriteCompression(false)
	echoes(socket, websocket.BinaryMessage, []byte{0, 1, 2})
	if pong != "here?" {
		log.Fatalf("the pong has %q", pong)
	}
	check(socket.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(1000, "bye")))
	if _, _, err := socket.ReadMessage(); !websocket.IsCloseError(err, 1000) {
		log.Fatalf("the close was answered by %v", err)
	}
}

func echoes(socket *websocket.Conn, kind int, message []byte) {
	check(socket.WriteMessage(kind, message))
	got, answer, err := socket.ReadMessage()
	check(err)
	if got != kind || !bytes.Equal(answer, message) {
		log.Fatalf("%d bytes of kind %d became %d of kind %d", len(message), kind, len(answer), got)
	}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
