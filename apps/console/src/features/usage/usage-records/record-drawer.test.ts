import type { Attempt } from '@switchyard/contract/usage/usage-records';
import { describe, expect, it } from 'vitest';
import { latencyParts } from './record-drawer.tsx';

const attempt = { started_after: 400 } as Attempt;

describe('latencyParts', () => {
  it('separates the time before the last attempt, to the first byte and of the stream', () => {
    const parts = latencyParts({ request_time: 2000, first_byte_time: 900, attempts: [attempt] });
    expect(parts).toEqual([
      { name: 'before', duration: 400 },
      { name: 'waiting', duration: 500 },
      { name: 'streaming', duration: 1100 },
    ]);
  });

  it('counts all time as waiting when no byte arrived', () => {
    expect(latencyParts({ request_time: 700, first_byte_time: 0, attempts: [] })).toEqual([
      { name: 'waiting', duration: 700 },
    ]);
  });

  it('always adds up to the total time', () => {
    const odd = { request_time: 300, first_byte_time: 900, attempts: [attempt] };
    expect(latencyParts(odd).reduce((sum, { duration }) => sum + duration, 0)).toBe(300);
  });
});
