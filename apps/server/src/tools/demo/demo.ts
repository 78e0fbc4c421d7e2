/** Starts the demonstration on a Node.js that can run it, as `main.ts` starts the server. */
import { requireSupportedNode } from '../../platform/node-version.ts';

requireSupportedNode('npm run demo');
const { startDemo } = await import('./start-demo.ts');
await startDemo();
