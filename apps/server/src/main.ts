/** Starts the server on a Node.js that can run it. An older one lacks functions that the server's modules import. */
import { setFlagsFromString } from 'node:v8';
import { requireSupportedNode } from './platform/node-version.ts';

requireSupportedNode('npm start');
// V8 would create objects of requests in the old generation, because others of the same kind live long (caches, rows of
// the configuration); each then keeps what it refers to in memory until a full collection.
setFlagsFromString('--no-allocation-site-pretenuring');
const { startServer } = await import('./start-server.ts');
await startServer();
