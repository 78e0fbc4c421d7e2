/** A line to a server that a test can cut, and mend again. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../../../tests/listen.ts';

export interface FaultyProxy {
  /** The server's address over this line. */
  url: string;
  /** Ends what runs over it, and takes nothing on. */
  cut(): void;
  /** Takes everything and passes nothing on, as a machine that is gone. */
  hang(): void;
  /** Passes each commit on, and ends its connection in place of the answer. */
  loseCommits(): void;
  /** Whoever comes anew gets through; what hangs does so for good, as after a firewall forgot of it. */
  acceptNew(): void;
  restore(): void;
  close(): Promise<void>;
}

/** As a client of PostgreSQL says it: a word that ends with a zero. */
const COMMIT = 'commit\0';

export async function startFaultyProxy(url: string): Promise<FaultyProxy> {
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const pairs = new Set<readonly [Socket, Socket]>();
  let isCut = false;
  let hangs = false;
  let losesCommits = false;
  const pass = ([near, far]: readonly [Socket, Socket]): void => void near.pipe(far).pipe(near);
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const server = createServer((near) => {
    keep(near);
    if (isCut) return void near.destroy();
    const far = connect(Number(port), hostname);
    keep(far);
    const pair = [near, far] as const;
    pairs.add(pair);
    near.on('data', (said: Buffer) => {
      if (!losesCommits || !said.includes(COMMIT)) return;
      far.unpipe(near).once('data', () => near.destroy());
      far.resume();
    });
    if (!hangs) pass(pair);
    near.on('close', () => {
      pairs.delete(pair);
      far.destroy();
    });
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
    hang() {
      hangs = true;
      for (const [near, far] of pairs) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    loseCommits() {
      losesCommits = true;
    },
    acceptNew() {
      hangs = false;
    },
    restore() {
      isCut = false;
      losesCommits = false;
      if (hangs) pairs.forEach(pass);
      hangs = false;
    },
    async close() {
      end();
      await new Promise((done) => server.close(done));
    },
  };
}
