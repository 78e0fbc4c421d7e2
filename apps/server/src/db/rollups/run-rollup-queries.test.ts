import type { Dimension, Measure } from '@switchyard/contract/usage/analytics';
import { expect, test } from 'vitest';
import { RollupAggregator } from './aggregate-rollups.ts';
import { estimatePercentile, getLatencyBucket, LATENCY_BUCKETS } from './latency-buckets.ts';
import { type DimensionField, HourRollupBuilder, HourRollupReader, type SumField } from './packed-hour.ts';
import { type CoarseField, coarseFields, runRollupTask } from './run-rollup-queries.ts';
import { VarintReader, VarintWriter } from './varint.ts';

const call = {
  createdAt: 7_200 + 900,
  isError: false,
  userId: 300,
  keyId: 0,
  channelId: 2,
  model: '模型-α',
  group: 'default',
  isStream: 1,
  quota: Number.MAX_SAFE_INTEGER - 1,
  cost: null,
  promptTokens: 5_000_000_000,
  completionTokens: 1,
  cachedTokens: 0,
  durationMs: 120,
  firstByteMs: 0,
};

test('whole numbers and texts are read as they were written, and nothing else is written', () => {
  const numbers = [0, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER];
  const writer = new VarintWriter();
  for (const number of numbers) writer.number(number);
  writer.text('日本語'.repeat(3_000));
  const reader = new VarintReader(writer.toBytes());
  expect(numbers.map(() => reader.number())).toEqual(numbers);
  expect(reader.text()).toBe('日本語'.repeat(3_000));
  for (const wrong of [-1, 0.5, Number.NaN, 2 ** 60]) expect(() => writer.number(wrong)).toThrow(RangeError);
});

test('calls that are alike are one slice, and others are not', () => {
  const packer = new HourRollupBuilder();
  packer.add(call);
  packer.add({ ...call, quota: 1, cost: 3, durationMs: 0, firstByteMs: 4 });
  packer.add({ ...call, isError: true });
  packer.add({ ...call, createdAt: call.createdAt + 900 });
  const hour = new HourRollupReader();
  hour.open(packer.encode());
  expect([hour.models, hour.groups, hour.size]).toEqual([['模型-α'], ['default'], 2]);
  const first = (field: DimensionField | SumField) => hour.numbers(field)[0];
  expect([first('quarter'), first('user'), first('requests'), first('errors')]).toEqual([1, 300, 2, 1]);
  expect(first('charged')).toBe(Number.MAX_SAFE_INTEGER);
  expect([first('costedRequests'), first('cost'), first('costed')]).toEqual([1, 3, 1]);
  expect(first('promptTokens')).toBe(10_000_000_000);
  const { lengths, pairs } = hour.times('requestTime');
  expect(Array.from(lengths.subarray(0, 2))).toEqual([2, 1]);
  expect(Array.from(pairs.subarray(0, 6))).toEqual([getLatencyBucket(120), 1, 0, 1, getLatencyBucket(120), 1]);
  expect(Array.from(hour.times('firstByteTime').lengths.subarray(0, 2))).toEqual([1, 0]);
});

test('an hour by one field has the same sums and times of that field, and is smaller', async () => {
  const packer = new HourRollupBuilder();
  const numbers = Array.from({ length: 4_000 }, (_, nth) => (nth * 2_654_435_761) % 1_000_003);
  for (const number of numbers)
    packer.add({
      ...call,
      createdAt: 7_200 + (number % 3_600),
      isError: number % 11 === 0,
      userId: 1 + (number % 37),
      keyId: number % 41,
      channelId: number % 5,
      model: `model-${number % 13}`,
      group: `group-${number % 3}`,
      isStream: number % 2,
      quota: number,
      cost: number % 3 === 0 ? null : number % 900,
      durationMs: number % 9_000,
      firstByteMs: number % 700,
    });
  const packed = packer.encode();
  const read = () => [{ hour: 7_200, packed }];
  const hour = { sql: '', parameters: [] };
  const coarse = (await runRollupTask({ kind: 'coarsen', hour }, read, () => false)) as Record<CoarseField, Uint8Array>;
  const dimensionsOf: Record<CoarseField, Dimension[]> = {
    user: ['user'],
    key: ['token'],
    channel: ['channel'],
    model: ['model'],
    group: ['group'],
    isStream: ['stream', 'status'],
  };
  for (const field of coarseFields) {
    expect(coarse[field].length).toBeLessThan(packed.length / 2);
    for (const split of dimensionsOf[field])
      for (const filters of [{}, { [split]: ['1', '7', 'model-4', 'group-2', 'true', 'error'] }]) {
        const sumOf = (bytes: Uint8Array, measure: Measure) => {
          const steps = [7_200, 8_100, 9_000];
          const time = { steps, end: 9_900, shift: 2_700 };
          const summer = new RollupAggregator({ ...time, split, measure, measureOnly: false, filters });
          summer.add(7_200, bytes);
          return summer.lines();
        };
        const errors = sumOf(coarse[field], 'errors');
        expect(errors).toEqual(sumOf(packed, 'errors'));
        expect(errors.total[0]).toBeGreaterThan(0);
        expect(sumOf(coarse[field], 'request_time_p95')).toEqual(sumOf(packed, 'request_time_p95'));
      }
  }
});

test('a percentile differs by at most five per cent from the exact time', () => {
  for (let ms = 0; ms < 10_000_000; ms = Math.ceil(ms * 1.013) + 1) {
    const counts = new Uint32Array(LATENCY_BUCKETS);
    counts[getLatencyBucket(ms)] = 1;
    expect(Math.abs((estimatePercentile(counts, 0.95) ?? -1) - ms)).toBeLessThanOrEqual(ms * 0.05 + 0.5);
  }
  expect(estimatePercentile(new Uint32Array(LATENCY_BUCKETS), 0.5)).toBeNull();
});

test('stops reading for an abandoned query', async () => {
  const packer = new HourRollupBuilder();
  packer.add(call);
  const packed = packer.encode();
  let given = 0;
  function* read() {
    for (; given < 1_000; given += 1) yield { hour: given * 3_600, packed };
  }
  const hours = { sql: '', parameters: [] };
  const pending = runRollupTask({ kind: 'models', source: { hours, calls: undefined } }, read, () => given >= 10);
  await expect(pending).rejects.toThrow('The deadline of this report');
  expect(given).toBe(10);
});
