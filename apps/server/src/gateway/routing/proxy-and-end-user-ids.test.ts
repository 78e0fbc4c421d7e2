import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRelayScene } from '../../testing/relay-scene.ts';
import { sampleChannel } from '../../testing/routing-samples.ts';
import { startTestVendor } from '../../testing/simulated-vendor.ts';
import { createResolveProxy } from './proxy-and-end-user-ids.ts';

const sent: string[] = [];
const vendor = await startTestVendor({}, ({ body }) => {
  const { user_id, user } = JSON.parse(body);
  sent.push(user_id ?? user);
  return { status: 400, json: { message: 'No.' } };
});
const scene = await startRelayScene();
afterAll(async () => {
  await scene.close();
  await vendor.close();
});

const agents = [
  { model: 'coze-1', type: 38 },
  { model: 'dify-1', type: 1206 },
];
beforeAll(async () => {
  for (const { model, type } of agents) await scene.newChannel({ type, models: [model], base_url: vendor.url });
});

test.each(agents)('separates the end users of one user at $model from those of others', async ({ model }) => {
  const other = await scene.createUser('user', { quota: 100_000_000 });
  const otherKey = await scene.newKey({ unlimited_quota: true }, other);
  const secondKey = await scene.newKey({ unlimited_quota: true });
  const readUserId = async (user: string | undefined, key: string): Promise<string | undefined> => {
    sent.length = 0;
    await scene.chat(model, { user }, key);
    return sent[0];
  };
  const ids = [
    await readUserId(undefined, scene.key),
    await readUserId('ada', scene.key),
    await readUserId('null', scene.key),
    await readUserId(undefined, otherKey),
    await readUserId('ada', otherKey),
  ];
  for (const id of ids) expect(id).toMatch(/^[\w-]{43}$/);
  expect(new Set(ids).size).toBe(ids.length);
  expect(await readUserId(undefined, scene.key)).toBe(ids[0]);
  expect(await readUserId('ada', secondKey)).toBe(ids[1]);
});

const role = { role: 'user', roleSince: 0, hasSecondFactor: false } as const;
const user = { id: 7, username: 'ada', ...role, enabled: true, group: 'default' };
const buildRequest = (userId: number) => ({
  user: { ...user, id: userId },
  key: undefined,
  pinnedChannelId: undefined,
});

test('each user has a constant proxy session at each channel, which is never revealed', () => {
  const proxyOf = createResolveProxy(scene.ctx.vault);
  const proxy = 'http://u-{session}:secret@proxy.test:8080';
  const [one, other] = [sampleChannel(1, { proxy }), sampleChannel(2, { proxy })];
  const first = proxyOf(one, buildRequest(7));
  expect(first).toMatch(/^http:\/\/u-[0-9a-f]{12}:secret@proxy\.test:8080$/);
  expect(proxyOf(one, buildRequest(7))).toBe(first);
  expect(new Set([first, proxyOf(one, buildRequest(8)), proxyOf(other, buildRequest(7))]).size).toBe(3);
  expect(proxyOf(sampleChannel(3, { proxy: 'http://proxy.test' }), buildRequest(7))).toBe('http://proxy.test');
});
