import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const urlOf = (name: string): string => pathToFileURL(join(import.meta.dirname, name)).href;

/** Program whose thread runs `work` when the process ends itself with the exit code 3. */
const buildProgram = (work: string): string => `
  import { Worker } from 'node:worker_threads';
  import { systemTimers } from '${urlOf('clock.ts')}';
  import { exitProcess, registerThread } from '${urlOf('exit-with-sqlite-threads.ts')}';
  const thread = registerThread(new Worker(${JSON.stringify(work)}, { eval: true, execArgv: [] }));
  thread.once('message', () => exitProcess(systemTimers, { warn: (text) => console.log(text) }, 3));
`;

const BEGIN = `require('node:worker_threads').parentPort.postMessage('begun');`;
/** Takes hours, and is interrupted by nothing. */
const ENDLESS_STATEMENT = `
  const { DatabaseSync } = require('node:sqlite');
  const statement = new DatabaseSync(':memory:').prepare(
    'with recursive n(i) as (select 1 union all select i + 1 from n where i < 1e12) select count(*) from n');
  ${BEGIN}
  statement.get();
`;

test.each([
  ['waits for work', `${BEGIN} require('node:worker_threads').parentPort.on('message', () => {});`, 3, null, ''],
  ['runs JavaScript that does not end', `${BEGIN} for (;;);`, 3, null, ''],
  ['has ended', BEGIN, 3, null, ''],
  ['is within a statement of SQLite', ENDLESS_STATEMENT, null, 'SIGKILL', /^the process kills itself/],
])('ends a process whose thread %s', async (_what, work, code, signal, output) => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', buildProgram(work)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (part) => {
    printed += String(part);
  });
  expect(await once(child, 'close')).toEqual([code, signal]);
  if (typeof output === 'string') expect(printed).toBe(output);
  else expect(printed).toMatch(output);
});
