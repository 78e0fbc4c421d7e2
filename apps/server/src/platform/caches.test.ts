import { expect, test } from 'vitest';
import { cacheByKeyUntilChanged, cacheUntilChanged } from './caches.ts';
import { createChanges } from './change-subscriptions.ts';
import { systemTimers } from './clock.ts';
import { silentLog } from './log.ts';

test('loads once for each change of the topic, also when a subscriber asks during the change', async () => {
  const ctx = { changes: createChanges(systemTimers, silentLog) };
  let loads = 0;
  const read = cacheUntilChanged('prices', async (_ctx: typeof ctx) => (loads += 1));
  const seen: number[] = [];
  ctx.changes.subscribe(async () => void seen.push(await read(ctx)));
  expect([await read(ctx), await read(ctx)]).toEqual([1, 1]);
  await ctx.changes.publish({ topic: 'channels' });
  expect(await read(ctx)).toBe(1);
  await ctx.changes.publish({ topic: 'prices' });
  expect(await read(ctx)).toBe(2);
  expect(seen).toEqual([1, 2]);
});

test('reloads a value after a change of any of its topics', async () => {
  const ctx = { changes: createChanges(systemTimers, silentLog) };
  let loads = 0;
  const read = cacheUntilChanged(['prices', 'channels'], async (_ctx: typeof ctx) => (loads += 1));
  for (const topic of ['prices', 'models', 'channels'] as const) {
    await read(ctx);
    await ctx.changes.publish({ topic });
  }
  expect(await read(ctx)).toBe(3);
});

test('does not cache a failure', async () => {
  const ctx = { changes: createChanges(systemTimers, silentLog) };
  let fails = true;
  const read = cacheUntilChanged('prices', async (_ctx: typeof ctx) => {
    if (fails) throw new Error('no');
    return 'yes';
  });
  await expect(read(ctx)).rejects.toThrow('no');
  fails = false;
  expect(await read(ctx)).toBe('yes');
});

test('returns the same object for one key until a change, and caches at most so many keys', async () => {
  const ctx = { changes: createChanges(systemTimers, silentLog) };
  let loads = 0;
  const read = cacheByKeyUntilChanged('prices', 2, async (_ctx: typeof ctx, key) => {
    loads += 1;
    return { key };
  });
  const first = await read(ctx, 'a');
  expect(first).toEqual({ key: 'a' });
  expect(await Promise.all([read(ctx, 'a'), read(ctx, 'b'), read(ctx, 'b')])).toEqual([
    first,
    { key: 'b' },
    { key: 'b' },
  ]);
  expect(await read(ctx, 'a')).toBe(first);
  expect(loads).toBe(2);
  await read(ctx, 'c');
  await read(ctx, 'b');
  expect(loads).toBe(4);
  await ctx.changes.publish({ topic: 'prices' });
  expect(await read(ctx, 'b')).toEqual({ key: 'b' });
  expect(loads).toBe(5);
});

test('does not cache the failure of a key', async () => {
  const ctx = { changes: createChanges(systemTimers, silentLog) };
  let fails = true;
  const read = cacheByKeyUntilChanged('prices', 2, async (_ctx: typeof ctx, key) => {
    if (fails) throw new Error('no');
    return key;
  });
  await expect(read(ctx, 'a')).rejects.toThrow('no');
  fails = false;
  expect(await read(ctx, 'a')).toBe('a');
});
