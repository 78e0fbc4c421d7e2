import { apiKeySetting, type CreateApiKey } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { toPoints } from '@switchyard/contract/money';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { type RealtimeUpstream, startRealtimeUpstream } from '../../../../../tests/scripted-upstream/realtime.ts';
import { isOnPostgres } from '../../../../../tests/test-database.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { getSqliteEngine } from '../../testing/any-table.ts';
import { closeRealtime, connectRealtime, expireReport, getErrorCode } from '../../testing/realtime-test-client.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';

const POINT = 2 * RATE_OF_USD_PER_MILLION;
/** 500 + 300 tokens to read, 150 + 600 to write, a point each. */
const FIRST_HOLD = 1_550;
/** Usage that the scripted upstream reports: 132 input tokens, 121 output tokens. */
const RESPONSE_POINTS = 253;

let scene: RelayScene;
let upstream: RealtimeUpstream;

beforeAll(async () => {
  scene = await startRelayScene({ quota: 10_000_000 });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*', 'free*'], base_url: upstream.url });
  const flat = rates.parse({ input: POINT, output: POINT });
  await scene.admin.api(prices).create({ body: { model: 'live*', rates: flat } });
  await scene.admin.api(prices).create({ body: { model: 'free*', rates: rates.parse({ input: 0, output: 0 }) } });
  await scene.admin.api(prices).create({ body: { model: 'scripted-transcriber', rates: flat } });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
});

const item = (letters: number) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'word '.repeat(letters / 5) }] },
});
/** End of a response that has begun by itself. */
const reportedResponse = {
  type: 'response.done',
  response: { id: 'reported', usage: { input_tokens: 132, output_tokens: 121 } },
};
const holds = () => scene.ctx.db.writer.selectFrom('hold').selectAll().execute();

/** @param day budget of a token for a day, in points */
function settingWith(day: number) {
  const setting = apiKeySetting.parse({});
  return { ...setting, limits: { ...setting.limits, budgets: { day: toPoints(day), week: null, month: null } } };
}

test('reserves points for client input before the upstream receives it', async () => {
  const caller = connectRealtime(scene, 'live-added');
  await caller.waitForEvent('session.created');
  expect((await holds())[0]?.amount).toBe(FIRST_HOLD);
  caller.send(item(40_000));
  await expect.poll(() => upstream.sessions.at(-1)?.receivedEvents.length).toBe(1);
  expect((await holds())[0]?.amount).toBeGreaterThan(10_000);
  await closeRealtime(caller);
  await scene.waitUntilSettled();
});

test('client input beyond the balance ends the session, and the upstream never receives it', async () => {
  const before = (await scene.records()).length;
  const key = await scene.newKey({ remain_quota: toPoints(FIRST_HOLD + 100) });
  const caller = connectRealtime(scene, 'live-added', { key });
  await caller.waitForEvent('session.created');
  caller.send(item(40_000));
  expect(getErrorCode(await caller.waitForEvent('error'))).toBe('insufficient_quota');
  expect((await caller.closed).code).toBe(1008);
  await scene.waitUntilSettled();
  expect(upstream.sessions.at(-1)?.receivedEvents).toEqual([]);
  expect((await scene.records()).slice(before)).toMatchObject([{ type: 'error', quota: 0 }]);
});

test('a little that is added again and again costs no write each time', async () => {
  const caller = connectRealtime(scene, 'live-added');
  await caller.waitForEvent('session.created');
  const audio = Buffer.alloc(4_800).toString('base64');
  const tenSeconds = async (): Promise<void> => {
    const before = upstream.sessions.at(-1)?.receivedEvents.length ?? 0;
    for (let tenth = 0; tenth < 100; tenth += 1) caller.send({ type: 'input_audio_buffer.append', audio });
    await expect.poll(() => upstream.sessions.at(-1)?.receivedEvents.length).toBe(before + 100);
  };
  await tenSeconds();
  expect((await holds())[0]?.amount).toBe(FIRST_HOLD);
  caller.send({ type: 'response.create' });
  await caller.waitForEvent('response.done');
  await tenSeconds();
  expect((await holds())[0]?.amount).toBe(FIRST_HOLD + RESPONSE_POINTS);
  await closeRealtime(caller);
});

