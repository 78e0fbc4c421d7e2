import { expect, test } from 'vitest';
import { UserConcurrencyLimiter } from './claim-batches.ts';

/** Tasks that end on command. */
function works(turns: UserConcurrencyLimiter) {
  const running = new Set<string>();
  const ends = new Map<string, () => void>();
  return {
    running: () => [...running],
    begin: (userId: number, name: string) =>
      turns.run(userId, () => {
        running.add(name);
        return new Promise<string>((resolve) => {
          ends.set(name, () => {
            running.delete(name);
            resolve(name);
          });
        });
      }),
    end: async (name: string): Promise<void> => {
      ends.get(name)?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

test('runs as many requests of one user at once as allowed, in order, without delaying other users', async () => {
  const { begin, end, running } = works(new UserConcurrencyLimiter(() => 2));
  const all = Promise.all(['a', 'b', 'c', 'd'].map((name) => begin(1, name)));
  void begin(2, 'other');
  expect(running()).toEqual(['a', 'b', 'other']);
  await end('b');
  expect(running()).toEqual(['a', 'other', 'c']);
  await end('a');
  expect(running()).toEqual(['other', 'c', 'd']);
  await end('c');
  await end('d');
  expect(await all).toEqual(['a', 'b', 'c', 'd']);
});

test('a failed task releases its slot for the next', async () => {
  const turns = new UserConcurrencyLimiter(() => 1);
  const failed = turns.run(1, () => Promise.reject(new Error('failed')));
  const next = turns.run(1, () => Promise.resolve('next'));
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});

test('a lowered limit applies when enough requests have ended, a raised one to the next request', async () => {
  let most = 3;
  const { begin, end, running } = works(new UserConcurrencyLimiter(() => most));
  for (const name of ['a', 'b', 'c', 'd', 'e']) void begin(1, name);
  most = 1;
  await end('a');
  await end('b');
  expect(running()).toEqual(['c']);
  await end('c');
  expect(running()).toEqual(['d']);
  most = 2;
  void begin(1, 'f');
  expect(running()).toEqual(['d', 'f']);
});
