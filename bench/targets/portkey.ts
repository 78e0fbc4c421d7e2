import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../tests/find-free-port.ts';
import { run, ScenarioSkippedError, startServerOn } from '../processes.ts';
import type { Target } from './target-and-requests.ts';

const folder = join(import.meta.dirname, '..');
const script = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js');

/** Portkey's open-source gateway on the Node of the measurement; installed at the first use. */
export async function startPortkey(upstreamPort: number): Promise<Target> {
  await install();
  const port = await findFreePort();
  const server = await startServerOn(
    port,
    process.execPath,
    ['--max-semi-space-size=64', script, `--port=${port}`, '--headless'],
    { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
  );
  const headers = {
    authorization: 'Bearer bench',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
  };
  return { name: 'Portkey', headers, ...server };
}

async function install(): Promise<void> {
  if (existsSync(script)) return;
  try {
    await run('npm', ['ci', '--ignore-scripts', '--workspaces=false'], folder);
  } catch (error) {
    throw new ScenarioSkippedError(
      `Portkey could not be installed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
