/** Third-party programs of deployments: installed ones, else Debian's packages, unpacked and not installed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { sleep, systemTimers } from '../../apps/server/src/platform/clock.ts';

const CACHE = join(import.meta.dirname, '../../node_modules/.cache/switchyard-deploy');
const DOWNLOAD_TIMEOUT_MS = 120_000;
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 60_000;
const STEP_MS = 50;

function findOnPath(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Path of the program, or undefined, with the reason printed. */
export function findProgram(name: string): string | undefined {
  const found = findOnPath(name);
  if (found === undefined) console.log(`Left out: ${name} is not on this machine`);
  return found;
}

/** A server of Debian's: unpacked only, because installing would start it. */
export function unpackDebianProgram(name: string): string | undefined {
  const unpacked = join(CACHE, name);
  const places = ['usr/sbin', 'usr/bin'].map((folder) => join(unpacked, folder, name));
  const own = places.find((path) => existsSync(path));
  if (own !== undefined) return own;
  if (!existsSync('/usr/bin/apt-get')) return findProgram(name);
  const installed = findOnPath(name);
  if (installed !== undefined) return installed;
  mkdirSync(unpacked, { recursive: true });
  const run = (program: string, ...parameters: string[]): void => {
    execFileSync(program, parameters, { cwd: unpacked, stdio: 'pipe', timeout: DOWNLOAD_TIMEOUT_MS });
  };
  console.log(`Unpacking Debian's ${name} into node_modules/.cache`);
  try {
    if (process.getuid?.() === 0) run('apt-get', 'update', '-qq');
    run('apt-get', 'download', name);
    const file = readdirSync(unpacked).find((entry) => entry.endsWith('.deb'));
    run('dpkg-deb', '-x', file ?? '', '.');
  } catch (error) {
    console.log(`Left out: ${name} could not be had: ${String(error).slice(0, 300)}`);
  }
  return places.find((path) => existsSync(path));
}

export interface RunningProgram {
  stop(): Promise<void>;
}

/** Waits until it listens. @throws with its output if it does not */
export async function startProgram(
  path: string,
  parameters: readonly string[],
  port: number,
  variables: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const child: ChildProcess = spawn(path, parameters, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], ...variables },
  });
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      child.kill('SIGKILL');
      throw new Error(`${path} does not listen:\n${output}`);
    }
    await sleep(systemTimers, STEP_MS);
  }
  return {
    async stop() {
      // nginx ends its child processes when it is asked to stop.
      child.kill('SIGTERM');
      const late = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(late);
    },
  };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
