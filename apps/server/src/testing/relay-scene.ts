/** A server with a channel to the scripted upstream, a user with money, and a key: ready for relayed calls. */
import { apiKeys as apiKeyRoutes, type apiKeys } from '@switchyard/contract/api-keys';
import { channels } from '@switchyard/contract/channels';
import type { RouteCall } from '@switchyard/contract/route';
import { settings } from '@switchyard/contract/settings';
import type { Selectable } from 'kysely';
import {
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../../../tests/scripted-upstream/scripted-upstream.ts';
import type { UsageRecordTable } from '../ledger/table.ts';
import { type SignedIn, startTestApp, type TestApp, type TestAppOptions } from './start-test-app.ts';

type NewKey = RouteCall<(typeof apiKeys)['create']>['body'];
type NewChannel = RouteCall<(typeof channels)['create']>['body'];

export interface RelayScene extends TestApp {
  upstream: ScriptedUpstream;
  admin: SignedIn;
  user: SignedIn;
  /** An unlimited key of the user. */
  key: string;
  newKey(settings: Partial<NewKey>, owner?: SignedIn): Promise<string>;
  /** Offers every model from the scripted upstream unless told otherwise. */
  newChannel(settings: Partial<NewChannel>): Promise<number>;
  /** POSTs JSON with a key. */
  post(
    path: string,
    body: unknown,
    options?: { key?: string; headers?: Record<string, string>; signal?: AbortSignal },
  ): Promise<Response>;
  /** One chat call; the scripted upstream behaves as the model's name says. */
  chat(model: string, more?: Record<string, unknown>, key?: string): Promise<Response>;
  /** Waits until no request is on its way and everything is committed. */
  settled(): Promise<void>;
  records(): Promise<Selectable<UsageRecordTable>[]>;
  balance(): Promise<number>;
}

/** Types of the scripted upstream in the public API: OpenAI-compatible, Anthropic. */
export const OPENAI_COMPATIBLE = 8;
export const ANTHROPIC = 14;

export const noConcurrencyLimits = ['Token', 'User', 'Address'].map((of) => ({
  key: `ConcurrencyPer${of}`,
  value: '0',
}));

export async function startRelayScene(
  options: TestAppOptions & { quota?: number } = {},
): Promise<RelayScene> {
  const upstream = await startScriptedUpstream();
  const app = await startTestApp(options);
  const admin = await app.createUser('root');
  // Tests ask as much at once as they like, unless they are about that.
  await admin.api(settings).updateMany({ body: noConcurrencyLimits });
  const user = await app.createUser('user', { quota: options.quota ?? 100_000_000 });

  const newKey = async (settings: Partial<NewKey>, owner = user): Promise<string> =>
    (await owner.api(apiKeyRoutes).create({ body: { name: 'test', ...settings } })).key;
  const newChannel = async (settings: Partial<NewChannel>): Promise<number> => {
    const [channel] = await admin.api(channels).create({
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
  const key = await newKey({ unlimited_quota: true });
  const post: RelayScene['post'] = (path, body, { key: as = key, headers = {}, signal } = {}) =>
    fetch(app.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });

  return {
    ...app,
    upstream,
    admin,
    user,
    key,
    newKey,
    newChannel,
    post,
    chat: (model, more = {}, as = key) =>
      post(
        '/v1/chat/completions',
        { model, messages: [{ role: 'user', content: 'Say something.' }], ...more },
        { key: as },
      ),
    async settled() {
      while (app.ctx.ledger.openHolds > 0) await new Promise((resolve) => setTimeout(resolve, 5));
      await app.ctx.ledger.transaction(async () => {});
    },
    records: () =>
      app.ctx.db.writer
        .selectFrom('usage_record')
        .selectAll()
        .where('type', 'in', ['consume', 'error'])
        .orderBy('id')
        .execute(),
    async balance() {
      const row = await app.ctx.db.writer
        .selectFrom('user_account')
        .select('balance')
        .where('user_id', '=', user.id)
        .executeTakeFirstOrThrow();
      return row.balance;
    },
    async close() {
      await app.close();
      await upstream.close();
    },
  };
}
