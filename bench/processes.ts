/** Starts programs and databases for a measurement and reads their resources from the operating system. */
import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type DatabaseServer, openPostgresPool, startPostgres } from '../apps/server/src/testing/database-server.ts';
import { type RedisServer, startRedis } from '../apps/server/src/testing/redis-server.ts';

/** Part of the measurement that is impossible on this machine; the message says why. */
export class ScenarioSkippedError extends Error {}

export interface Program {
  pid: number;
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts a program and waits for a line `port N` on its output. */
export async function startServer(command: string, args: readonly string[]): Promise<Program & { port: number }> {
  const { child, program } = start(command, args, {});
  const port = await new Promise<number>((resolve, reject) => {
    let output = '';
    let errors = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      const found = /port (\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(Number(found));
    });
    child.stderr?.on('data', (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-4_000)));
    child.once('close', (code) => reject(new Error(`${command} ended with ${code}: ${output}${errors}`)));
  });
  return { ...program, port };
}

/** Starts a program that listens on a given port of 127.0.0.1 and waits until it does. */
export async function startServerOn(
  port: number,
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Program & { port: number }> {
  const { child, program } = start(command, args, env);
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
  child.stderr?.on('data', (chunk: Buffer) => (output = (output + chunk.toString()).slice(-4_000)));
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if (child.exitCode !== null) throw new ScenarioSkippedError(`${command} ended with ${child.exitCode}: ${output}`);
    if (await isListening(port)) return { ...program, port };
    await pause(50);
  }
  await program.stop();
  throw new ScenarioSkippedError(`${command} did not listen in time: ${output}`);
}

function start(command: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], NODE_ENV: 'production', ...env },
  });
  running.add(child);
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => {
      running.delete(child);
      resolve();
    });
  });
  const program: Program = {
    pid: child.pid ?? 0,
    async stop() {
      child.kill('SIGKILL');
      await gone;
    },
  };
  return { child, program };
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Runs a program to its end and returns its output. */
export function run(
  command: string,
  args: readonly string[],
  cwd?: string,
): Promise<{ output: string; errors: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...(cwd === undefined ? {} : { cwd }) });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve({ output, errors });
      else reject(new Error(`${command} ended with ${code}: ${errors.slice(-2_000)}`));
    });
  });
}

const CLOCK_TICKS_PER_SECOND = 100;

/** CPU seconds that a process and its children have used, including ended ones. Linux only. */
export function cpuSeconds(pid: number): number {
  const fields = procStat(pid).split(' ');
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / CLOCK_TICKS_PER_SECOND;
  return childrenOf(pid).reduce((sum, child) => sum + cpuSeconds(child), own);
}

/** Memory of a process and its children that is in RAM. Linux only. */
export function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return childrenOf(pid).reduce((sum, child) => sum + residentBytes(child), Number(kilobytes) * 1024);
}

/** The fields after the program's name, which may hold spaces. */
function procStat(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number),
  );
}

/** The servers that nodes share. */
export interface Servers {
  postgres: DatabaseServer;
  redis: RedisServer;
  /** Connection for queries to PostgreSQL; the measurement includes its cost, a few milliseconds of a round. */
  client: ReturnType<typeof openPostgresPool>;
  close(): Promise<void>;
}

/** Starts PostgreSQL and Redis. @throws ScenarioSkippedError if one of the servers is not installed */
export async function startServers(): Promise<Servers> {
  const postgres = await startPostgres('durable');
  const redis = await startRedis();
  if (postgres === undefined || redis === undefined)
    throw new ScenarioSkippedError(
      'PostgreSQL or Redis is not installed (Debian: apt-get install postgresql redis-server)',
    );
  const client = openPostgresPool(postgres.uri);
  return {
    postgres,
    redis,
    client,
    async close() {
      await client.end();
      await redis.close();
      await postgres.close();
    },
  };
}
