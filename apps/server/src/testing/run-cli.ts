/** Runs the operator's commands for tests, in this process or as a separate one. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import { runCommand } from '../tools/cli/run-command.ts';

export interface CliResult {
  status: number;
  stdout: string;
  stderr: string;
  /** Both streams, in the order of arrival. */
  output: string;
}

/** Complete environment of a command. */
export type CliEnvironment = Readonly<Record<string, string>>;

const CLI = join(import.meta.dirname, '../cli.ts');

/** Runs a command like `cli.ts`, without the second that a process takes to start. Only one may run at a time. */
export async function runCli(words: readonly string[], variables: CliEnvironment): Promise<CliResult> {
  const result = { stdout: '', stderr: '', output: '' };
  const into = (stream: 'stdout' | 'stderr') => (text: unknown) => {
    result[stream] += String(text);
    result.output += String(text);
    return true;
  };
  const lineInto = (stream: 'stdout' | 'stderr') => (line: unknown) => void into(stream)(`${String(line)}\n`);
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(lineInto('stdout')),
    vi.spyOn(console, 'error').mockImplementation(lineInto('stderr')),
    vi.spyOn(process.stdout, 'write').mockImplementation(into('stdout')),
  ];
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  try {
    return { status: await runCommand(words, variables), ...result };
  } finally {
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
  }
}

/** Runs a command as a process, which must exit without a signal. */
export async function spawnCli(words: readonly string[], variables: CliEnvironment): Promise<CliResult> {
  const cache = { NODE_COMPILE_CACHE: join(tmpdir(), 'switchyard-compile-cache') };
  const child = spawn(process.execPath, [CLI, ...words], { env: { ...cache, ...variables } });
  const result = { stdout: '', stderr: '', output: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].on('data', (part) => {
      result[stream] += String(part);
      result.output += String(part);
    });
  const [status] = await once(child, 'close');
  return { status: Number(status), ...result };
}
