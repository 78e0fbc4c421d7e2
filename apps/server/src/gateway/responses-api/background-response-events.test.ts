import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import type { ClientResponse } from '../http/client-response.ts';
import { ResponseEvents } from './background-response-events.ts';

const clock = createTestClock(0);

/** Accepts written events, or signals backpressure. */
class Follower implements ClientResponse {
  readonly written: string[] = [];
  takes = true;
  hasSentHead = false;
  isDelivering = false;
  hasLeft = false;
  readonly unsentBytes = 0;
  stopReason: undefined;
  readonly mustAbort = false;
  ended = false;
  onDrain: (() => void) | undefined;
  onLeave: (() => void) | undefined;
  write(_contentType: string, chunk: Buffer | string): boolean {
    this.written.push(String(chunk));
    return this.takes;
  }
  end(): void {
    this.ended = true;
  }
  disconnect(): void {
    this.hasLeft = true;
    this.onLeave?.();
  }
  waitUntilSent(): undefined {}
  stop(): void {}
  refuse(): void {}
  endNow(): void {}
  header(): void {}
  send(): void {}
  sendNow(): void {}
  comment(): void {}
}

const delta = { type: 'response.output_text.delta', delta: 'word' };

test('events are not written to a slow client, and continue when it reads again', async () => {
  const events = new ResponseEvents(clock, () => true);
  const follower = new Follower();
  follower.takes = false;
  const followed = events.follow(follower, -1);
  for (let nth = 0; nth < 5; nth += 1) events.add(delta);
  expect(follower.written).toHaveLength(1);
  follower.takes = true;
  follower.onDrain?.();
  expect(follower.written).toHaveLength(5);
  events.end({ type: 'response.completed' });
  await followed;
  expect(follower.written).toHaveLength(6);
  expect(follower.ended).toBe(true);
});

test('events drop who takes nothing for a minute', async () => {
  const events = new ResponseEvents(clock, () => true);
  const follower = new Follower();
  follower.takes = false;
  const followed = events.follow(follower, -1);
  events.add(delta);
  clock.advance(59);
  expect(follower.hasLeft).toBe(false);
  clock.advance(1);
  expect(follower.hasLeft).toBe(true);
  await followed;
});

test('events are followed by ten at a time', () => {
  const events = new ResponseEvents(clock, () => true);
  const followers = Array.from({ length: 10 }, () => new Follower());
  for (const follower of followers) void events.follow(follower, -1);
  expect(() => events.follow(new Follower(), -1)).toThrow('Limit of 10 concurrent streaming clients');
  followers[0]?.disconnect();
  expect(() => events.follow(new Follower(), -1)).not.toThrow();
});

test('events are lost once another node may end their response', () => {
  const loss = new AbortController();
  const events = new ResponseEvents(clock, () => true, loss.signal);
  expect(events.isLost).toBe(false);
  loss.abort();
  expect(events.isLost).toBe(true);
});

test('events for which there is no room are left out, but for the last one', () => {
  let room = 100;
  const events = new ResponseEvents(clock, (bytes) => {
    room -= bytes;
    return room > 0;
  });
  const follower = new Follower();
  void events.follow(follower, -1);
  for (let nth = 0; nth < 10; nth += 1) events.add(delta);
  events.end({ type: 'response.completed' });
  expect(follower.written).toHaveLength(2);
  expect(follower.written[1]).toContain('"sequence_number":1');
  expect(follower.ended).toBe(true);
});
