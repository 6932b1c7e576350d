// Node's tls as a client: PORT, the PORT that requires client certificates, those of a server whose certificate has expired
// and of one whose is revoked, and the folder with the certificates. Prints what it says of what is refused.
const assert = require('assert')
const fs = require('fs')
const tls = require('tls')

const [port, clientsPort, oldPort, withdrawnPort, folder] = process.argv.slice(2)
const file = name => fs.readFileSync(`${folder}/${name}`)
const request = 'GET /plaintext HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'

// Asks for /plaintext. The result has the facts of the connection, its session and the answer.
function ask (options) {
  return new Promise((resolve, reject) => {
    const facts = { answer: '' }
    const socket = tls.connect({ host: '127.0.0.1', port, servername: 'localhost', ca: file('ca.pem'), ...options }, () => {
      facts.version = socket.getProtocol()
      facts.alpn = socket.alpnProtocol
      facts.isResumed = socket.isSessionReused()
      facts.subject = socket.getPeerCertificate().subject?.CN // none if it is resumed
      socket.write(request)
    })
    socket.setTimeout(20000, () => socket.destroy(new Error('nothing came for 20 s')))
    socket.on('session', session => { facts.session = session })
    socket.on('data', data => { facts.answer += data })
    socket.on('error', reject)
    socket.on('close', () => resolve(facts))
  })
}

async function asked (options, port) {
  const facts = await ask(options, port)
  assert.match(facts.answer, /^HTTP\/1.1 200 [^]*Hello, World!$/)
  return facts
}

async function refused (options, code, what) {
  await assert.rejects(ask(options), error => {
    assert.match(`${error.code} ${error.message}`, code)
    if (what) console.log(`${options.minVersion}, ${what}: ${error.code}, ${error.reason ?? error.message}`)
    return true
  })
}

async function judge () {
  for (const version of ['TLSv1.2', 'TLSv1.3']) {
    const by = { minVersion: version, maxVersion: version }
    const first = await asked(by)
    assert.strictEqual(first.version, version)
    assert(!first.isResumed && !first.alpn)
    for (let n = 0; n < 3; n++) assert((await asked({ ...by, session: first.session })).isResumed, `${version} is not resumed`)
    assert.strictEqual((await asked({ ...by, ALPNProtocols: ['h2', 'http/1.1'] })).alpn, 'http/1.1')
    await refused({ ...by, ALPNProtocols: ['h2'] }, /NO_APPLICATION_PROTOCOL/)
    for (const name of ['shop.example', 'a.shop.example']) assert.strictEqual((await asked({ ...by, servername: name })).subject, 'shop')
    await refused({ ...by, servername: 'other.example' }, /ERR_TLS_CERT_ALTNAME_INVALID/)
    const clients = { ...by, port: clientsPort }
    await asked({ ...clients, cert: file('client.pem'), key: file('client.key') })
    await refused(clients, /CERTIFICATE_REQUIRED|BAD_CERTIFICATE|HANDSHAKE_FAILURE/, 'client certificate: none')
    for (const [name, alert] of [['stranger', 'UNKNOWN_CA'], ['expired', 'CERTIFICATE_EXPIRED'], ['revoked', 'CERTIFICATE_REVOKED'], ['weak', 'BAD_CERTIFICATE']]) {
      const own = { cert: file(`${name}.pem`), key: file(`${name}.key`) }
      await refused({ ...clients, ...own }, new RegExp(`${alert}|CERTIFICATE_UNKNOWN`), `client certificate: ${name}`)
    }
    await refused({ ...by, port: oldPort }, /CERT_HAS_EXPIRED/, "server's certificate: expired")
    const crl = file('ca.crl')
    await asked({ ...by, crl })
    await refused({ ...by, crl, port: withdrawnPort }, /CERT_REVOKED/, "server's certificate: revoked")
    await refused({ ...by, ca: file('others.pem') }, /UNABLE_TO_VERIFY_LEAF_SIGNATURE/, "server's certificate: unknown issuer")
  }
  await refused({ minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }, /PROTOCOL_VERSION/)
}

judge().catch(error => {
  console.error(error)
  process.exit(1)
})
