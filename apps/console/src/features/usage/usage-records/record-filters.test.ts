import { describe, expect, it } from 'vitest';
import { presetStart } from '../../../ui/filters/time-presets.ts';
import { type FilterTexts, filterNames, recordFilter } from './record-filters.tsx';

function texts(some: Partial<FilterTexts>): FilterTexts {
  const none = Object.fromEntries(filterNames.map((name) => [name, undefined])) as FilterTexts;
  return { ...none, ...some };
}

describe('recordFilter', () => {
  it('reads every filter of the URL', () => {
    const some = { log_type: 'error', user_id: '7', channel_id: '3', is_stream: 'false', model_name: 'gpt-5' };
    expect(recordFilter('everybody', texts(some))).toMatchObject({
      log_type: 'error',
      user_id: 7,
      channel_id: 3,
      is_stream: false,
      model_name: 'gpt-5',
    });
  });

  it('never requests other users’ records in the scope of one’s own', () => {
    const filter = recordFilter('own', texts({ user_id: '7', username: 'ada', source_ip: '10.0.0.1' }));
    expect(filter).not.toHaveProperty('user_id');
    expect(filter).not.toHaveProperty('username');
    expect(filter).not.toHaveProperty('source_ip');
  });

  it('ignores invalid parameters of a mistyped link', () => {
    const filter = recordFilter('everybody', texts({ log_type: 'nonsense', user_id: 'x', start_timestamp: 'y' }));
    expect(Object.values(filter ?? {}).filter((value) => value !== undefined)).toEqual([]);
  });

  it('prefers a preset to a custom range', () => {
    const now = new Date('2026-03-04T12:00:00');
    const filter = recordFilter('own', texts({ time: '1h', start_timestamp: '5', end_timestamp: '6' }), now);
    expect(filter).toMatchObject({ start_timestamp: now.getTime() / 1000 - 3600, end_timestamp: undefined });
  });
});

describe('presetStart', () => {
  it('starts today at local midnight', () => {
    const midnight = new Date('2026-03-04T00:00:00').getTime() / 1000;
    expect(presetStart('today', new Date('2026-03-04T18:30:00'))).toBe(midnight);
  });
});
