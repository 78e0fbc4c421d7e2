import { createServer } from 'node:net';
import { listen } from './listen.ts';

/** Of this machine, free a moment ago: for a program that is told where to listen. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((closed) => server.close(closed));
  return port;
}
