/** Content rules of every kind for the events that a client sends in a session. */
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { RATE_OF_USD_PER_MILLION, rates } from '@switchyard/contract/catalog/price-rates';
import { prices } from '@switchyard/contract/catalog/prices';
import { contentSafety, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type RealtimeUpstream, startRealtimeUpstream } from '../../../../../tests/scripted-upstream/realtime.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { closeRealtime, connectRealtime, type RealtimeTestClient } from '../../testing/realtime-test-client.ts';
import { type RelayScene, startRelayScene } from '../../testing/relay-scene.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';

let scene: RelayScene;
let upstream: RealtimeUpstream;
/** Texts that the checks have received. */
let checked: string[] = [];
/** Decides about a text; undefined: never. */
let judge: (text: string) => Promise<boolean> | boolean | undefined = () => false;

const vendor = await startTestVendor({}, async ({ body }) => {
  const { data, input } = JSON.parse(body);
  const text = (data?.texts ?? input).join('\n');
  checked.push(text);
  const flagged = await judge(text);
  if (flagged === undefined) return 'silence';
  return { json: data === undefined ? { id: 'm', model: 'omni-moderation', results: [{ flagged }] } : { flagged } };
});

beforeAll(async () => {
  scene = await startRelayScene({ quota: 10_000_000 });
  upstream = await startRealtimeUpstream();
  await scene.newChannel({ models: ['live*'], base_url: upstream.url });
  await scene.newChannel({ models: ['omni-moderation'], base_url: vendor.url, type: 1 });
  const perToken = rates.parse({ input: RATE_OF_USD_PER_MILLION, output: RATE_OF_USD_PER_MILLION });
  await scene.admin.api(prices).create({ body: { model: 'live*', rates: perToken } });
});
afterAll(async () => {
  await scene.close();
  await upstream.close();
  await vendor.close();
});
beforeEach(() => {
  checked = [];
  judge = (text) => text.includes('worse');
});
afterEach(async () => {
  const rules = scene.admin.api(contentSafety);
  for (const { id } of await rules.list()) await rules.remove({ params: { id } });
});

const addRule = async (form: object): Promise<void> => {
  const whole = safetyRuleForm.parse({ name: 'Check', action: 'refuse', ...form });
  await scene.admin.api(contentSafety).create({ body: whole });
};
const webhook = { kind: 'webhook', url: `${vendor.url}/check` };
const model = { kind: 'moderation', model: 'omni-moderation' };
const kinds = [
  ['a webhook', webhook],
  ['a model', model],
] as const;

const toItem = (text: string) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
async function open(key = scene.key): Promise<RealtimeTestClient> {
  const caller = connectRealtime(scene, 'live-2', { key });
  await caller.waitForEvent('session.created');
  return caller;
}
const received = (): string => JSON.stringify(upstream.sessions.at(-1)?.receivedEvents);
/** Waits until the upstream responds, so that it has received everything that was sent before. */
async function respond(caller: RealtimeTestClient): Promise<void> {
  caller.send({ type: 'response.create' });
  await caller.waitForEvent('response.done');
}

