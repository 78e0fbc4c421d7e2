import { expect, test } from 'vitest';
import { defaultPhaseLimits } from '../../testing/routing-samples.ts';
import { createTestClock } from '../../testing/test-clock.ts';
import { PhaseTimeouts } from './phase-timeouts.ts';

const start = (stream: boolean, changes = {}, beginWithinMs?: number) => {
  const clock = createTestClock(0);
  return { clock, phases: new PhaseTimeouts({ ...defaultPhaseLimits, ...changes }, stream, clock, beginWithinMs) };
};

test('each phase of a stream has its own deadline', () => {
  const { clock, phases } = start(true);
  expect(phases.at).toBe(10_000);
  phases.connected();
  expect(phases.at).toBe(60_000);
  phases.answered();
  expect(phases.at).toBe(120_000);
  clock.advance(30);
  phases.received(5);
  expect(phases.at).toBe(150_000);
  expect(phases.timeout).toEqual({ phase: 'idle', limitMs: 120_000 });
  phases.finished();
  expect(phases.at).toBe(32_000);
});

test('a chunk without content does not move a deadline', () => {
  const { clock, phases } = start(true);
  phases.connected();
  phases.answered();
  clock.advance(100);
  phases.received(0);
  expect(phases.at).toBe(120_000);
  phases.received(7);
  clock.advance(100);
  phases.received(7);
  expect(phases.at).toBe(220_000);
});

test('the head of a whole answer has as long as its content, and every byte of it is content', () => {
  const { clock, phases } = start(false);
  phases.connected();
  expect(phases.at).toBe(120_000);
  phases.answered();
  clock.advance(60);
  phases.received(0);
  expect(phases.at).toBe(180_000);
});

test('no phase lasts beyond the total, and the message names the phase', () => {
  const { clock, phases } = start(true, { totalMs: 200_000 });
  phases.connected();
  phases.answered();
  clock.advance(100);
  phases.received(1);
  expect(phases.at).toBe(200_000);
  expect(phases.timeout).toEqual({ phase: 'total', limitMs: 200_000 });
});

test.each([true, false])('limits each phase before the content by the total timeout, streamed: %s', (stream) => {
  const { clock, phases } = start(stream, {}, 7_000);
  expect(phases.at).toBe(7_000);
  phases.connected();
  expect(phases.at).toBe(7_000);
  phases.answered();
  expect(phases.at).toBe(7_000);
  clock.advance(5);
  phases.received(1);
  expect(phases.at).toBe(125_000);
});

test('a time of day that is set forward or back moves no deadline', () => {
  const { clock, phases } = start(true);
  clock.jump(3_600);
  phases.connected();
  clock.jump(-7_200);
  phases.answered();
  phases.received(3);
  expect(phases.at).toBe(120_000);
});

test.each([
  ['when the upstream falls silent', 1_000_000, 120_000],
  ['after its time', 100_000, 100_000],
])('a drain ends %s', (_when, drainMs, firstEnd) => {
  const { clock, phases } = start(true);
  phases.connected();
  phases.answered();
  phases.startDrain(drainMs);
  expect(phases.at).toBe(firstEnd);
  clock.advance(60);
  phases.received(5);
  expect(phases.at).toBe(Math.min(180_000, drainMs));
});

test('a drain does not last beyond the total', () => {
  const { clock, phases } = start(true);
  phases.answered();
  clock.advance(1_790);
  phases.received(5);
  phases.startDrain(1_800_000);
  expect(phases.at).toBe(1_800_000);
});
