import { expect, onTestFinished, test } from 'vitest';
import { createTestClock } from '../testing/test-clock.ts';
import { sleep, systemTimers } from './clock.ts';
import { silentLog } from './log.ts';
import { createOverloadMonitor, createProcessReadings, type SystemReadings } from './overload-monitor.ts';

const LOOK_SECONDS = 0.5;

function watch() {
  const state = { delayMs: 0, memoryShare: 0 };
  const readings: SystemReadings = {
    delayMs: () => state.delayMs,
    memoryShare: () => state.memoryShare,
    delays: () => ({ p50: 0, p99: 0 }),
    close: () => {},
  };
  const clock = createTestClock(0);
  const overload = createOverloadMonitor(silentLog, readings, clock);
  onTestFinished(() => overload.close());
  const looks = (count: number) => {
    for (let look = 0; look < count; look += 1) clock.advance(LOOK_SECONDS);
  };
  return { state, overload, looks };
}

test('a delay that lasts begins to shed, and shedding ends well below where it began', () => {
  const { state, overload, looks } = watch();
  state.delayMs = 300;
  looks(20);
  expect(overload.shedding).toBe(true);
  state.delayMs = 150;
  looks(20);
  expect(overload.shedding).toBe(true);
  state.delayMs = 20;
  looks(20);
  expect(overload.shedding).toBe(false);
});

test('a single pause, however long, sheds nothing', () => {
  const { state, overload, looks } = watch();
  state.delayMs = 10_000;
  looks(1);
  expect(overload.delayMs).toBeGreaterThan(0);
  state.delayMs = 0;
  expect(overload.shedding).toBe(false);
  looks(40);
  expect(overload.delayMs).toBeLessThan(1);
});

test('a machine that stalls for a second and a half refuses nothing; for longer it does', () => {
  const { state, overload, looks } = watch();
  state.delayMs = 10_000;
  looks(3);
  expect(overload.shedding).toBe(false);
  looks(1);
  expect(overload.shedding).toBe(true);
});

test('memory near its limit begins to shed, regardless of the delay', () => {
  const { state, overload, looks } = watch();
  state.memoryShare = 0.9;
  looks(3);
  expect(overload.shedding).toBe(true);
  state.memoryShare = 0.8;
  looks(10);
  expect(overload.shedding).toBe(true);
  state.memoryShare = 0.5;
  looks(3);
  expect(overload.shedding).toBe(false);
});

test('an event loop that is held up is seen as that', async () => {
  const clock = createTestClock(0);
  const overload = createOverloadMonitor(silentLog, createProcessReadings(systemTimers), clock);
  onTestFinished(() => overload.close());
  // On a busy machine the monitor of the event loop, which each look sets back, may begin after the wait.
  for (let look = 0; look < 20 && overload.delayMs <= 100; look += 1) {
    await sleep(systemTimers, 25);
    const busyUntil = performance.now() + 300;
    while (performance.now() < busyUntil);
    await sleep(systemTimers, 1);
    clock.advance(LOOK_SECONDS);
  }
  expect(overload.delayMs).toBeGreaterThan(100);
  expect(overload.memoryShare).toBeGreaterThan(0);
  expect(overload.memoryShare).toBeLessThan(1);
});
