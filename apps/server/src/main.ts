/** Starts the server on a Node.js that can run it. An older one lacks functions that the server's modules import. */
import { requireSupportedNode } from './platform/node-version.ts';

requireSupportedNode('npm start');
const { startServer } = await import('./start-server.ts');
await startServer();
