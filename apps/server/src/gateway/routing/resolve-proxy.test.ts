import { expect, onTestFinished, test } from 'vitest';
import { startRelayScene } from '../../testing/relay-scene.ts';
import { sampleChannel } from '../../testing/routing-samples.ts';
import { createResolveProxy } from './resolve-proxy.ts';

const role = { role: 'user', roleSince: 0, hasSecondFactor: false } as const;
const user = { id: 7, username: 'ada', ...role, enabled: true, group: 'default' };
const buildRequest = (userId: number) => ({
  user: { ...user, id: userId },
  key: undefined,
  pinnedChannelId: undefined,
});

test('each user has a constant proxy session at each channel, which is never revealed', async () => {
  const scene = await startRelayScene();
  onTestFinished(() => scene.close());
  const proxyOf = createResolveProxy(scene.ctx.vault);
  const proxy = 'http://u-{session}:secret@proxy.test:8080';
  const [one, other] = [sampleChannel(1, { proxy }), sampleChannel(2, { proxy })];
  const first = proxyOf(one, buildRequest(7));
  expect(first).toMatch(/^http:\/\/u-[0-9a-f]{12}:secret@proxy\.test:8080$/);
  expect(proxyOf(one, buildRequest(7))).toBe(first);
  expect(new Set([first, proxyOf(one, buildRequest(8)), proxyOf(other, buildRequest(7))]).size).toBe(3);
  expect(proxyOf(sampleChannel(3, { proxy: 'http://proxy.test' }), buildRequest(7))).toBe('http://proxy.test');
});
