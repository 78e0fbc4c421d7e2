import { describe, expect, it } from 'vitest';
import { filterNames, userFilter } from './users-page.tsx';

const none = Object.fromEntries(filterNames.map((name) => [name, undefined])) as Parameters<typeof userFilter>[0];
const now = new Date(100 * 86_400_000);

describe('userFilter', () => {
  it('converts USD to points and relative times to timestamps', () => {
    const texts = { ...none, balance_max: '-0.5', seen: 'idle', made: 'week', role: 'staff' };
    expect(userFilter(texts, 'ada', now)).toMatchObject({
      keyword: 'ada',
      role: 'staff',
      balance_max: -250_000,
      seen_before: 10 * 86_400,
      created_after: 93 * 86_400,
    });
    expect(userFilter({ ...none, balance_min: '1,000' }, '', now).balance_min).toBe(500_000_000);
    expect(userFilter({ ...none, seen: 'never' }, '', now).seen_before).toBe(1);
  });

  it('leaves out invalid values', () => {
    const texts = { ...none, balance_min: '1,5', balance_max: '0x10', role: 'king', seen: 'once', alarmed: 'false' };
    expect(Object.values(userFilter(texts, '', now)).filter((value) => value !== undefined)).toEqual([]);
  });
});
