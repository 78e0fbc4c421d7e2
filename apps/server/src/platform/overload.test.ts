import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { silentLog } from './log.ts';
import { processReadings, type Readings, watchOverload } from './overload.ts';

const LOOK_MS = 5;

function watch() {
  const state = { delayMs: 0, memoryShare: 0 };
  const overload = watchOverload(
    silentLog,
    {
      delayMs: () => state.delayMs,
      memoryShare: () => state.memoryShare,
      delays: () => ({ p50: 0, p99: 0 }),
      close: () => {},
    },
    LOOK_MS,
  );
  onTestFinished(() => overload.close());
  const looks = (count: number) => pause(count * LOOK_MS + LOOK_MS);
  return { state, overload, looks };
}

test('a delay that lasts begins to shed, and shedding ends well below where it began', async () => {
  const { state, overload, looks } = watch();
  state.delayMs = 300;
  await looks(20);
  expect(overload.shedding).toBe(true);
  state.delayMs = 150;
  await looks(20);
  expect(overload.shedding).toBe(true);
  state.delayMs = 20;
  await looks(20);
  expect(overload.shedding).toBe(false);
});

test('a single pause, however long, sheds nothing', async () => {
  const { state, overload, looks } = watch();
  state.delayMs = 10_000;
  await expect.poll(() => overload.delayMs, { interval: 1 }).toBeGreaterThan(0);
  state.delayMs = 0;
  expect(overload.shedding).toBe(false);
  await looks(40);
  expect(overload.delayMs).toBeLessThan(1);
});

test('a machine that comes to a stand for a second and a half refuses nothing, for longer it does', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const delays: Readings = {
    delayMs: () => 10_000,
    memoryShare: () => 0,
    delays: () => ({ p50: 0, p99: 0 }),
    close: () => {},
  };
  const overload = watchOverload(silentLog, delays);
  onTestFinished(() => overload.close());
  vi.advanceTimersByTime(1_500);
  expect(overload.shedding).toBe(false);
  vi.advanceTimersByTime(500);
  expect(overload.shedding).toBe(true);
});

test('memory near its limit begins to shed, whatever the delay', async () => {
  const { state, overload, looks } = watch();
  state.memoryShare = 0.9;
  await looks(3);
  expect(overload.shedding).toBe(true);
  state.memoryShare = 0.8;
  await looks(10);
  expect(overload.shedding).toBe(true);
  state.memoryShare = 0.5;
  await looks(3);
  expect(overload.shedding).toBe(false);
});

test('an event loop that is held up is seen as that', async () => {
  const overload = watchOverload(silentLog, processReadings());
  onTestFinished(() => overload.close());
  const end = performance.now() + 2_600;
  while (performance.now() < end) {
    const busyUntil = performance.now() + 400;
    while (performance.now() < busyUntil);
    await pause(1);
  }
  expect(overload.delayMs).toBeGreaterThan(100);
  expect(overload.memoryShare).toBeGreaterThan(0);
  expect(overload.memoryShare).toBeLessThan(1);
});
