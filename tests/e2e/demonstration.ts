/** The demonstration's month of usage with a stopped clock, and a browser, so that its pictures are always the same. */
import { randomBytes } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { createAccount } from '../../apps/server/src/accounts/users/users.ts';
import { createChannels } from '../../apps/server/src/channels/registry/registry.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import { startTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { fillDemo, type SettableClock } from '../../apps/server/src/tools/demo/fill-demo.ts';
import { startSimulatedProvider } from '../../apps/server/src/tools/demo/simulated-provider.ts';
import { createChannel } from '../../packages/contract/src/channels/channels.ts';
import { startBrowser } from './browser.ts';

/** A Wednesday at noon, in the middle of a month. */
export const DEMO_TIME = Date.UTC(2026, 5, 17, 12);

export interface DemoScene {
  url: string;
  browser: Browser;
  account: { username: string; password: string };
  /** Adds the given number of channels and users. */
  addBulkData(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startDemoScene(): Promise<DemoScene> {
  // Days and weekends of the invented calls are in this time zone.
  process.env['TZ'] = 'UTC';
  const account = { username: 'demo', password: randomBytes(12).toString('hex') };
  const [browser, provider, app] = await Promise.all([
    startBrowser(),
    startSimulatedProvider(),
    startTestApp({ now: DEMO_TIME, config: { root: account } }),
  ]);
  const clock: SettableClock = {
    ...app.clock,
    travelTo: (ms) => app.clock.set(ms),
    returnToPresent: () => app.clock.set(DEMO_TIME),
  };
  await fillDemo(app.ctx, clock, provider.url);
  // Its announcement would cover every screen.
  await setOptions(app.ctx, { AdminSecondFactorEnabled: 'false' });
  return {
    url: app.url,
    browser,
    account,
    async addBulkData(count) {
      const key = Array.from({ length: count }, (_, index) => `crowd-${index}`).join('\n');
      const models = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5'];
      await createChannels(
        app.ctx,
        createChannel.parse({ name: 'One of many', type: 8, base_url: provider.url, models, key }),
      );
      for (let index = 0; index < count; index += 1)
        await createAccount(app.ctx, { username: `person-${index}`, group: 'default', role: 'user' });
    },
    async close() {
      await Promise.all([browser.close(), provider.close(), app.close()]);
    },
  };
}
