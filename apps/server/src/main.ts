/** Starts the server on a Node.js that can run it. An older one lacks functions that the server's modules import. */
import { isNodeSupported, NODE_MIN } from './platform/node-version.ts';

if (!isNodeSupported(process.versions.node)) {
  console.error(
    `Switchyard needs Node.js ${NODE_MIN} or later; this is ${process.versions.node}. Start it with: npm start`,
  );
  process.exit(1);
}
const { startServer } = await import('./start-server.ts');
await startServer();
