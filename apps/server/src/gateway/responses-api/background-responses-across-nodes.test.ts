/** Responses in the background on two nodes of one database. */
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FaultyProxy, startFaultyProxy } from '../../testing/faulty-proxy.ts';
import { ANTHROPIC } from '../../testing/relay-scene.ts';
import { type Nodes, startNodes } from '../../testing/start-nodes.ts';
import type { TestApp } from '../../testing/start-test-app.ts';
import { failInterrupted } from './background-responses-across-nodes.ts';

const VERY_SLOW = 'scripted+slow-first-byte-20000';
const SLOW = 'scripted+slow-first-byte-1500';

let nodes: Nodes | undefined;
let one: OpenAI;
let other: OpenAI;

beforeAll(async () => {
  nodes = await startNodes();
  if (nodes === undefined) return;
  const { first, second } = nodes;
  await first.newChannel({ type: ANTHROPIC });
  [one, other] = [first.url, second.url].map(
    (url) => new OpenAI({ apiKey: first.key, baseURL: `${url}/v1`, maxRetries: 0 }),
  ) as [OpenAI, OpenAI];
});
beforeEach((context) => {
  if (nodes === undefined) context.skip('PostgreSQL is not installed here');
});
afterAll(() => nodes?.close());

const until = (id: string, status: string, timeout = 10_000) =>
  vi.waitFor(async () => expect((await other.responses.retrieve(id)).status).toBe(status), timeout);

const sweep = ({ second }: Nodes) => failInterrupted(second.ctx, () => [{ kind: 'text', text: '' }]);
/** Ends the lease, as if its node had been silent. */
const endLease = ({ second: { ctx } }: Nodes, id: string) =>
  ctx.db.writer.updateTable('lease').set({ held_until: 0 }).where('name', '=', `making:${id}`).execute();
/** Waits until the other nodes have ended the lease of a hold's node. */
const endHold = async ({ second: { ctx } }: Nodes, requestId: string): Promise<void> => {
  const hold = ctx.db.writer.selectFrom('hold').select('node_id').where('request_id', '=', requestId);
  const { node_id } = await hold.executeTakeFirstOrThrow();
  await ctx.db.writer.updateTable('node').set({ lease_until: 0 }).where('id', '=', Number(node_id)).execute();
  await vi.waitUntil(async () => (await hold.executeTakeFirst()) === undefined, { timeout: 60_000, interval: 100 });
};
/** Ends a hold as the other nodes do, without the time that they wait for its node. */
const removeHold = async ({ second: { ctx } }: Nodes, requestId: string): Promise<void> => {
  const holds = ctx.db.writer.deleteFrom('hold').where('request_id', '=', requestId);
  const { user_id: userId, api_key_id: keyId, amount } = await holds.returningAll().executeTakeFirstOrThrow();
  await ctx.db.writer
    .updateTable('user_account')
    .set((row) => ({ held: row('held', '-', amount) }))
    .where('user_id', '=', userId)
    .execute();
  await ctx.db.writer
    .updateTable('key_account')
    .set((row) => ({ held: row('held', '-', amount) }))
    .where('api_key_id', '=', keyId)
    .execute();
};

test('another node shows a response that a node generates, and can cancel it', async () => {
  const body = { input: 'My name is Ada.', background: true } as const;
  const created = await one.responses.create({ ...body, model: 'scripted' });
  await until(created.id, 'completed');
  const slow = await one.responses.create({ ...body, model: VERY_SLOW });
  const cancelled = await other.responses.cancel(slow.id);
  expect(cancelled.status).toBe('cancelled');
});

test('a starting node does not touch the responses of another one', async () => {
  const mayEnd = Promise.withResolvers<void>();
  nodes?.first.upstream.setScript(() => ({ endGate: mayEnd.promise }));
  const created = await one.responses.create({ input: 'Hello', background: true, model: 'scripted' });
  const third = await nodes?.start();
  await third?.close();
  mayEnd.resolve();
  nodes?.first.upstream.setScript(undefined);
  await until(created.id, 'completed');
});

test('a node ends the unfinished responses of a dead one, and no others', async (context) => {
  if (nodes === undefined) return context.skip('PostgreSQL is not installed here');
  const { first } = nodes;
  const created = await one.responses.create({ input: 'Hello', background: true, model: VERY_SLOW });
  const isUnfinished = async () =>
    /queued|in_progress/.test(String((await other.responses.retrieve(created.id)).status));
  await sweep(nodes);
  expect(await isUnfinished()).toBe(true);
  await vi.waitUntil(() => first.ctx.ledger.openHolds > 0);
  await endLease(nodes, created.id);
  await sweep(nodes);
  expect(await isUnfinished()).toBe(true);
  const task = first.ctx.db.writer.selectFrom('task').select('request_id').where('id', '=', created.id);
  await endHold(nodes, (await task.executeTakeFirstOrThrow()).request_id);
  await sweep(nodes);
  expect(await other.responses.retrieve(created.id)).toMatchObject({ status: 'failed' });
  await first.waitUntilSettled();
  expect(await one.responses.retrieve(created.id)).toMatchObject({ status: 'failed' });
});

