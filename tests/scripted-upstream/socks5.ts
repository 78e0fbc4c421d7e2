/**
 * SOCKS5 proxy on 127.0.0.1 that requires a user and a password (RFC 1928, RFC 1929) and counts its traffic. Names
 * that end with `.test` resolve to this machine.
 */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../listen.ts';

export interface Socks5Proxy {
  url: string;
  readonly connections: number;
  /** Names that it was asked to resolve. */
  readonly names: readonly string[];
  close(): void;
}

export async function startSocks5Proxy(user: string, password: string): Promise<Socks5Proxy> {
  let connections = 0;
  const names: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    greet(socket, user, password, (name) => {
      connections += 1;
      if (name !== undefined) names.push(name);
    });
  });
  const port = await listen(server);
  return {
    url: `socks5://${user}:${password}@127.0.0.1:${port}`,
    get connections() {
      return connections;
    },
    names,
    close: () => server.close(),
  };
}

type OnConnect = (name: string | undefined) => void;

function greet(socket: Socket, user: string, password: string, onConnect: OnConnect): void {
  socket.once('data', () => {
    socket.write(Buffer.from([5, 2]));
    socket.once('data', (login) => {
      const userLength = login[1] ?? 0;
      const name = login.toString('utf8', 2, 2 + userLength);
      const secret = login.toString('utf8', 3 + userLength);
      const isKnown = name === user && secret === password;
      socket.write(Buffer.from([1, isKnown ? 0 : 1]));
      if (!isKnown) return socket.end();
      return socket.once('data', (request) => forward(socket, request, onConnect));
    });
  });
}

function forward(socket: Socket, request: Buffer, onConnect: OnConnect): void {
  const isName = request[3] === 3;
  const length = isName ? (request[4] ?? 0) : 4;
  const start = isName ? 5 : 4;
  const host = isName
    ? request.toString('utf8', start, start + length)
    : [...request.subarray(start, start + 4)].join('.');
  const address = host.endsWith('.test') ? '127.0.0.1' : host;
  const target = connect(request.readUInt16BE(start + length), address, () => {
    onConnect(isName ? host : undefined);
    socket.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]));
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => socket.destroy());
}
