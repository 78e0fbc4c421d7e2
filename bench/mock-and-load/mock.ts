/** The measured upstream in Node, for machines without a C compiler; see mock.c. */
import { createServer, type Socket } from 'node:net';
import { type Dialect, dialectOf } from './canned-responses.ts';

const TICK_MS = 5;
const BURST_BYTES = 200 * 1024 * 1024;

const paced = new Map<Socket, { dialect: Dialect; next: number }>();

const server = createServer({ noDelay: true }, (socket) => {
  let input = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('close', () => paced.delete(socket));
  socket.on('data', (bytes) => {
    input = input.length === 0 ? bytes : Buffer.concat([input, bytes]);
    const end = input.indexOf('\r\n\r\n');
    if (end === -1) return;
    const head = input.toString('latin1', 0, end);
    const length = Number(/\r\ncontent-length:\s*(\d+)/i.exec(head)?.[1] ?? 0);
    if (input.length < end + 4 + length) return;
    const request = input.toString('latin1');
    input = Buffer.alloc(0);
    answer(socket, dialectOf(head.slice(0, head.indexOf('\r'))), request);
  });
});

function answer(socket: Socket, dialect: Dialect, request: string): void {
  if (!/"stream": ?true|:streamGenerateContent/.test(request)) {
    socket.write(request.includes('bench-unreported') ? dialect.unreported : dialect.whole);
    return;
  }
  socket.write(dialect.head);
  if (request.includes('bench-idle')) socket.write(Buffer.concat(dialect.pieces.slice(0, 4)));
  else if (request.includes('bench-paced')) paced.set(socket, { dialect, next: 0 });
  else if (request.includes('bench-burst')) burst(socket, dialect.pieces[3] ?? Buffer.alloc(0));
  else socket.write(Buffer.concat(dialect.pieces));
}

function burst(socket: Socket, piece: Buffer): void {
  const block = Buffer.concat(Array.from({ length: Math.ceil(65_536 / piece.length) }, () => piece));
  let left = BURST_BYTES;
  const more = (): void => {
    while (left > 0) {
      left -= block.length;
      if (!socket.write(block)) {
        socket.once('drain', more);
        return;
      }
    }
    socket.write('0\r\n\r\n');
  };
  more();
}

setInterval(() => {
  for (const [socket, state] of paced) {
    const piece = state.dialect.pieces[state.next];
    state.next += 1;
    if (state.next === state.dialect.pieces.length) paced.delete(socket);
    if (piece !== undefined) socket.write(piece);
  }
}, TICK_MS);

server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') console.log(`port ${address.port}`);
});
