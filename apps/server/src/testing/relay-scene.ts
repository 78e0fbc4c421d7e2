/** Server with a channel to the scripted upstream, a user with a balance, and a key, ready for relayed calls. */
import type { Server } from 'node:http';
import { apiKeys as apiKeyRoutes, type apiKeys } from '@switchyard/contract/accounts/api-keys';
import { prices } from '@switchyard/contract/catalog/prices';
import { channels } from '@switchyard/contract/channels/channels';
import { settings } from '@switchyard/contract/operations/settings';
import type { RouteCall } from '@switchyard/contract/route';
import type { Selectable } from 'kysely';
import { afterAll, beforeEach } from 'vitest';
import { type ScriptedUpstream, startScriptedUpstream } from '../../../../tests/scripted-upstream/scripted-upstream.ts';
import { readShippedPrices } from '../catalog/prices/prices.ts';
import type { Context } from '../context.ts';
import type { UsageRecordTable } from '../ledger/table.ts';
import { waitForJobs } from '../operations/scheduler/scheduler.ts';
import { sleep, systemTimers } from '../platform/clock.ts';
import { setOptions } from './set-options.ts';
import { type SignedInUser, startTestApp, type TestApp, type TestAppOptions } from './start-test-app.ts';
import { createVisitor, signIn } from './visitor.ts';

/** Time at which a scene's clock is stopped, far from the end of a day and of a month. */
export const NOON = Date.UTC(2026, 5, 10, 12);
/** Channel types of the scripted upstream: OpenAI-compatible, Anthropic. */
export const OPENAI_COMPATIBLE = 8;
export const ANTHROPIC = 14;

type NewKey = RouteCall<(typeof apiKeys)['create']>['body'];
type NewChannel = RouteCall<(typeof channels)['create']>['body'];

export interface RelayScene extends TestApp {
  upstream: ScriptedUpstream;
  admin: SignedInUser;
  user: SignedInUser;
  /** Unlimited key of the user. */
  key: string;
  newKey(settings: Partial<NewKey>, owner?: SignedInUser): Promise<string>;
  /** Creates a channel. By default it offers every model of the scripted upstream. */
  newChannel(settings: Partial<NewChannel>): Promise<number>;
  /** Sends JSON by POST with a key. */
  post(
    path: string,
    body: unknown,
    options?: { key?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>;
  /** Sends one chat call. The model's name determines the behaviour of the scripted upstream. */
  chat(model: string, more?: Record<string, unknown>, key?: string): Promise<Response>;
  /**
   * Resets the server for the next test of a file: another user with a key, no channels, the default settings, no
   * requests and no records. The state of health, caps and rate limits for earlier users and channels stays.
   */
  reset(): Promise<void>;
  /** Resolves when the gateway has noticed that the next client left before the end of its response. */
  waitForDisconnect(): Promise<void>;
  /** Waits until no request is running, no job runs, and everything is committed. */
  waitUntilSettled(): Promise<void>;
  /** Returns the records since the last `reset`. */
  records(): Promise<Selectable<UsageRecordTable>[]>;
  balance(): Promise<number>;
}

export const unlimitedConcurrency = ['Token', 'User', 'Address'].map((of) => ({
  key: `ConcurrencyPer${of}`,
  value: '0',
}));

export async function startRelayScene(options: TestAppOptions & { quota?: number } = {}): Promise<RelayScene> {
  const upstream = await startScriptedUpstream();
  const app = await startTestApp(options);
  const admin = await app.createUser('root');
  // Without concurrency limits, unless a test sets them.
  await admin.api(settings).updateMany({ body: unlimitedConcurrency });
  const createCaller = () => app.createUser('user', { quota: options.quota ?? 100_000_000 });
  let recordsBefore = 0;

  const newKey = async (settings: Partial<NewKey>, owner = scene.user): Promise<string> =>
    (await owner.api(apiKeyRoutes).create({ body: { name: 'test', ...settings } })).key;
  const newChannel = async (settings: Partial<NewChannel>): Promise<number> => {
    const [channel] = await admin
      .api(channels)
      .create({
        body: {
          name: 'scripted',
          type: OPENAI_COMPATIBLE,
          base_url: upstream.url,
          models: ['scripted*'],
          key: 'sk-upstream',
          ...settings,
        },
      });
    if (channel === undefined) throw new Error('no channel was made');
    return channel.id;
  };
  const post: RelayScene['post'] = (path, body, { key: as = scene.key, headers = {}, signal } = {}) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });

