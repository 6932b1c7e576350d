// Node's own http module, one process.
'use strict';
const http = require('http');

const hello = Buffer.from('Hello, World!');

const server = http.createServer((request, response) => {
  switch (request.url) {
    case '/plaintext':
      response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': hello.length, Server: 'node' });
      response.end(hello);
      break;
    case '/json': {
      const body = JSON.stringify({ message: 'Hello, World!' });
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': body.length, Server: 'node' });
      response.end(body);
      break;
    }
    case '/echo': {
      const headers = { 'Content-Type': request.headers['content-type'] || 'application/octet-stream', Server: 'node' };
      if (request.headers['content-length']) headers['Content-Length'] = request.headers['content-length'];
      response.writeHead(200, headers);
      request.pipe(response);
      break;
    }
    default:
      response.writeHead(404, { 'Content-Length': 0 });
      response.end();
  }
});

// The default ends a connection after five seconds without a request, which the loads with many connections would meet.
server.keepAliveTimeout = 60000;
server.listen({ host: '127.0.0.1', port: Number(process.env.PORT), backlog: 4096 });