describe('a response that completes on a node while the node is cut off from the database', () => {
  let line: FaultyProxy;
  let cutOff: TestApp;
  let client: OpenAI;
  let id: string;
  let requestId: string;

  beforeEach(async (context) => {
    const url = nodes?.first.ctx.config.databaseUrl;
    if (nodes === undefined || url === undefined) return context.skip('PostgreSQL is not installed here');
    line = await startFaultyProxy(url);
    cutOff = await nodes.start({ config: { databaseUrl: line.url } });
    client = new OpenAI({ apiKey: nodes.first.key, baseURL: `${cutOff.url}/v1`, maxRetries: 0 });
  });
  afterEach(() => line.close());

  const create = async (): Promise<void> => {
    ({ id } = await client.responses.create({ input: 'Hello', background: true, model: SLOW }));
  };
  /** @param isFollowed false if the client leaves after the first event */
  const createStream = async (isFollowed: boolean): Promise<void> => {
    const leave = new AbortController();
    const body = { input: 'Hello', background: true, stream: true, model: SLOW } as const;
    const events = (await client.responses.create(body, { signal: leave.signal }))[Symbol.asyncIterator]();
    const created = await events.next();
    if (created.done !== true && created.value.type === 'response.created') id = created.value.response.id;
    if (!isFollowed) return leave.abort();
    const receive = async (): Promise<void> => {
      for (let next = await events.next(); next.done !== true; next = await events.next());
    };
    // The node may close the connection before the last event.
    receive().catch(() => {});
  };
  const completeWhileCutOff = async ({ upstream, ctx }: Nodes['first'], begin: () => Promise<void>): Promise<void> => {
    const before = upstream.requests.length;
    await begin();
    await vi.waitUntil(() => upstream.requests.length > before);
    const task = ctx.db.writer.selectFrom('task').select('request_id').where('id', '=', id);
    ({ request_id: requestId } = await task.executeTakeFirstOrThrow());
    line.cut();
    await vi.waitUntil(async () => (await chargeOnCutOffNode()) !== undefined, { timeout: 60_000 });
  };

  /** Advances the clock, so that the node repeats what it could not write. */
  const chargeOnCutOffNode = (): Promise<number | undefined> => {
    cutOff.clock.advance(1);
    return cutOff.ctx.ledger.readCharge(requestId).catch(() => undefined);
  };
  const failElsewhere = async (): Promise<void> => {
    // A node's own sweep may have the lease at the moment.
    await vi.waitUntil(
      async () => {
        if (nodes !== undefined) await sweep(nodes);
        return (await other.responses.retrieve(id)).status === 'failed';
      },
      { timeout: 60_000 },
    );
  };
  const closeCutOffNode = async (): Promise<void> => {
    let isClosed = false;
    const closed = cutOff.close().finally(() => {
      isClosed = true;
    });
    await vi.waitUntil(
      () => {
        cutOff.clock.advance(1);
        return isClosed;
      },
      { timeout: 60_000 },
    );
    await closed;
  };

  test('counts, and is charged, when the node reaches the database again, although its lease ended', async () => {
    if (nodes === undefined) return;
    await completeWhileCutOff(nodes.first, create);
    await endLease(nodes, id);
    await sweep(nodes);
    line.restore();
    await closeCutOffNode();
    expect((await other.responses.retrieve(id)).status).toBe('completed');
    expect(await nodes.second.ctx.ledger.readCharge(requestId)).toBeGreaterThan(0);
  });

  test.each([
    ['only released its hold', create, false],
    ['released its hold and failed it', create, true],
    ['only released its hold, and its client has left', () => createStream(false), false],
    ['released its hold and failed it, and its client has left', () => createStream(false), true],
  ])('fails and costs nothing when another node has %s', async (_what, begin, isFailed) => {
    if (nodes === undefined) return;
    await completeWhileCutOff(nodes.first, begin);
    await endLease(nodes, id);
    await removeHold(nodes, requestId);
    if (isFailed) await failElsewhere();
    line.restore();
    await closeCutOffNode();
    expect((await other.responses.retrieve(id)).status).toBe('failed');
    expect(await nodes.second.ctx.ledger.readCharge(requestId)).toBeUndefined();
  });

  test('completes at its price although another node has failed it, if its client has received the stream', async () => {
    if (nodes === undefined) return;
    await completeWhileCutOff(nodes.first, () => createStream(true));
    await endLease(nodes, id);
    await removeHold(nodes, requestId);
    await failElsewhere();
    line.restore();
    await closeCutOffNode();
    expect((await other.responses.retrieve(id)).status).toBe('completed');
    expect(await nodes.second.ctx.ledger.readCharge(requestId)).toBeGreaterThan(0);
  });
});
