import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { profile } from '@switchyard/contract/accounts/profile';
import { ledgerKind } from '@switchyard/contract/accounts/user-details';
import { afterEach, expect, test } from 'vitest';
import { collectGarbage } from '../../../../../tests/security/collect-garbage.ts';
import { reportMeasurement } from '../../../../../tests/tier.ts';
import { insertPaymentOrder, insertPaymentProvider } from '../../testing/payment-order.ts';
import { sampleContent } from '../../testing/sample-conversation.ts';
import { type SignedInUser, useTestApp } from '../../testing/start-test-app.ts';

const MB = 1_048_576;
const CONVERSATIONS = 40;
/** Per user. */
const READS_AT_ONCE = 3;

const app = await useTestApp({ now: Date.UTC(2026, 10, 23) });
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

/** @returns a user who keeps 40 conversations of 1 MB */
async function createTalker(): Promise<SignedInUser> {
  const user = await app.createUser('user');
  const content = JSON.stringify(sampleContent('x'.repeat(MB)));
  for (let nth = 0; nth < CONVERSATIONS; nth += 1)
    await app.ctx.db.writer
      .insertInto('conversation')
      .values({
        user_id: user.id,
        title: `conversation ${nth}`,
        version: 1,
        created_time: nth,
        updated_time: nth,
        content,
      })
      .execute();
  return user;
}

/** Asks for the export and reads nothing of it but what fills the buffers of the connection. */
async function readSlowly(user: SignedInUser): Promise<Socket> {
  const { hostname, port, host } = new URL(app.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => {});
  sockets.push(socket);
  const identity = Object.entries(user.identity).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`GET ${profile.export.path} HTTP/1.1\r\nhost: ${host}\r\n${identity.join('')}\r\n`);
  await expect.poll(() => socket.readableLength).toBeGreaterThan(10_000);
  return socket;
}

/** The server's ends of all connections. */
const connections = new Set<Socket>();
app.app.server.on('connection', (socket: Socket) => {
  connections.add(socket);
  socket.once('close', () => connections.delete(socket));
});

/** @returns bytes on the heap, in buffers, and in writes that the system has not taken, which count as neither */
async function keptBytes(): Promise<number> {
  // Buffers are freed after the objects that held them.
  for (let nth = 0; nth < 3; nth += 1) {
    collectGarbage();
    await setImmediate();
  }
  const { heapUsed, external } = process.memoryUsage();
  return [...connections].reduce((bytes, { writableLength }) => bytes + writableLength, heapUsed + external);
}

/** Waits until the connections take no more. */
async function untilNothingIsSent(): Promise<void> {
  const sent = (): number => [...connections].reduce((bytes, { bytesWritten }) => bytes + bytesWritten, 0);
  let before = -1;
  await expect
    .poll(
      () => {
        const now = sent();
        const isSame = now === before;
        before = now;
        return isSame;
      },
      { interval: 250, timeout: 60_000 },
    )
    .toBe(true);
}

test('readers who take nothing of their export make the server hold a few conversations, not all', async () => {
  const users = [await createTalker(), await createTalker()];
  const before = await keptBytes();
  for (const user of users) for (let nth = 0; nth < READS_AT_ONCE; nth += 1) await readSlowly(user);
  await untilNothingIsSent();
  const each = ((await keptBytes()) - before) / (users.length * READS_AT_ONCE);
  reportMeasurement('P41', `a slow reader of an export of ${CONVERSATIONS} MB: ${(each / MB).toFixed(1)} MB held`);
  expect(each).toBeLessThan(8 * MB);
});

test('a slow reader keeps a read slot until the client is gone, and costs other users none', async () => {
  const [user, other] = [await createTalker(), await app.createUser('user')];
  const slow = await Promise.all(Array.from({ length: READS_AT_ONCE }, () => readSlowly(user)));
  let isAnswered = false;
  const waiting = user.fetch('/api/user/self').then((response) => {
    isAnswered = true;
    return response.status;
  });
  expect((await other.fetch('/api/user/self')).status).toBe(200);
  expect(isAnswered).toBe(false);
  slow[0]?.destroy();
  expect(await waiting).toBe(200);
});

test('the export is one object of JSON with every list in the order in which it was made', async () => {
  const user = await createTalker();
  const response = await user.fetch(profile.export.path);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  const taken: Record<string, unknown> = JSON.parse(await response.text());
  expect(Object.keys(taken)).toEqual([
    'account',
    'avatar',
    'tokens',
    'identities',
    'passkeys',
    'access_tokens',
    'destinations',
    'deliveries',
    'sessions',
    'known_devices',
    'saved_views',
    'movements',
    'orders',
    'conversations',
    'responses',
    'tasks',
    'batches',
    'files',
  ]);
  expect(taken).toMatchObject({
    account: { username: user.username },
    avatar: null,
    tokens: [],
    responses: [],
    conversations: Array.from({ length: CONVERSATIONS }, (_, nth) => ({
      title: `conversation ${nth}`,
      content: sampleContent('x'.repeat(MB)),
    })),
  });
});

test('every page of the ledger is exported, also where many entries have one time', async () => {
  const user = await app.createUser('user');
  const entries = Array.from({ length: 1_203 }, (_, nth) => ({
    kind: 'gift' as const,
    ref: `gift ${user.id} ${String(nth).padStart(4, '0')}`,
    created_at: 7,
    user_id: user.id,
    api_key_id: null,
    user_amount: 0,
    key_amount: 0,
    note: String(nth),
  }));
  for (let from = 0; from < entries.length; from += 100)
    await app.ctx.db.writer
      .insertInto('ledger_entry')
      .values(entries.slice(from, from + 100))
      .execute();
  const taken = JSON.parse(await (await user.fetch(profile.export.path)).text());
  const notes = taken.movements.map(({ note }: { note: string }) => note);
  expect(notes.filter((note: string) => /^\d+$/.test(note))).toEqual(entries.map(({ note }) => note));
});