test('a response concurrent to the one that used up the balance is charged for the delivered content', async () => {
  const before = (await scene.records()).length;
  const key = await scene.newKey({ remain_quota: toPoints(FIRST_HOLD + 100) });
  const caller = connectRealtime(scene, 'live-beside', { key });
  await caller.waitForEvent('session.created');
  const session = upstream.sessions.at(-1);
  session?.send({ type: 'response.created', response: { id: 'beside' } });
  session?.send({ type: 'response.output_text.delta', response_id: 'beside', delta: 'word '.repeat(40) });
  await caller.waitForEvent('response.output_text.delta');
  session?.send(reportedResponse);
  expect(getErrorCode(await caller.waitForEvent('error'))).toBe('insufficient_quota');
  await caller.closed;
  await expireReport(scene, upstream);
  await expect.poll(async () => (await scene.records()).length).toBe(before + 2);
  const [done, beside] = (await scene.records()).slice(before);
  expect(done).toMatchObject({ usage_source: 'reported', completion_tokens: 121 });
  expect(beside).toMatchObject({ type: 'consume', usage_source: 'estimated' });
  expect(beside?.completion_tokens).toBeGreaterThan(0);
});

test.each<[string, { quota: number }, Partial<CreateApiKey>]>([
  ['balance', { quota: 2_000 }, { unlimited_quota: true }],
  ['token’s quota', { quota: 1_000_000 }, { remain_quota: toPoints(2_000) }],
  ['token’s budget', { quota: 1_000_000 }, { unlimited_quota: true, setting: settingWith(2_000) }],
])('a response concurrent to the one that left the %s negative is charged, too', async (_limit, owned, limits) => {
  const before = (await scene.records()).length;
  const user = await scene.createUser('user', owned);
  const caller = connectRealtime(scene, 'live-beside', { key: await scene.newKey(limits, user) });
  await caller.waitForEvent('session.created');
  const session = upstream.sessions.at(-1);
  for (const [id, words] of Object.entries({ long: 4_000, beside: 40 })) {
    session?.send({ type: 'response.created', response: { id } });
    session?.send({ type: 'response.output_text.delta', response_id: id, delta: 'word '.repeat(words) });
  }
  session?.send({ type: 'response.done', response: { id: 'long' } });
  await caller.closed;
  await expireReport(scene, upstream);
  await expect.poll(async () => (await scene.records()).length).toBe(before + 2);
  const [long, beside] = (await scene.records()).slice(before);
  expect(long?.quota).toBeGreaterThan(2_000);
  expect(beside).toMatchObject({ type: 'consume', usage_source: 'estimated' });
  expect(beside?.completion_tokens).toBeGreaterThan(0);
  const charged = (long?.quota ?? 0) + (beside?.quota ?? 0);
  expect(owned.quota - (await scene.ctx.ledger.readAvailable(user.id))).toBe(charged);
  expect(await holds()).toEqual([]);
});

test('a running response is charged for its delivered part if its hold could not grow', async ({ skip }) => {
  if (isOnPostgres) return skip('The triggers are those of SQLite');
  const before = (await scene.records()).length;
  const caller = connectRealtime(scene, 'live-unraised');
  await caller.waitForEvent('session.created');
  const session = upstream.sessions.at(-1);
  session?.send({ type: 'response.created', response: { id: 'running' } });
  session?.send({ type: 'response.output_text.delta', response_id: 'running', delta: 'word '.repeat(40) });
  await caller.waitForEvent('response.output_text.delta');
  const { connection } = getSqliteEngine(scene.ctx.db);
  connection.exec(`
    create trigger refuse_raise before update of amount on hold begin select raise(fail, 'no'); end;
    create trigger refuse_hold before insert on hold begin select raise(fail, 'no'); end`);
  caller.send(item(40_000));
  await caller.closed;
  await expireReport(scene, upstream);
  await expect.poll(async () => (await scene.records()).length).toBe(before + 1);
  connection.exec('drop trigger refuse_raise; drop trigger refuse_hold');
  const [running] = (await scene.records()).slice(before);
  expect(running).toMatchObject({ type: 'consume', usage_source: 'estimated' });
  expect(running?.completion_tokens).toBeGreaterThan(0);
  expect(await holds()).toEqual([]);
});

