/** Valid calls of the routes by which users change access to their account, or its notifications. */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { identities } from '@switchyard/contract/accounts/identities';
import { passkeys } from '@switchyard/contract/accounts/passkeys';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { deliveryAttemptId } from '@switchyard/contract/ids';
import { toPoints } from '@switchyard/contract/money';
import { notifications } from '@switchyard/contract/operations/notifications';
import { telegram } from '@switchyard/contract/operations/telegram';
import { issueCode } from '../../apps/server/src/accounts/one-time-secrets/one-time-secrets.ts';
import { startWechat, wechatToken } from '../../apps/server/src/testing/scripted-identity-providers/wechat.ts';
import { addPasskey, addTotp } from '../../apps/server/src/testing/second-factors.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import type { SignedInUser } from '../../apps/server/src/testing/start-test-app.ts';
import { signIn } from '../../apps/server/src/testing/visitor.ts';
import type { AdminScene } from './admin-calls.ts';

export interface UserCall {
  route: string;
  by: SignedInUser;
  run: () => Promise<unknown>;
}

/** Users whose calls succeed in the order of the list, on the server of the administrators' calls. */
export async function createUserCalls({
  app,
  root,
}: AdminScene): Promise<{ calls: readonly UserCall[]; close: () => Promise<void> }> {
  const wechat = await startWechat();
  await setOptions(app.ctx, {
    WeChatAuthEnabled: 'true',
    WeChatServerAddress: wechat.url,
    WeChatServerToken: wechatToken,
  });
  const [user, leaving, gone] = await Promise.all([
    app.createUser('user'),
    app.createUser('user'),
    app.createUser('user'),
  ]);
  // The other session that the user ends.
  await signIn(app.url, user.username, user.password);
  const callsBy = (by: SignedInUser, calls: Readonly<Record<string, () => Promise<unknown>>>): UserCall[] =>
    Object.entries(calls).map(([route, run]) => ({ route, by, run }));
  return {
    calls: [
      ...callsBy(user, callsOnKeys(user)),
      ...callsBy(user, callsOnSignIn(app, user, wechat)),
      ...callsBy(user, callsOnNotifications(app, user)),
      ...callsBy(user, {
        'profile.update': () => user.api(profile).update({ body: { display_name: 'Renamed' } }),
        'redemptionCodes.redeem': async () => {
          const body = { name: 'Given', quota: toPoints(5), count: 1 };
          const [key = ''] = await root.api(redemptionCodes).create({ body });
          return user.api(redemptionCodes).redeem({ body: { key } });
        },
        'profile.endSession': async () => {
          const other = (await user.api(profile).listSessions()).find(({ current }) => !current);
          return user.api(profile).endSession({ params: { id: other?.id ?? '' } });
        },
      }),
      ...callsBy(leaving, { 'profile.endSessions': () => leaving.api(profile).endSessions() }),
      ...callsBy(gone, { 'profile.remove': () => gone.api(profile).remove() }),
    ],
    close: () => wechat.close(),
  };
}

function callsOnKeys(user: SignedInUser): Record<string, () => Promise<unknown>> {
  const keys = user.api(apiKeys);
  const tokens = user.api(accessTokens);
  const newestKey = async () => {
    const [key] = (await keys.list({ query: { size: 1, order: '-id' } })).data;
    if (key === undefined) throw new Error('the user has no key');
    return { id: key.id };
  };
  return {
    'apiKeys.create': () => keys.create({ body: { name: 'audited' } }),
    'apiKeys.update': async () => keys.update({ body: { ...(await newestKey()), name: 'renamed' } }),
    'apiKeys.reveal': async () => keys.reveal({ params: await newestKey() }),
    'apiKeys.rotate': async () => keys.rotate({ params: await newestKey() }),
    'apiKeys.remove': async () => keys.remove({ params: await newestKey() }),
    'accessTokens.create': () =>
      tokens.create({ body: { name: 'audited', scopes: ['user'], read_only: true, expires_time: 0 } }),
    'accessTokens.remove': async () => {
      const [token] = await tokens.list();
      if (token === undefined) throw new Error('the user has no access token');
      return tokens.remove({ params: { id: token.id } });
    },
    'accessTokens.replace': () => tokens.replace(),
  };
}

function callsOnSignIn(
  app: AdminScene['app'],
  user: SignedInUser,
  wechat: Awaited<ReturnType<typeof startWechat>>,
): Record<string, () => Promise<unknown>> {
  const firstPasskey = async () => {
    const [passkey] = await user.api(passkeys).list();
    if (passkey === undefined) throw new Error('the user has no passkey');
    return { id: passkey.id };
  };
  return {
    'passkeys.finishRegistration': () => addPasskey(user, 'https://gate.example'),
    'passkeys.rename': async () =>
      user.api(passkeys).rename({ params: await firstPasskey(), body: { alias: 'renamed' } }),
    'passkeys.remove': async () => user.api(passkeys).remove({ params: await firstPasskey() }),
    'secondFactor.finishTotp': () => addTotp(user, () => app.clock.now()),
    'secondFactor.makeRecoveryCodes': () => user.api(secondFactor).makeRecoveryCodes(),
    'secondFactor.removeTotp': () => user.api(secondFactor).removeTotp(),
    'identities.bindWechat': async () => {
      await user.api(identities).startWechat();
      return user.api(identities).bindWechat({ query: { code: wechat.createCode('audited') } });
    },
    'identities.unbind': () => user.api(identities).unbind({ body: { type: 'wechat' } }),
    'profile.bindEmail': async () => {
      const device = /switchyard_device=([\w-]+)/.exec(user.identity['cookie'] ?? '')?.[1] ?? '';
      const email = 'audited@example.org';
      const deviceHash = app.ctx.vault.fingerprint(device);
      const code = await issueCode(app.ctx, { purpose: 'mail-code', deviceHash, subject: email, seconds: 600 });
      return user.api(profile).bindEmail({ query: { email, code } });
    },
  };
}

function callsOnNotifications(app: AdminScene['app'], user: SignedInUser): Record<string, () => Promise<unknown>> {
  const own = user.api(notifications);
  const target = async () => {
    const [first] = await own.listOwn();
    if (first === undefined) throw new Error('the user has no notification channel');
    return { id: first.id };
  };
  return {
    'alerts.createOwn': async () => {
      await app.ctx.db.writer
        .insertInto('identity')
        .values({
          provider: 'telegram',
          issuer: 'https://telegram.org',
          subject: '42',
          user_id: user.id,
          label: '@audited',
          created_time: 0,
        })
        .execute();
      return own.createOwn({
        body: { type: 'telegram', name: 'Phone', events: ['low-balance'], enabled: true, config: {} },
      });
    },
    'alerts.updateOwn': async () => own.updateOwn({ params: await target(), body: { name: 'Other phone' } }),
    'alerts.testOwn': async () => own.testOwn({ params: await target() }),
    'alerts.sendOwnAgain': async () => {
      const { id } = await app.ctx.db.writer
        .insertInto('delivery')
        .values({
          lane: `mail:${user.id}`,
          destination_id: null,
          user_id: user.id,
          event: 'low-balance',
          type: 'mail',
          destination_name: '',
          title: 'Low balance',
          text: '',
          link: '',
          state: 'failed',
          tries: 1,
          created_time: 0,
          next_try_time: null,
          ended_time: 0,
          last_answer: '',
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      return own.sendOwnAgain({ params: { id: deliveryAttemptId.parse(id) } });
    },
    'alerts.removeOwn': async () => own.removeOwn({ params: await target() }),
    'telegram.unbind': () => user.api(telegram).unbind(),
  };
}