/** Fields of the export, by the table that they come from. */
const exportedTables: Readonly<Record<string, string>> = {
  access_token: 'access_tokens',
  api_key: 'tokens',
  avatar: 'avatar',
  batch: 'batches',
  batch_file: 'files',
  conversation: 'conversations',
  delivery: 'deliveries',
  destination: 'destinations',
  identity: 'identities',
  known_device: 'known_devices',
  ledger_entry: 'movements',
  passkey: 'passkeys',
  payment_order: 'orders',
  saved_view: 'saved_views',
  session: 'sessions',
  stored_response: 'responses',
  task: 'tasks',
  user_account: 'account',
};
/** Tables with a user that the export leaves out, and why. */
const tablesLeftOut: Readonly<Record<string, string>> = {
  audit_entry: 'the record of the site',
  channel_event: 'the user is the member of staff who changed the channel',
  hold: 'a request that is running',
  idempotency_key: 'a copy of a response, kept for a day',
  idempotency_usage: 'a number of such copies',
  ledger_alarm: 'a finding of the self-check',
  notice_seen: 'an item of the bell that is hidden for a week',
  one_time: 'a secret',
  order_event: 'the user is the member of staff who changed the order',
  recovery_code: 'a secret',
  statement: 'sums of the movements and of the log',
  stored_work: 'a file at the address that a response names',
  totp: 'a secret',
};

test('every table with rows of a user is exported, or is left out for a reason', async () => {
  const tables = await app.ctx.db.writer.introspection.getTables();
  const ofUsers = tables
    .filter(({ columns }) => columns.some(({ name }) => name === 'user_id'))
    .map(({ name }) => name)
    // The log, its months and its rollups have a separate export.
    .filter((name) => !name.startsWith('usage_'));
  expect(ofUsers.toSorted()).toEqual([...Object.keys(exportedTables), ...Object.keys(tablesLeftOut)].toSorted());
  const user = await app.createUser('user');
  const taken: Record<string, unknown> = JSON.parse(await (await user.fetch(profile.export.path)).text());
  expect(Object.keys(taken).toSorted()).toEqual(Object.values(exportedTables).toSorted());
});

test('every kind of ledger entry is exported, except charges and limits of keys', async () => {
  const user = await app.createUser('user');
  await app.ctx.db.writer
    .insertInto('ledger_entry')
    .values(
      ledgerKind.options.map((kind) => ({
        kind,
        ref: `${kind} ${user.id}`,
        created_at: 7,
        user_id: user.id,
        api_key_id: null,
        user_amount: 0,
        key_amount: 0,
        note: kind,
      })),
    )
    .execute();
  const taken = JSON.parse(await (await user.fetch(profile.export.path)).text());
  const kinds = taken.movements
    .filter(({ created_at }: { created_at: number }) => created_at === 7)
    .map(({ kind }: { kind: string }) => kind);
  expect(kinds).toEqual(['adjust', 'gift', 'opening', 'refund', 'top-up']);
});

test('exports the orders, stored responses, saved views and the avatar of the user, and none of another user', async () => {
  const [user, other] = [await app.createUser('user'), await app.createUser('user')];
  const { writer } = app.ctx.db;
  const processor_id = await insertPaymentProvider(app.ctx, 'Export');
  const trades: string[] = [];
  for (const user_id of [user.id, other.id])
    for (let nth = 0; nth < 2; nth += 1) {
      const { trade_no } = await insertPaymentOrder(app.ctx, { user_id, processor_id, refunded_amount: nth * 100 });
      if (user_id === user.id) trades.push(trade_no);
      const id = `resp_${user_id}_${nth}`;
      await writer
        .insertInto('stored_response')
        .values({
          id,
          user_id,
          previous_id: null,
          channel_id: 5,
          key_id: 'key-of-the-operator',
          created_time: nth,
          expires_time: nth + 1,
          input: JSON.stringify([{ role: 'user', content: `question ${user_id}` }]),
          response: JSON.stringify({ id, output: [] }),
        })
        .execute();
      await writer
        .insertInto('saved_view')
        .values({ user_id, name: `view ${user_id} ${nth}`, search: 'by=model', created_time: nth })
        .execute();
    }
  for (const { id } of [user, other])
    await writer
      .insertInto('avatar')
      .values({ user_id: id, image: Buffer.from(`picture of ${id}`), changed_time: 1 })
      .execute();
  const taken: Record<string, unknown> = JSON.parse(await (await user.fetch(profile.export.path)).text());
  expect(taken).toMatchObject({
    avatar: Buffer.from(`picture of ${user.id}`).toString('base64'),
    orders: trades.map((trade_no, nth) => ({ trade_no, amount: 10, refunded_amount: nth, order_currency: 'CNY' })),
    responses: [0, 1].map((nth) => ({
      id: `resp_${user.id}_${nth}`,
      created_time: nth,
      input: [{ role: 'user', content: `question ${user.id}` }],
      response: { id: `resp_${user.id}_${nth}`, output: [] },
    })),
    saved_views: [0, 1].map((nth) => ({ name: `view ${user.id} ${nth}`, search: 'by=model' })),
  });
  for (const name of ['orders', 'responses', 'saved_views']) expect(taken[name]).toHaveLength(2);
  expect(JSON.stringify(taken)).not.toContain('key-of-the-operator');
});
