/** Other proxies with which the gateway is compared: a minimal one on Node, nginx and Portkey. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findFreePort } from '../../tests/find-free-port.ts';
import { run, ScenarioSkippedError, startServer, startServerOn } from '../processes.ts';
import type { Target } from './target-and-requests.ts';

const benchFolder = join(import.meta.dirname, '..');
const portkeyScript = join(benchFolder, 'node_modules/@portkey-ai/gateway/build/start-server.js');

const nginxPlaces = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx', '/opt/homebrew/bin/nginx'];

export async function startBareProxy(upstreamPort: number): Promise<Target> {
  const script = join(benchFolder, 'bare-proxy.ts');
  const args = ['--max-semi-space-size=64', script, String(upstreamPort)];
  const server = await startServer(process.execPath, args);
  return { name: 'bare proxy', headers: { authorization: 'Bearer bench' }, ...server };
}

/** One worker that forwards everything over kept connections: the practical limit of a proxy. */
export async function startNginx(upstreamPort: number, folder: string): Promise<Target> {
  const program = nginxPlaces.find((place) => existsSync(place));
  if (program === undefined)
    throw new ScenarioSkippedError('nginx is not installed (Debian: apt-get install nginx-light)');
  const port = await findFreePort();
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nginx.conf');
  writeFileSync(file, configureNginx(port, upstreamPort, folder));
  const server = await startServerOn(port, program, ['-c', file, '-p', folder, '-e', join(folder, 'error.log')]);
  return { name: 'nginx', headers: { authorization: 'Bearer bench' }, ...server };
}

function configureNginx(port: number, upstreamPort: number, folder: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'error.log')} crit;
worker_rlimit_nofile 65536;
events { worker_connections 20000; }
http {
  access_log off;
  ${temporary.map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n  ')}
  keepalive_requests 1000000000;
  upstream mock { server 127.0.0.1:${upstreamPort}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port} backlog=16384;
    client_body_buffer_size 64k;
    location / {
      proxy_pass http://mock;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
      proxy_read_timeout 600s;
    }
  }
}
`;
}

/** Portkey's open-source gateway on the Node of the measurement; installed at the first use. */
export async function startPortkey(upstreamPort: number): Promise<Target> {
  await installPortkey();
  const port = await findFreePort();
  const server = await startServerOn(
    port,
    process.execPath,
    ['--max-semi-space-size=64', portkeyScript, `--port=${port}`, '--headless'],
    { TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost' },
  );
  const headers = {
    authorization: 'Bearer bench',
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
  };
  return { name: 'Portkey', headers, ...server };
}

async function installPortkey(): Promise<void> {
  if (existsSync(portkeyScript)) return;
  try {
    await run('npm', ['ci', '--ignore-scripts', '--workspaces=false'], benchFolder);
  } catch (error) {
    throw new ScenarioSkippedError(
      `Portkey could not be installed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}
