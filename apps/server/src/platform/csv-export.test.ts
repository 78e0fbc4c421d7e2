import { startCpuTimer } from '@switchyard/relay/cpu-timer';
import { describe, expect, test } from 'vitest';
import { measureLongestBlockRepeatedly } from '../testing/measure-longest-block.ts';
import { createTestClock } from '../testing/test-clock.ts';
import type { Timers } from './clock.ts';
import { formatCsvLine, queueExport, streamCsv } from './csv-export.ts';
import { runAsReader } from './http/caller.ts';

test.each(['=1+1', '+1', '-1', '@x', '\t=1', '\r=1', '\n=1', '＝1', '＋1', '－1', '＠x'])(
  'a spreadsheet does not run %j',
  (text) => {
    expect(formatCsvLine([text]).replace(/^"/, '')).toMatch(/^'/);
  },
);

test('numbers and quotes are as RFC 4180 has them', () => {
  expect(formatCsvLine([-5, 'a "b", c', '名'])).toBe('-5,"a ""b"", c",名\r\n');
});

test('reads a long text of spaces in a moment', () => {
  const readCpuMs = startCpuTimer();
  formatCsvLine([`${' '.repeat(1_000_000)}a`]);
  formatCsvLine([`;${' '.repeat(500_000)}`.repeat(2)]);
  formatCsvLine(['\t'.repeat(1_000_000)]);
  expect(readCpuMs()).toBeLessThan(3_000);
});

describe('a table in pages', () => {
  const columns = [['id', (row: number) => row]] as const;
  const tableOf = (pages: readonly (() => readonly number[])[]) => {
    let read = 0;
    return streamCsv(
      columns,
      (row: number) => row,
      async () => pages[read++]?.() ?? [],
    );
  };

  test('begins with the names of the columns, also without rows', async () => {
    const page = Array.from({ length: 2_000 }, () => 7);
    const pieces: string[] = [];
    for (const pages of [[() => page, () => [8]], []]) for await (const piece of tableOf(pages)) pieces.push(piece);
    expect(pieces).toEqual([`id\r\n${'7\r\n'.repeat(2_000)}`, '8\r\n', 'id\r\n']);
  });

  test('formats its rows in turns with other work', async () => {
    const texts = Array.from(
      { length: 20 },
      (_, nth) => [`column ${nth}`, (row: number) => `row ${row}, a text`] as const,
    );
    const rows = Array.from({ length: 2_000 }, (_, nth) => nth);
    const block = await measureLongestBlockRepeatedly(async () => {
      const table = streamCsv(
        texts,
        (row: number) => row,
        async () => rows,
      );
      for (let pages = 0; pages < 5; pages += 1) await table.next();
    });
    expect(block).toBeLessThan(10);
  });

  test('yields nothing when its first page cannot be read', async () => {
    const table = tableOf([
      () => {
        throw new Error('no database');
      },
    ]);
    await expect(table.next()).rejects.toThrow('no database');
  });
});

describe('exports', () => {
  /** Starts an export of the user, which ends on command. */
  function begin(ctx: { clock: Timers }, user: number) {
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    let hasBegun = false;
    const make = (): Promise<string> => {
      hasBegun = true;
      return ended;
    };
    const exporting = runAsReader(user, () => queueExport(ctx, make));
    return { made: exporting, end, hasBegun: () => hasBegun };
  }

  test('two users export concurrently, and another user’s export waits instead of being refused', async () => {
    const ctx = { clock: createTestClock(0) };
    const [first, second, third] = [begin(ctx, 1), begin(ctx, 2), begin(ctx, 3)];
    await expect.poll(() => second.hasBegun()).toBe(true);
    expect(third.hasBegun()).toBe(false);
    first.end('table');
    expect(await first.made).toBe('table');
    await expect.poll(() => third.hasBegun()).toBe(true);
    second.end('');
    third.end('');
    await Promise.all([second.made, third.made]);
  });

  test('a user has one export at a time, whether it runs or waits', async () => {
    const ctx = { clock: createTestClock(0) };
    const exports = [begin(ctx, 1), begin(ctx, 2), begin(ctx, 3)];
    for (const user of [1, 3]) await expect(begin(ctx, user).made).rejects.toMatchObject({ code: 'too-many-requests' });
    for (const { end } of exports) end('');
    await Promise.all(exports.map(({ made: exporting }) => exporting));
    const again = begin(ctx, 1);
    again.end('again');
    expect(await again.made).toBe('again');
  });

  test('an export that waited for 20 seconds is refused', async () => {
    const ctx = { clock: createTestClock(0) };
    const [first, second, third] = [begin(ctx, 1), begin(ctx, 2), begin(ctx, 3)];
    await expect.poll(() => second.hasBegun()).toBe(true);
    ctx.clock.advance(20);
    const message = 'Exports of other users are running. Retry in 20 seconds.';
    await expect(third.made).rejects.toMatchObject({ code: 'too-many-requests', message, retryAfterSeconds: 20 });
    first.end('');
    second.end('');
    await Promise.all([first.made, second.made]);
  });
});
