import { createChatTest } from '@switchyard/relay';
import { expect, test } from 'vitest';
import { startHeartbeat } from './heartbeat.ts';

/** Milliseconds after which the first line would come; undefined when none will. */
function startsAfter(framing: 'sse' | 'bytes'): number | undefined {
  const waits: number[] = [];
  const deadlines = {
    repeat(ms: number) {
      waits.push(ms);
      return () => {};
    },
  };
  const { facts } = createChatTest('gpt-4o');
  startHeartbeat(
    { deadlines },
    {
      client: { isDelivering: false, hasLeft: false, comment: () => {} },
      request: { framing, facts: { ...facts, stream: true } },
      principal: { key: { heartbeatSeconds: 30 } },
    },
  );
  return waits[0];
}

test('a waiting event stream gets comment lines, and an audio stream none, because they would be audible', () => {
  expect(startsAfter('sse')).toBe(30_000);
  expect(startsAfter('bytes')).toBeUndefined();
});
