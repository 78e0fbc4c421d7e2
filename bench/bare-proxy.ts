/**
 * The minimum of a proxy on Node: reads the body, forwards it, relays the response. The product's own cost is what it
 * uses beyond this. bare-proxy.ts <port of the upstream>      prints "port N"
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';

const pool = new Pool(`http://127.0.0.1:${process.argv[2]}`, { connections: null, headersTimeout: 0, bodyTimeout: 0 });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => forward(request, Buffer.concat(chunks), response));
});

function forward(request: IncomingMessage, body: Buffer, response: ServerResponse): void {
  let controller: Dispatcher.DispatchController | undefined;
  response.on('close', () => {
    if (!response.writableFinished) controller?.abort(new Error('the client left'));
  });
  pool.dispatch(
    {
      path: request.url ?? '/',
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'content-length': String(body.length),
        authorization: request.headers.authorization ?? '',
      },
      body,
    },
    {
      onRequestStart(started) {
        controller = started;
      },
      onResponseStart(_controller, status, headers) {
        response.writeHead(status, {
          'content-type': String(headers['content-type']),
          ...(headers['content-length'] === undefined ? {} : { 'content-length': String(headers['content-length']) }),
        });
      },
      onResponseData(answering, chunk) {
        if (response.write(chunk)) return;
        answering.pause();
        response.once('drain', () => answering.resume());
      },
      onResponseEnd() {
        response.end();
      },
      onResponseError() {
        response.destroy();
      },
    },
  );
}

server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`port ${address.port}`);
});
