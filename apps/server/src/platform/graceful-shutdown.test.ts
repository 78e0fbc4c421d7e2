import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { createTestClock } from '../testing/test-clock.ts';
import { createDrain } from './graceful-shutdown.ts';

const waits = { delaySeconds: 0, drainSeconds: 60 };

/** A server with a request that is never answered. */
async function startBusy() {
  const server = createServer(() => {});
  const socket = connect(await listen(server), '127.0.0.1');
  socket.on('error', () => {});
  const pending = once(server, 'request');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await pending;
  return server;
}

/** Resolves when everything that waits for no timer is done. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('ends requests that outlast the drain, and `force` skips the wait', async () => {
  for (const isHurried of [false, true]) {
    let ended = 0;
    const clock = createTestClock(0);
    const running = {
      waitUntilSettled: () => Promise.resolve(),
      abortRunning() {
        ended += 1;
      },
    };
    // oxlint-disable-next-line no-await-in-loop -- one way after the other
    const drain = createDrain(await startBusy(), waits, running, clock);
    const drained = drain.start();
    if (isHurried) drain.force();
    else {
      clock.advance(59);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await turn();
      expect(ended).toBe(0);
      clock.advance(1);
    }
    // oxlint-disable-next-line no-await-in-loop -- as above
    await turn();
    expect(ended).toBe(1);
    // Its client has this long for the error.
    clock.advance(0.5);
    // oxlint-disable-next-line no-await-in-loop -- as above
    await drained;
  }
});

test('waits during the drain for work without a connection', async () => {
  const server = createServer(() => {});
  await listen(server);
  const work = Promise.withResolvers<void>();
  let isStopped = false;
  const running = {
    waitUntilSettled: () => work.promise,
    abortRunning() {
      isStopped = true;
    },
  };
  const clock = createTestClock(0);
  const drained = createDrain(server, waits, running, clock).start();
  clock.advance(30);
  await turn();
  expect(isStopped).toBe(false);
  work.resolve();
  await drained;
  expect(isStopped).toBe(true);
});
