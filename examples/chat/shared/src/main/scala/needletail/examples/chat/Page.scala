package needletail.examples.chat

/** The page: messages are inserted as text, never as HTML. */
private[chat] object Page {
  val html: String =
    """<!doctype html>
      |<html lang="en">
      |<meta charset="utf-8">
      |<meta name="viewport" content="width=device-width, initial-scale=1">
      |<title>Chat</title>
      |<style>
      |body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
      |#log { border: 1px solid #999; height: 20rem; overflow-y: auto; padding: .5rem; white-space: pre-wrap }
      |form { display: flex; gap: .5rem; margin: .5rem 0 }
      |input { flex: 1; font: inherit }
      |</style>
      |<h1>Chat</h1>
      |<form id="enter">
      |  <input id="room" aria-label="Room" value="lobby" maxlength="32" required>
      |  <input id="name" aria-label="Your name" placeholder="Your name" maxlength="32" required>
      |  <button>Enter</button>
      |</form>
      |<div id="log" role="log"></div>
      |<form id="say"><input id="text" aria-label="Message" maxlength="1000" disabled><button disabled>Say</button></form>
      |<script>
      |const by = id => document.getElementById(id)
      |let socket = null
      |function show(text) {
      |  const line = document.createElement('div')
      |  line.textContent = text
      |  by('log').append(line)
      |  by('log').scrollTop = by('log').scrollHeight
      |}
      |function allow(open) {
      |  by('text').disabled = by('say').querySelector('button').disabled = !open
      |}
      |by('enter').onsubmit = event => {
      |  event.preventDefault()
      |  if (socket) { socket.onclose = null; socket.close() }
      |  by('log').replaceChildren()
      |  const at = '/chat/' + encodeURIComponent(by('room').value) + '?name=' + encodeURIComponent(by('name').value)
      |  socket = new WebSocket(location.origin.replace('http', 'ws') + at)
      |  socket.onopen = () => { allow(true); by('text').focus() }
      |  socket.onmessage = event => show(event.data)
      |  socket.onclose = event => { allow(false); show('* closed ' + event.code + ' ' + event.reason) }
      |}
      |by('say').onsubmit = event => {
      |  event.preventDefault()
      |  if (by('text').value) socket.send(by('text').value)
      |  by('text').value = ''
      |}
      |</script>
      |</html>
      |""".stripMargin
}
