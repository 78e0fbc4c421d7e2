import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { NOON, type RelayScene, startRelayScene, useRelayScene } from '../../testing/relay-scene.ts';
import { startTestApp } from '../../testing/start-test-app.ts';

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

/** Starts a background response with a stream. `until` reads to an event of the stream, and keeps the connection. */
async function startInBackground(on: RelayScene, model: string) {
  await on.newChannel({});
  const leaving = new AbortController();
  const body = { model, input: 'x', background: true, stream: true };
  const response = await on.post('/v1/responses', body, { signal: leaving.signal });
  const until = async ({ body: stream }: Response, event: string): Promise<string> => {
    const reader = stream?.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(event)) {
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) throw new Error('the stream has ended');
      text += value;
    }
    return text;
  };
  const first = await until(response, 'response.queued');
  return {
    id: /resp_[0-9A-Za-z]+/.exec(first)?.[0] ?? '',
    leave: async (): Promise<void> => {
      const left = on.waitForDisconnect();
      leaving.abort();
      await left;
    },
    follow: async (id: string, event: string): Promise<void> => {
      const headers = { authorization: `Bearer ${on.key}` };
      const signal = leaving.signal.aborted ? null : leaving.signal;
      await until(await fetch(`${on.url}/v1/responses/${id}?stream=true`, { headers, signal }), event);
    },
  };
}

test('writes no checkpoint of a background stream until a client has received it', async () => {
  const noted = watchCheckpoints();
  const { id, leave, follow } = await startInBackground(scene, 'scripted+tokens-300+silent-after-250');
  await leave();
  await expect.poll(() => scene.upstream.requests.at(-1)?.piecesSent).toBe(250);
  scene.clock.advance(6);
  scene.clock.advance(6);
  expect(noted).not.toHaveBeenCalled();
  await follow(id, 'token200');
  scene.clock.advance(6);
  await expect.poll(async () => (await checkpoint())?.tokens ?? 0).toBeGreaterThan(200);
  const cancelled = scene.post(`/v1/responses/${id}/cancel`, {});
  // Ends the time limit for draining the upstream's response.
  const countHolds = (): number => {
    scene.clock.advance(1);
    return scene.ctx.ledger.openHolds;
  };
  await expect.poll(countHolds).toBe(0);
  await cancelled;
});

test.each([
  ['releases the hold of a background stream that no client follows', false],
  ['charges a background stream that a client follows', true],
])('%s when the gateway stops', async (_what, isFollowed) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const stopping = await startRelayScene({ dataDir, config: { drainSeconds: 1 } });
  const { id, leave, follow } = await startInBackground(stopping, 'scripted+tokens-300+silent-after-250');
  if (isFollowed) await follow(id, 'token200');
  else await leave();
  await expect.poll(() => stopping.upstream.requests.at(-1)?.piecesSent).toBe(250);
  await stopping.close();
  const again = await startTestApp({ dataDir });
  const records = await again.ctx.db.writer
    .selectFrom('usage_record')
    .select(['type', 'quota'])
    .where('type', 'in', ['consume', 'error'])
    .execute();
  expect(records.map(({ type, quota }) => [type, quota > 0])).toEqual([
    isFollowed ? ['consume', true] : ['error', false],
  ]);
  expect(again.ctx.ledger.openHolds).toBe(0);
  await again.close();
});

test('serves and charges a stream whose checkpoint fails', async () => {
  const noted = watchCheckpoints().mockImplementation(() => {
    throw new TypeError('Cannot convert object to primitive value');
  });
  const { read, leave } = await stream('scripted+tokens-2000+drip-10ms');
  await read(1);
  scene.clock.advance(5.5);
  expect(noted).toHaveBeenCalledOnce();
  await leave();
  expect((await scene.records()).at(-1)).toMatchObject({ type: 'consume', usage_source: 'estimated' });
});
