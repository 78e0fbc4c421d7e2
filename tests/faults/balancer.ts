/**
 * Distributes connections over nodes like a load balancer that checks `/readyz`: a node that is not ready gets no new
 * connections, and the next node is tried if one cannot be reached.
 */
import { connect, createServer, type Socket } from 'node:net';
import { listen } from '../listen.ts';

const CHECK_MS = 200;
const CHECK_TIMEOUT_MS = 1_000;

export interface Balancer {
  url: string;
  /** @param nodes addresses of the nodes; undefined while a node is down */
  nodes: (string | undefined)[];
  close(): Promise<void>;
}

export async function startBalancer(nodes: (string | undefined)[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  const resting = new Set<string>();
  let turn = 0;

  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
  };
  const inTurn = (): string[] => {
    turn += 1;
    const known = [...nodes.slice(turn % nodes.length), ...nodes.slice(0, turn % nodes.length)];
    const urls = known.filter((url) => url !== undefined);
    return [...urls.filter((url) => !resting.has(url)), ...urls.filter((url) => resting.has(url))];
  };
  const pass = (near: Socket, [url, ...others]: readonly string[]): void => {
    if (url === undefined) return void near.destroy();
    const far = connect(Number(new URL(url).port), '127.0.0.1');
    keep(far);
    let isConnected = false;
    far.on('connect', () => {
      isConnected = true;
      near.pipe(far).pipe(near);
    });
    far.on('close', () => (isConnected ? near.destroy() : pass(near, others)));
    near.on('close', () => far.destroy());
  };
  const server = createServer((near) => {
    keep(near);
    pass(near, inTurn());
  });
  const look = async (url: string): Promise<void> => {
    const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(CHECK_TIMEOUT_MS) }).catch(
      () => undefined,
    );
    if (answer?.ok === true) resting.delete(url);
    else resting.add(url);
  };
  const timer = setInterval(() => {
    for (const url of nodes) if (url !== undefined) void look(url);
  }, CHECK_MS);

  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    nodes,
    async close() {
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
