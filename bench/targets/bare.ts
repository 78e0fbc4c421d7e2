import { join } from 'node:path';
import { startServer } from '../processes.ts';
import type { Target } from './target-and-requests.ts';

export async function startBareProxy(upstreamPort: number): Promise<Target> {
  const script = join(import.meta.dirname, '../bare-proxy.ts');
  const args = ['--max-semi-space-size=64', script, String(upstreamPort)];
  const server = await startServer(process.execPath, args);
  return { name: 'bare proxy', headers: { authorization: 'Bearer bench' }, ...server };
}