test('a response that runs beside another is charged when the storage is back that took no hold for it', async () => {
  const before = (await scene.records()).length;
  const caller = connectRealtime(scene, 'live-outage');
  await caller.waitForEvent('session.created');
  const session = upstream.sessions.at(-1);
  session?.send({ type: 'response.created', response: { id: 'beside' } });
  session?.send({ type: 'response.output_text.delta', response_id: 'beside', delta: 'word '.repeat(40) });
  await caller.waitForEvent('response.output_text.delta');
  const hold = vi.spyOn(scene.ctx.ledger, 'hold').mockRejectedValue(new AppError('unavailable', 'away'));
  onTestFinished(() => hold.mockRestore());
  session?.send(reportedResponse);
  await caller.closed;
  await expect.poll(async () => (await scene.records()).length).toBe(before + 1);
  await expect.poll(() => hold.mock.calls.length).toBe(2);
  hold.mockRestore();
  const charged = async (): Promise<number> => {
    scene.clock.advance(1);
    return (await scene.records()).length;
  };
  await expect.poll(charged).toBe(before + 2);
  const beside = (await scene.records()).at(-1);
  expect(beside).toMatchObject({ type: 'consume', usage_source: 'estimated' });
  expect(beside?.completion_tokens).toBeGreaterThan(0);
  expect(await holds()).toEqual([]);
});

test('a session that is free, with a transcriber that is not, ends when that cannot be paid', async () => {
  const user = await scene.createUser('user', { quota: 50 });
  const key = await scene.newKey({ unlimited_quota: true }, user);
  const caller = connectRealtime(scene, 'free-transcribed', { key });
  await caller.waitForEvent('session.created');
  for (let turn = 0; turn < 10; turn += 1) caller.send({ type: 'input_audio_buffer.commit' });
  expect(getErrorCode(await caller.waitForEvent('error'))).toBe('insufficient_quota');
  await caller.closed;
  await scene.waitUntilSettled();
});

