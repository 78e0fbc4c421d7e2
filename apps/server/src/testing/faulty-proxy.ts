/** Proxy in front of a server that a test can interrupt and restore. */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../../../../tests/listen.ts';

export interface FaultyProxy {
  /** Address of the server through this proxy. */
  url: string;
  /** Closes all connections and rejects new ones. */
  cut(): void;
  /** Accepts data and forwards nothing, like an unreachable machine. */
  hang(): void;
  /** Forwards each commit, and closes its connection instead of the response. */
  loseCommits(): void;
  /** Accepts new connections. Hanging ones stay so, like after a firewall dropped their state. */
  acceptNew(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Commit message of a PostgreSQL client: text that ends with a zero byte. */
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
