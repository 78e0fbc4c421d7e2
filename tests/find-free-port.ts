import { createServer } from 'node:net';
import { listen } from './listen.ts';

/** Returns a port of this machine that was just free, for a program that needs it as an argument. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((closed) => server.close(closed));
  return port;
}
