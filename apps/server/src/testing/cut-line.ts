/** A line to a server that a test can cut, and mend again. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../../../tests/listen.ts';

export interface CutLine {
  /** The server's address over this line. */
  url: string;
  /** Ends what runs over it, and takes nothing on. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

export async function startCutLine(url: string): Promise<CutLine> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    keep(far);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
    far.on('close', () => near.destroy());
  });
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: Object.assign(new URL(url), { port: String(await listen(server)) }).href,
    cut() {
      isCut = true;
      end();
    },
    mend: () => (isCut = false),
    async close() {
      end();
      await new Promise((done) => server.close(done));
    },
  };
}
