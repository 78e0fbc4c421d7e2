import type { LogEvent } from '@switchyard/contract/operations/system-info';
import { expect, test } from 'vitest';
import { createLogTail, type LogTail } from './log-tail.ts';

const line = (message: string, more: object = {}): string =>
  `${JSON.stringify({ level: 30, time: '2026-01-10T12:00:00.000Z', ...more, msg: message })}\n`;

function filled(count: number): LogTail {
  const tail = createLogTail();
  for (let i = 1; i <= count; i += 1) tail.write(line(`line ${i}`));
  return tail;
}

async function take(events: AsyncGenerator<LogEvent, void>, count: number): Promise<LogEvent[]> {
  const taken: LogEvent[] = [];
  while (taken.length < count) {
    const next = await events.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

test('returns earlier lines, then new ones', async () => {
  const tail = filled(2);
  const events = tail.follow(1, AbortSignal.timeout(5_000));
  expect(await take(events, 1)).toEqual([
    {
      event: 'line',
      line: { number: 2, time: Date.UTC(2026, 0, 10, 12), level: 'info', message: 'line 2', detail: '' },
    },
  ]);
  const next = take(events, 1);
  tail.write(line('later', { level: 50, job: 'x' }));
  expect(await next).toMatchObject([{ line: { level: 'error', message: 'later', detail: '{"job":"x"}' } }]);
});

test('retains two thousand lines, and reports how many were dropped', async () => {
  const tail = filled(2_500);
  expect(tail.text().split('\n')).toHaveLength(2_001);
  const [missed, first] = await take(tail.follow(100, AbortSignal.timeout(5_000)), 2);
  expect(missed).toEqual({ event: 'missed', count: 400 });
  expect(first).toMatchObject({ line: { number: 501 } });
});

test('skips lines for a slow reader and reports their number, without using more memory', async () => {
  const tail = createLogTail();
  const events = tail.follow(0, AbortSignal.timeout(5_000));
  const first = take(events, 1);
  tail.write(line('first'));
  await first;
  for (let i = 0; i < 5_000; i += 1) tail.write(line('flood'));
  const read = await take(events, 2_001);
  expect(read.slice(0, 2_000).every(({ event }) => event === 'line')).toBe(true);
  expect(read[2_000]).toEqual({ event: 'missed', count: 3_000 });
});

test('a line as long as a book is cut', () => {
  const tail = createLogTail();
  tail.write(line('x'.repeat(100_000)));
  expect(tail.text().length).toBeLessThan(8_100);
});

test('restarts its numbers after a restart, ends with the signal and the server, and limits readers', async () => {
  const tail = filled(3);
  expect(await take(tail.follow(999, AbortSignal.timeout(5_000)), 1)).toMatchObject([{ line: { number: 1 } }]);
  const disconnect = new AbortController();
  const waiting = Array.from({ length: 7 }, () => take(tail.follow(3, disconnect.signal), 1));
  expect(() => tail.follow(3, AbortSignal.timeout(5_000))).toThrow(
    '8 users are following the log, which is the limit. Try again in a minute.',
  );
  disconnect.abort();
  expect(await Promise.all(waiting)).toEqual(Array.from({ length: 7 }, () => []));
  const last = take(tail.follow(3, AbortSignal.timeout(5_000)), 1);
  tail.close();
  expect(await last).toEqual([]);
});
