import { describe, expect, it } from 'vitest';
import type { RelayError } from '../http/relay-error.ts';
import { createMemoryBudget, defaultMemoryBudget, HeldBytes } from './memory-budget.ts';

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;

describe('a memory budget', () => {
  it('all requests have one budget, and give it back', () => {
    const budget = createMemoryBudget(MB);
    const [one, other] = [budget.open(), budget.open()];
    one.grow(600 * KB);
    expect(() => other.grow(500 * KB)).toThrow(
      expect.objectContaining({ code: 'overloaded', status: 503, retryAfterSeconds: 5 }),
    );
    expect(budget.usedBytes).toBe(600 * KB);
    one.grow(-200 * KB);
    other.grow(500 * KB);
    one.release();
    one.release();
    expect(budget.usedBytes).toBe(500 * KB);
  });

  it('a request that holds little is never refused, and gives bytes back when the budget is full', () => {
    const budget = createMemoryBudget(MB);
    const large = budget.open();
    large.grow(MB);
    const small = budget.open();
    small.grow(64 * KB);
    expect(() => small.grow(1)).toThrow('Retry in 5 seconds');
    small.grow(-1);
    expect(budget.usedBytes).toBe(MB + 64 * KB - 1);
  });

  it('grows a share to a size, and never shrinks it', () => {
    const budget = createMemoryBudget(MB);
    const share = budget.open();
    share.growTo(300 * KB);
    share.growTo(200 * KB);
    expect(budget.usedBytes).toBe(300 * KB);
    expect(() => share.growTo(2 * MB)).toThrow(
      'need 2 MiB of memory, and the limit is 1 MiB. Send less, or request less output.',
    );
    expect(budget.usedBytes).toBe(300 * KB);
  });

  it('one user leaves a quarter to others, however many requests that one makes', () => {
    const budget = createMemoryBudget(MB);
    const [first, second, other] = [budget.open(1), budget.open(1), budget.open(2)];
    first.grow(500 * KB);
    expect(() => second.grow(300 * KB)).toThrow('use all the memory that one account may use. Retry in 5 seconds.');
    other.grow(300 * KB);
    first.release();
    second.grow(300 * KB);
    expect(budget.usedBytes).toBe(600 * KB);
  });

  it('uploads leave room for responses', () => {
    const budget = createMemoryBudget(MB);
    const [upload, second, other] = [budget.open(1), budget.open(1), budget.open(2)];
    upload.grow(614 * KB, 'upload');
    expect(() => upload.grow(KB, 'upload')).toThrow('of memory, and the limit is');
    expect(() => second.grow(KB * 65, 'upload')).toThrow('that one account may use');
    other.grow(204 * KB, 'upload');
    expect(() => other.grow(2 * KB, 'upload')).toThrow('has no memory left for large requests');
    upload.grow(150 * KB);
    expect(budget.usedBytes).toBe(968 * KB);
  });

  it.each([
    ['a small control group', 128 * MB, 64 * GB, 64 * MB],
    ['a control group', GB, 64 * GB, 256 * MB],
    ['no control group', 0, 8 * GB, 2 * GB],
    ['a control group larger than the machine', 2 ** 62, 8 * GB, 2 * GB],
    ['a large machine', 0, 256 * GB, 4 * GB],
  ])('is a quarter of the memory in %s', (_, constrained, machine, bytes) => {
    expect(defaultMemoryBudget(constrained, machine)).toBe(bytes);
  });
});

describe('held bytes', () => {
  it('refuses nothing within its allowance, however full the budget is', () => {
    const budget = createMemoryBudget(MB);
    const share = budget.open();
    share.grow(MB);
    const refusals: RelayError[] = [];
    const held = new HeldBytes(share, (error) => refusals.push(error));
    held.set(64 * KB);
    expect(refusals).toEqual([]);
    held.set(65 * KB);
    expect(refusals).toHaveLength(1);
    held.allowance = MB;
    held.set(MB);
    expect(refusals).toHaveLength(1);
    expect(budget.usedBytes).toBe(2 * MB);
  });

  it('replaces the counted bytes, and ends the request if they are refused', () => {
    const budget = createMemoryBudget(MB);
    const refusals: RelayError[] = [];
    const held = new HeldBytes(budget.open(), (error) => refusals.push(error));
    held.set(700 * KB);
    held.set(300 * KB);
    expect(budget.usedBytes).toBe(300 * KB);
    held.set(2 * MB);
    expect(refusals.map(({ code }) => code)).toEqual(['overloaded']);
    expect(budget.usedBytes).toBe(300 * KB);
    held.set(0);
    expect(budget.usedBytes).toBe(0);
  });
});