describe('a transcription whose end is not reported', () => {
  const kind = 'conversation.item.input_audio_transcription';
  const committed = { type: 'input_audio_buffer.committed', item_id: 'i' };
  const delta = { type: `${kind}.delta`, item_id: 'i', content_index: 0, delta: 'eight ch' };
  /** 100 tokens. */
  const tenSeconds = { type: 'input_audio_buffer.append', audio: Buffer.alloc(480_000).toString('base64') };

  async function hear(model: string, events: readonly object[]) {
    const before = (await scene.records()).length;
    const caller = connectRealtime(scene, model);
    await caller.waitForEvent('session.created');
    caller.send(tenSeconds);
    const session = upstream.sessions.at(-1);
    await expect.poll(() => session?.receivedEvents.length).toBe(1);
    for (const event of [...events, { type: 'last' }]) session?.send(event);
    await caller.waitForEvent('last');
    const newRecords = async () => {
      await scene.waitUntilSettled();
      return (await scene.records()).slice(before);
    };
    return { caller, session, newRecords };
  }

  test.each([
    ['an item is committed', [committed, delta]],
    ['its audio is still in the buffer', [delta]],
  ])('is charged for its audio and its text when the client disconnects and %s', async (_when, events) => {
    const balance = await scene.balance();
    const { caller, newRecords } = await hear('live-transcribed', events);
    caller.socket.terminate();
    const records = await newRecords();
    expect(records).toMatchObject([
      { type: 'consume', model: 'scripted-transcriber', usage_source: 'estimated', prompt_tokens: 100, quota: 102 },
    ]);
    expect(balance - (await scene.balance())).toBe(102);
    expect(await holds()).toEqual([]);
  });

  test('a transcription is charged when the upstream ends the session', async () => {
    const { caller, session, newRecords } = await hear('live-transcribed', [committed, delta]);
    session?.socket.terminate();
    await caller.closed;
    expect(await newRecords()).toMatchObject([{ model: 'scripted-transcriber', quota: 102 }]);
  });

  test('a transcription and a running response are charged together, each by the price of its model', async () => {
    await scene.admin
      .api(prices)
      .create({ body: { model: 'dear-transcribed', rates: rates.parse({ input: 5 * POINT, output: 5 * POINT }) } });
    await scene.newChannel({ models: ['dear-transcribed'], base_url: upstream.url });
    const { caller, newRecords } = await hear('dear-transcribed', [
      committed,
      delta,
      { type: 'response.created', response: { id: 'r' } },
      { type: 'response.output_text.delta', response_id: 'r', delta: 'eight ch' },
    ]);
    caller.socket.terminate();
    await expireReport(scene, upstream);
    const records = await newRecords();
    expect(records).toMatchObject([{ model: 'dear-transcribed', prompt_tokens: 200, completion_tokens: 4 }]);
    expect(records[0]?.quota).toBe(5 * 102 + 102);
  });

  test('a checkpoint of the hold has the transcription, in case the process dies', async () => {
    const { caller, newRecords } = await hear('live-transcribed', [committed, delta]);
    scene.clock.advance(1);
    await expect.poll(async () => (await holds())[0]?.checkpoint ?? '').toContain('"charge":102');
    await closeRealtime(caller);
    expect(await newRecords()).toHaveLength(1);
  });

  test('a transcription that has delivered nothing, or has failed, costs nothing', async () => {
    const { caller, newRecords } = await hear('live-transcribed', [
      committed,
      { type: `${kind}.failed`, item_id: 'i' },
    ]);
    await closeRealtime(caller);
    expect(await newRecords()).toEqual([]);
  });
});

describe('a session in which responses do not begin by themselves', () => {
  /** 1,000 tokens of telephone sound. */
  const audio = Buffer.alloc(800_000).toString('base64');
  const format = { type: 'audio/pcmu' };
  const transcription = { model: 'scripted-transcriber' };

  async function open(settings: object, quota: number) {
    const key = await scene.newKey({ remain_quota: toPoints(quota) });
    const caller = connectRealtime(scene, 'live-transcribed', { key });
    await caller.waitForEvent('session.created');
    const session = upstream.sessions.at(-1);
    session?.send({ type: 'session.updated', session: settings });
    await caller.waitForEvent('session.updated');
    return { caller, session };
  }

  test('audio is transcribed although the user could not pay for it at the price of the session’s model', async () => {
    const before = (await scene.records()).length;
    const input = { format, transcription, turn_detection: null };
    const { caller } = await open({ type: 'transcription', audio: { input } }, FIRST_HOLD + 1_500);
    for (let turn = 0; turn < 10; turn += 1) {
      caller.send({ type: 'input_audio_buffer.append', audio });
      caller.send({ type: 'input_audio_buffer.commit' });
      await caller.waitForEvent('conversation.item.input_audio_transcription.completed');
    }
    await closeRealtime(caller);
    await scene.waitUntilSettled();
    const records = (await scene.records()).slice(before);
    expect(records.map(({ quota }) => quota)).toEqual(Array.from({ length: 10 }, () => 22));
  });

  test('the session ends before audio is sent whose transcription cannot be paid', async () => {
    const input = { format, transcription, turn_detection: null };
    const { caller, session } = await open({ type: 'transcription', audio: { input } }, FIRST_HOLD + 1_000);
    caller.send({ type: 'input_audio_buffer.append', audio });
    await expect.poll(() => session?.receivedEvents.length).toBe(1);
    caller.send({ type: 'input_audio_buffer.append', audio });
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('insufficient_quota');
    await caller.closed;
    expect(session?.receivedEvents).toHaveLength(1);
    await scene.waitUntilSettled();
  });

  test('all audio is reserved when the client requests a response', async () => {
    const input = { format, transcription: null, turn_detection: null };
    const { caller, session } = await open({ type: 'realtime', audio: { input } }, FIRST_HOLD + 1_000);
    for (let turn = 0; turn < 3; turn += 1) caller.send({ type: 'input_audio_buffer.append', audio });
    await expect.poll(() => session?.receivedEvents.length).toBe(3);
    caller.send({ type: 'response.create' });
    expect(getErrorCode(await caller.waitForEvent('error'))).toBe('insufficient_quota');
    await caller.closed;
    expect(session?.receivedEvents).toHaveLength(3);
    await scene.waitUntilSettled();
  });
});