  const scene: RelayScene = {
    ...app,
    upstream,
    admin,
    user: await createCaller(),
    key: '',
    newKey,
    newChannel,
    post,
    chat: (model, more = {}, as = scene.key) =>
      post(
        '/v1/chat/completions',
        { model, messages: [{ role: 'user', content: 'Say something.' }], ...more },
        { key: as },
      ),
    async reset() {
      await scene.waitUntilSettled();
      // Refills the retry budget.
      app.clock.advance(10);
      await disableAllChannels(app.ctx);
      // The test may have lasted longer than a session.
      Object.assign(admin, createVisitor(app.url, await signIn(app.url, admin.username, admin.password)));
      scene.user = await createCaller();
      scene.key = await newKey({ unlimited_quota: true });
      upstream.setScript(undefined);
      upstream.requests.length = 0;
      recordsBefore = (await scene.records()).at(-1)?.id ?? recordsBefore;
    },
    waitForDisconnect: observeDisconnects(app.app.server),
    async waitUntilSettled() {
      while (app.ctx.ledger.openHolds > 0) await sleep(systemTimers, 5);
      await waitForJobs(app.ctx);
      await app.ctx.ledger.transaction(async () => {});
    },
    records: () =>
      app.ctx.db.writer
        .selectFrom('usage_record')
        .selectAll()
        .where('type', 'in', ['consume', 'error'])
        .where('id', '>', recordsBefore)
        .orderBy('id')
        .execute(),
    async balance() {
      const row = await app.ctx.db.writer
        .selectFrom('user_account')
        .select('balance')
        .where('user_id', '=', scene.user.id)
        .executeTakeFirstOrThrow();
      return row.balance;
    },
    async close() {
      await app.close();
      await upstream.close();
    },
  };
  scene.key = await newKey({ unlimited_quota: true });
  return scene;
}

/** Disables all channels and resets the settings. */
async function disableAllChannels(ctx: Context): Promise<void> {
  await ctx.db.writer.updateTable('channel').set({ status: 'disabled' }).execute();
  await ctx.changes.publish({ topic: 'channels' });
  await ctx.db.writer.deleteFrom('setting').execute();
  await setOptions(ctx, Object.fromEntries(unlimitedConcurrency.map(({ key, value }) => [key, value])));
}

/** Returns a function whose promise resolves when the next client leaves before the end of its response. */
function observeDisconnects(server: Server): () => Promise<void> {
  const leaves: (() => void)[] = [];
  // The gateway's listener runs first.
  server.on('request', (_request, response) => {
    response.once('close', () => {
      if (!response.writableFinished) for (const noticed of leaves.splice(0)) noticed();
    });
  });
  return () => new Promise((resolve) => void leaves.push(resolve));
}

/** Starts one scene for all tests of a file. It is reset before each test, and closed after the last one. */
export async function useRelayScene(options: Parameters<typeof startRelayScene>[0] = {}): Promise<RelayScene> {
  const scene = await startRelayScene(options);
  let isNew = true;
  beforeEach(async () => {
    if (!isNew) await scene.reset();
    isNew = false;
  });
  afterAll(() => scene.close());
  return scene;
}

/** Removes shipped prices, for tests that price these models themselves. @param beginnings of their names */
export async function removeShippedPrices(
  admin: Pick<SignedInUser, 'api'>,
  beginnings: readonly string[],
): Promise<void> {
  const models = readShippedPrices()
    .map(({ model }) => model)
    .filter((model) => beginnings.some((beginning) => model.startsWith(beginning)));
  await admin.api(prices).removeMany({ body: { models } });
}