describe.each(kinds)('a check by %s', (_kind, check) => {
  test('forwards the events that pass, and ends the session at one that is refused', async () => {
    await addRule(check);
    const caller = await open();
    caller.send({ type: 'session.update', session: { type: 'realtime', instructions: 'Be brief.' } });
    caller.send(toItem('a text'));
    await respond(caller);
    expect(checked).toEqual(['Be brief.', 'a text']);
    caller.send(toItem('something worse'));
    caller.send(toItem('sent afterwards'));
    expect(await caller.waitForEvent('error')).toMatchObject({ error: { code: 'content_filter' } });
    await caller.closed;
    expect(received()).toContain('Be brief.');
    expect(received()).toContain('a text');
    expect(received()).not.toMatch(/worse|afterwards/);
  });

  test.each(['pass', 'refuse'])('follows the rule when the check does not respond: %s', async (on_failure) => {
    await addRule({ ...check, on_failure, timeout_ms: 300 });
    judge = () => undefined;
    const caller = await open();
    caller.send(toItem('unchecked'));
    if (on_failure === 'pass') {
      await respond(caller);
      expect(received()).toContain('unchecked');
      return closeRealtime(caller);
    }
    expect(await caller.waitForEvent('error')).toMatchObject({ error: { code: 'content_filter' } });
    expect(received()).not.toContain('unchecked');
  });

  test('keeps the order of events during a slow check', async () => {
    await addRule(check);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    judge = (text) => (text === 'first' ? promise : false);
    const caller = await open();
    const before = upstream.sessions.at(-1)?.receivedEvents.length ?? 0;
    for (const text of ['first', 'second', 'third']) caller.send(toItem(text));
    await expect.poll(() => checked).toEqual(['first']);
    expect(upstream.sessions.at(-1)?.receivedEvents).toHaveLength(before);
    resolve(false);
    await respond(caller);
    expect(checked).toEqual(['first', 'second', 'third']);
    expect(received()).toMatch(/first.*second.*third/);
    await closeRealtime(caller);
  });

  test.each([
    ['during', 'slow'],
    ['after', 'fast'],
  ])('ends the session when its token is deleted %s a check', async (_when, text) => {
    await addRule(check);
    const { promise, resolve } = Promise.withResolvers<boolean>();
    judge = (text) => (text === 'slow' ? promise : false);
    const token = await scene.user.api(apiKeys).create({ body: { name: 'short', unlimited_quota: true } });
    const caller = await open(token.key);
    caller.send(toItem(text));
    await expect.poll(() => checked).toEqual([text]);
    if (text === 'fast') await respond(caller);
    await scene.user.api(apiKeys).remove({ params: { id: token.id } });
    await caller.waitForEvent('error');
    await caller.closed;
    resolve(false);
    await scene.waitUntilSettled();
    expect(received()).not.toContain('slow');
  });
});

test('applies rules that are created and removed during the session', async () => {
  const caller = await open();
  caller.send(toItem('worse before'));
  await respond(caller);
  await addRule({ kind: 'words', name: 'Words', action: 'mask', words: ['bomb'] });
  caller.send(toItem('a bomb'));
  await respond(caller);
  await addRule(webhook);
  caller.send(toItem('no bomb'));
  await respond(caller);
  expect(checked).toEqual(['no ***']);
  const rules = scene.admin.api(contentSafety);
  for (const { id } of await rules.list()) await rules.remove({ params: { id } });
  caller.send(toItem('worse bomb'));
  await respond(caller);
  for (const text of ['worse before', 'a ***', 'no ***', 'worse bomb']) expect(received()).toContain(text);
  expect(checked).toEqual(['no ***']);
  await closeRealtime(caller);
});

test('gives no audio, images and ids to a check', async () => {
  await addRule(webhook);
  const caller = await open();
  const audio = Buffer.alloc(960, 7).toString('base64');
  const image_url = `data:image/png;base64,${audio}`;
  caller.send({ type: 'input_audio_buffer.append', event_id: 'event_1', audio });
  const content = [
    { type: 'input_audio', audio },
    { type: 'input_image', image_url },
  ];
  caller.send({
    type: 'conversation.item.create',
    event_id: 'event_2',
    previous_item_id: 'item_1',
    item: { id: 'item_2', type: 'message', role: 'user', content },
  });
  await respond(caller);
  expect(received()).toContain('item_2');
  expect(checked).toEqual([]);
  await closeRealtime(caller);
});

test('masks an event of megabytes in turns with other work, and before the events that follow', async () => {
  await addRule({ kind: 'words', name: 'Words', action: 'mask', words: ['bomb'] });
  const caller = await open();
  const text = 'a bomb in a text; '.repeat(150_000);
  const turn = await measureLongestBlockRepeatedly(async () => {
    caller.send(toItem(text));
    caller.send(toItem('a bomb afterwards'));
    await respond(caller);
  });
  expect(received()).not.toContain('bomb');
  expect(received()).toMatch(/\*{3} in a text; "[^*]*a \*{3} afterwards/);
  expect(turn).toBeLessThan(60);
  await closeRealtime(caller);
});
