import { UpstreamError } from '@switchyard/relay';
import { expect, test } from 'vitest';
import { createChannelHealth } from '../features/channels/channel-health.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { noteOutcome } from './after-failure.ts';
import type { Booked } from './find-channel.ts';
import type { GatewayParts } from './gateway-parts.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

function restAfter(error: UpstreamError, keyIds: string[]): { restMs: number; breaker: string } {
  const clock = createTestClock(0);
  const health = createChannelHealth(clock);
  const key = { id: 'k1', all: keyIds };
  const parts: Pick<GatewayParts, 'health'> & Record<string, unknown> = {
    health,
    history: { failed: () => undefined },
    settings: { automaticDisableChannel: false, disableChannelKeywords: '', retryCooldownSeconds: 5 },
  };
  const booked = {
    channel: { id: 1, keys: keyIds.map((id) => ({ id })) },
    key: { id: 'k1' },
    model: 'm',
    watch: health.begin(1, 'm', key),
  };
  noteOutcome(
    parts as unknown as GatewayParts,
    booked as unknown as Booked,
    { outcome: 'failed', error } as Parameters<typeof noteOutcome>[2],
    0,
  );
  return { restMs: health.keyRestsUntil(1, 'm', 'k1') - clock.now(), breaker: health.of(1, 'm').breaker };
}

test.each([[['k1']], [['k1', 'k2']]])(
  'rests the key of %j until the date on which its account regains access',
  (keyIds) => {
    const error = new UpstreamError('out-of-credit', 'The spend limit is reached.', {
      status: 400,
      retryAfterMs: 10 * DAY_MS,
    });
    expect(restAfter(error, keyIds)).toEqual({ restMs: 10 * DAY_MS, breaker: 'closed' });
  },
);

test('caps the cooldown of a rate limit at half an hour', () => {
  const error = new UpstreamError('rate-limited', 'Slow down.', { status: 429, retryAfterMs: 10 * DAY_MS });
  expect(restAfter(error, ['k1', 'k2']).restMs).toBe(30 * 60_000);
});