test('each response is charged by the price at which it began', async () => {
  const before = (await scene.records()).length;
  const cheap = rates.parse({ input: POINT, output: POINT });
  await scene.admin.api(prices).create({ body: { model: 'live-dearer', rates: cheap } });
  const caller = connectRealtime(scene, 'live-dearer');
  await caller.waitForEvent('session.created');
  const dear = rates.parse({ input: 2 * POINT, output: 2 * POINT });
  for (let response = 0; response < 3; response += 1) {
    if (response === 1)
      await scene.admin
        .api(prices)
        .update({ params: { model: 'live-dearer' }, body: { model: 'live-dearer', rates: dear } });
    caller.send({ type: 'response.create' });
    await caller.waitForEvent('response.done');
  }
  await closeRealtime(caller);
  await scene.waitUntilSettled();
  const records = (await scene.records()).slice(before);
  expect(records.map(({ quota }) => quota)).toEqual([RESPONSE_POINTS, RESPONSE_POINTS, 2 * RESPONSE_POINTS]);
});

describe('a price by the unit', () => {
  const UNIT = 1_000;
  const NANO = RATE_OF_USD_PER_MILLION * 2;
  const free = { input: 0, output: 0 };

  test.each(['second', 'character', 'image'])(
    'each response costs at least one %s, which is reserved',
    async (unit) => {
      const model = `live-${unit}`;
      const byUnit = rates.parse({ ...free, [unit]: UNIT * NANO });
      await scene.admin.api(prices).create({ body: { model, rates: byUnit } });
      const before = (await scene.records()).length;
      const user = await scene.createUser('user', { quota: 10 * UNIT });
      const caller = connectRealtime(scene, model, { key: await scene.newKey({ unlimited_quota: true }, user) });
      await caller.waitForEvent('session.created');
      expect((await holds())[0]?.amount).toBe(UNIT);
      for (let response = 0; response < 3; response += 1) {
        caller.send({ type: 'response.create' });
        await caller.waitForEvent('response.done');
      }
      expect((await holds())[0]?.amount).toBe(2 * UNIT);
      // One that is running is charged, too.
      upstream.sessions.at(-1)?.send({ type: 'response.output_text.delta', response_id: 'r', delta: 'word' });
      await caller.waitForEvent('response.output_text.delta');
      caller.socket.terminate();
      await expireReport(scene, upstream);
      await expect.poll(async () => (await scene.records()).length).toBe(before + 4);
      const records = (await scene.records()).slice(before);
      expect(records.map(({ quota }) => quota)).toEqual([UNIT, UNIT, UNIT, UNIT]);
      await scene.waitUntilSettled();
      expect(await scene.ctx.ledger.readAvailable(user.id)).toBe(6 * UNIT);
    },
  );

  test('opens no session without a balance for one unit', async () => {
    const byUnit = rates.parse({ ...free, second: UNIT * NANO });
    await scene.admin.api(prices).create({ body: { model: 'live-poor', rates: byUnit } });
    const user = await scene.createUser('user', { quota: UNIT - 1 });
    const caller = connectRealtime(scene, 'live-poor', { key: await scene.newKey({ unlimited_quota: true }, user) });
    expect((await caller.rejection).status).toBe(429);
  });
});
