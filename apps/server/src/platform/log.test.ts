import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { createLog, createRepeatedErrorLog } from './log.ts';
import { createLogTail } from './log-tail.ts';

const KEY = 'sk-live0123456789abcdef';

function printed(...entry: [object, string]): string {
  const lines: string[] = [];
  const tail = createLogTail();
  createLog('debug', { write: (line) => void lines.push(line) }, tail).warn(...entry);
  expect(tail.text()).toBe(lines.join(''));
  return lines.join('');
}

test.each([
  ['a field named like a secret', { token: KEY }],
  ['one of several spellings', { 'X-Api-Key': KEY, clientSecret: KEY, 'Set-Cookie': KEY, newPassword: KEY }],
  ['one deep inside', { a: { b: { c: { d: [{ api_key: 'plain-looking' }] } } } }],
  ['one that is no text', { credentials: { user: 'plain-looking' } }],
  ['a text among others', { note: ['one', `was ${KEY}`] }],
  ['a bearer token', { header: 'Authorization: Bearer plain-looking-value' }],
  ['an address', { url: `https://a.example/v1?model=x&key=plain-looking#token=plain-looking` }],
  ['the user of an address', { at: 'socks5://user:plain-looking@10.0.0.1:1080' }],
  ['a bot’s address', { url: 'https://api.telegram.org/bot123456:plain-looking/getMe' }],
  ['an error and its cause', { err: new Error(`refused ${KEY}`, { cause: new Error(`by ${KEY}`) }) }],
])('prints no secret in %s', (_where, fields) => {
  const line = printed(fields, `and in the message ${KEY}, Bearer plain-looking-value`);
  expect(line).not.toMatch(/live0123|plain-looking/);
  expect(line).toContain('[redacted]');
  expect(JSON.parse(line)).toMatchObject({ level: 40 });
});

test('leaves everything else as it is', () => {
  const fields = { request_id: 'req_1', tokens: 5, keys: ['a'], url: 'https://a.example/v1?model=x' };
  expect(JSON.parse(printed(fields, 'the task is done'))).toMatchObject({ ...fields, msg: 'the task is done' });
});

test('a repeated error is logged at once, and then once a minute with its count', () => {
  const lines: string[] = [];
  const clock = createTestClock(0);
  const log = createLog('info', { write: (line) => void lines.push(line) });
  const logError = createRepeatedErrorLog(log, clock);
  const entries = () => lines.splice(0).map((line): Record<string, unknown> => JSON.parse(line));
  for (let nth = 0; nth < 500; nth += 1) logError({ nth }, 'a write failed');
  logError({}, 'another write failed');
  expect(entries()).toMatchObject([{ nth: 0, msg: 'a write failed' }, { msg: 'another write failed' }]);
  clock.advance(60);
  expect(entries()).toMatchObject([{ repeated: 499, msg: 'a write failed' }]);
  logError({ nth: 500 }, 'a write failed');
  expect(entries()).toMatchObject([{ nth: 500, msg: 'a write failed' }]);
  clock.advance(60);
  expect(entries()).toEqual([]);
});

const LOG = join(import.meta.dirname, 'log.ts');

/** Starts a process that logs to stdout as the server does, and then runs these statements. */
function startLogging(stdout: number | 'pipe', statements: string) {
  const script = `import { createLog, createStdoutDestination } from ${JSON.stringify(LOG)};
    const log = createLog('info', createStdoutDestination());
    ${statements}`;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], {
    stdio: ['ignore', stdout, 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test.runIf(process.platform === 'linux')(
  'a log on a full disk neither ends the process nor keeps it from ending',
  async () => {
    const full = openSync('/dev/full', 'w');
    onTestFinished(() => closeSync(full));
    const child = startLogging(
      full,
      `for (let nth = 0; nth < 20_000; nth += 1) log.info({ nth, text: 'x'.repeat(1_000) }, 'a line');
    setTimeout(() => process.exit(7), 300);`,
    );
    expect(await once(child, 'exit')).toEqual([7, null]);
  },
);

test('a reader that stops for a while gets the first lines, and the number of those that found no room', async () => {
  const child = startLogging(
    'pipe',
    `for (let nth = 0; nth < 20_000; nth += 1) log.info({ nth, text: 'x'.repeat(1_000) }, 'a line');
    setTimeout(() => log.info({ nth: 20_000, text: 'x'.repeat(1_000) }, 'a line'), 200);
    setTimeout(() => console.error('nothing fits any more'), 300);`,
  );
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('the outputs are no pipes');
  await once(stderr, 'data');
  const chunks: Buffer[] = [];
  stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  const printed = Buffer.concat(chunks).toString().trimEnd().split('\n');
  const entries = printed.map((line): Record<string, unknown> => JSON.parse(line));
  const kept = entries.filter(({ level }) => level === 30).map(({ nth }) => Number(nth));
  expect(kept).toEqual(kept.toSorted((a, b) => a - b));
  expect(kept.slice(0, 1_000)).toEqual(Array.from({ length: 1_000 }, (_, index) => index));
  const dropped = entries.filter(({ level }) => level === 40).map(({ lines }) => Number(lines));
  expect(kept.length + dropped.reduce((sum, count) => sum + count, 0)).toBe(20_001);
  expect(dropped.length).toBeGreaterThan(0);
});
