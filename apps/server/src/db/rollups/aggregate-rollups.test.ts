import { expect, test } from 'vitest';
import { RollupAggregator } from './aggregate-rollups.ts';
import { HourRollupBuilder } from './packed-hour.ts';

const VALUES = 30_000;

test('aggregates tens of thousands of values in little more memory than the result needs', () => {
  const packer = new HourRollupBuilder();
  for (let userId = 1; userId <= VALUES; userId += 1)
    packer.add({
      createdAt: 7_200,
      isError: false,
      userId,
      keyId: userId,
      channelId: 1,
      model: 'm',
      group: 'default',
      isStream: 0,
      quota: userId,
      cost: null,
      promptTokens: 1,
      completionTokens: 1,
      cachedTokens: 0,
      durationMs: 100,
      firstByteMs: 10,
    });
  const packed = packer.encode();
  const summer = new RollupAggregator({
    steps: [7_200],
    end: 10_800,
    shift: 3_600,
    split: 'user',
    measure: 'charged',
    measureOnly: false,
    filters: {},
  });
  const before = process.memoryUsage().arrayBuffers;
  summer.add(7_200, packed);
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80_000_000);
  const { rows, others, otherValues, total } = summer.ranking(1);
  expect(rows[0]).toMatchObject({ key: String(VALUES), current: { charged: VALUES, requests: 1 } });
  expect(otherValues).toBe(VALUES - 1);
  expect(others.current.requests).toBe(VALUES - 1);
  expect(total.current.request_time_p95).toBe(rows[0]?.current.request_time_p95);
});
