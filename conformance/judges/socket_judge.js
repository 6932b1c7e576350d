// Node's ws as the client of /ws on that port: echoes with compression, a ping, a close with code and reason.
const assert = require('assert')
const WebSocket = require('ws')

const socket = new WebSocket(`ws://127.0.0.1:${process.argv[2]}/ws`)
const messages = ['hello', 'wörld '.repeat(1000), Buffer.alloc(100000, 1), Buffer.alloc(0), '']
const late = setTimeout(() => assert.fail('no end within 60 s'), 60000)
let next = 0
let pong = null

socket.on('error', error => { throw error })
socket.on('pong', data => { pong = data.toString() })
socket.on('open', () => {
  assert.match(socket.extensions, /permessage-deflate/)
  socket.ping('here?')
  for (const message of messages) socket.send(message)
})
socket.on('message', (data, isBinary) => {
  const sent = messages[next++]
  assert.strictEqual(isBinary, typeof sent !== 'string')
  assert.ok(data.equals(Buffer.from(sent)), `message ${next}`)
  if (next === messages.length) socket.close(1000, 'bye')
})
socket.on('close', (code, reason) => {
  clearTimeout(late)
  assert.strictEqual(next, messages.length)
  assert.strictEqual(pong, 'here?')
  assert.strictEqual(code, 1000)
})
