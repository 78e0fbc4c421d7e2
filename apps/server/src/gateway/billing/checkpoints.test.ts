import { expect, onTestFinished, test, vi } from 'vitest';
import { NOON, useRelayScene } from '../../testing/relay-scene.ts';

const scene = await useRelayScene({ now: NOON });

async function stream(model: string) {
  await scene.newChannel({});
  const leaving = new AbortController();
  const body = { model, stream: true, messages: [{ role: 'user', content: 'x' }] };
  const answered = scene.post('/v1/chat/completions', body, { signal: leaving.signal });
  const reading = answered.then((response) => response.body?.getReader());
  reading.catch(() => undefined);
  return {
    /** Reads so many bytes of the answer. */
    read: async (bytes: number): Promise<void> => {
      const reader = await reading;
      for (let got = 0; got < bytes; ) {
        const { value } = (await reader?.read()) ?? {};
        if (value === undefined) throw new Error('the stream has ended');
        got += value.length;
      }
    },
    leave: async (): Promise<void> => {
      const left = scene.waitForDisconnect();
      leaving.abort();
      await left;
      // Ends the time limit for draining the upstream's response.
      scene.clock.advance(1);
      await scene.waitUntilSettled();
    },
  };
}

async function checkpoint(): Promise<{ charge: number; tokens: number } | undefined> {
  await scene.ctx.ledger.transaction(async () => {});
  const [row] = await scene.ctx.db.writer.selectFrom('hold').select('checkpoint').execute();
  if (row === undefined || row.checkpoint === null) return undefined;
  const { charge, record } = JSON.parse(row.checkpoint);
  return { charge, tokens: record.completion_tokens };
}

function watchCheckpoints() {
  const noted = vi.spyOn(scene.ctx.ledger, 'checkpoint');
  onTestFinished(() => noted.mockRestore());
  return noted;
}

test('writes a checkpoint with the charge of a running stream every five seconds', async () => {
  const { read, leave } = await stream('scripted+tokens-2000+drip-10ms');
  await read(1);
  scene.clock.advance(4.9);
  expect(await checkpoint()).toBeUndefined();
  scene.clock.advance(0.5);
  await expect.poll(checkpoint).toBeDefined();
  const first = await checkpoint();
  expect(first?.charge).toBeGreaterThan(0);
  await read(1_000);
  scene.clock.advance(5);
  await expect.poll(async () => (await checkpoint())?.tokens ?? 0).toBeGreaterThan(first?.tokens ?? 0);
  await leave();
});

test('two thousand tokens are noted before the five seconds are over', async () => {
  const { read, leave } = await stream('scripted+tokens-100000');
  await read(1_000_000);
  scene.clock.advance(0.5);
  await expect.poll(async () => (await checkpoint())?.tokens ?? 0).toBeGreaterThan(2_000);
  await leave();
});

test('a stream that has delivered nothing is not noted', async () => {
  const noted = watchCheckpoints();
  const { leave } = await stream('scripted+silent');
  await expect.poll(() => scene.upstream.requests.length).toBe(1);
  scene.clock.advance(6);
  expect(noted).not.toHaveBeenCalled();
  expect(await checkpoint()).toBeUndefined();
  await leave();
});

test('a stream that delivers nothing new is not noted again', async () => {
  const noted = watchCheckpoints();
  const { read, leave } = await stream('scripted+silent-after-3');
  await read(1);
  await expect.poll(() => scene.upstream.requests.at(-1)?.piecesSent).toBe(3);
  scene.clock.advance(6);
  await expect.poll(checkpoint).toBeDefined();
  const times = noted.mock.calls.length;
  scene.clock.advance(6);
  scene.clock.advance(6);
  expect(noted).toHaveBeenCalledTimes(times);
  await leave();
});
