import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { listen } from '../../../../tests/listen.ts';
import { createDrain } from './drain.ts';

test('what outlasts the drain is ended, and a hurry skips the wait', async () => {
  let ended = 0;
  const server = createServer(() => {});
  const socket = connect(await listen(server), '127.0.0.1');
  socket.on('error', () => {});
  socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  await pause(100);
  const drain = createDrain(
    server,
    { delaySeconds: 0, drainSeconds: 60 },
    {
      settled: () => Promise.resolve(),
      stopRunning() {
        ended += 1;
      },
    },
  );
  const startedAt = performance.now();
  const drained = drain.start();
  drain.hurry();
  await drained;
  expect(ended).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});

test('what runs without a connection has the time of the drain, too', async () => {
  const server = createServer(() => {});
  await listen(server);
  let isDone = false;
  let wasDone: boolean | undefined;
  const drain = createDrain(
    server,
    { delaySeconds: 0, drainSeconds: 60 },
    {
      async settled() {
        await pause(100);
        isDone = true;
      },
      stopRunning() {
        wasDone = isDone;
      },
    },
  );
  await drain.start();
  expect(wasDone).toBe(true);
});
