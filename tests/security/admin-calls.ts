/** Valid calls of each administrator's route that changes something, and the server on which all of them succeed. */
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { features } from '@switchyard/contract/all-feature-routes';
import { orders } from '@switchyard/contract/billing/orders';
import { paymentProviders } from '@switchyard/contract/billing/payment-providers';
import { catalogue } from '@switchyard/contract/catalog/catalog-updates';
import { safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import type { Route, Routes } from '@switchyard/contract/route';
import { afterAll } from 'vitest';
import { deriveKeyId } from '../../apps/server/src/channels/registry/parse-key-lines.ts';
import { notifySite } from '../../apps/server/src/operations/notifications/notifications.ts';
import { startMailServer } from '../../apps/server/src/testing/mail-server.ts';
import {
  botToken,
  startTelegramServer,
} from '../../apps/server/src/testing/scripted-identity-providers/telegram-bot-api.ts';
import { setOptions } from '../../apps/server/src/testing/set-options.ts';
import { type SignedInUser, type TestApp, useTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { startScriptedUpstream } from '../scripted-upstream/scripted-upstream.ts';

export type AdminCall = readonly [route: string, path: string, body?: unknown];

export interface AdminScene {
  app: TestApp;
  root: SignedInUser;
  /** One call of each route, in an order in which all succeed. */
  calls: readonly AdminCall[];
  /** Creates what the call of this route needs. */
  prepare: (name: string) => Promise<void>;
  send: (call: AdminCall) => Promise<Response>;
}

/** All routes of the contract, by feature and name. */
export const routesByName: ReadonlyMap<string, Route> = new Map(
  Object.entries<Routes>(features).flatMap(([feature, routes]) =>
    Object.entries(routes).map(([name, route]) => [`${feature}.${name}`, route] as const),
  ),
);

const SECOND_KEY = 'sk-secret-22222222';
const priceOfMany = { rates: { input: 1, output: 1 } };
const price = { model: 'audited-model', ...priceOfMany };
const group = { symbol: 'audited', name: 'Audited' };
const rule = { kind: 'words', action: 'flag', words: ['w'] } as const;

const gateway = {
  type: 'manual',
  name: 'Bank',
  currency: 'USD',
  config: { instructions: 'Send {amount}, reference {trade_no}' },
} as const;

const list = {
  from: 'text' as const,
  text: JSON.stringify({ prices: [{ model: 'listed', rates: { input: 1, output: 1 } }] }),
};

const destination = { type: 'mail', name: 'Watch', events: ['new-version'], config: { to: 'ann@example.org' } };

/** @param dataDir of the server; absent: a new one */
export async function useAdminCalls(dataDir?: string): Promise<AdminScene> {
  const [upstream, mailServer, telegram] = await Promise.all([
    startScriptedUpstream(),
    startMailServer(),
    startTelegramServer(),
  ]);
  afterAll(() => Promise.all([upstream.close(), mailServer.close(), telegram.close()]));
  const app = await useTestApp({
    config: { publicUrl: 'https://gate.example' },
    originOverrides: { 'https://api.telegram.org': telegram.url },
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  await setOptions(app.ctx, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mailServer.port),
    SMTPFrom: 'gate@gate.example',
    TelegramBotToken: botToken,
  });
  const root = await app.createUser('root');
  const ids = await createSubjects(app, root);
  return {
    app,
    root,
    calls: buildAdminCalls(upstream.url, ids),
    prepare: (name) => prepare(app, name),
    send: ([name, path, body]) =>
      root.fetch(path, {
        method: routesByName.get(name)?.method ?? 'GET',
        ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      }),
  };
}

interface Subjects {
  user: number;
  other: number;
  /** Creates a row that belongs to another user. */
  session: string;
  token: number;
  secondKey: string;
}

async function createSubjects(app: TestApp, root: SignedInUser): Promise<Subjects> {
  const user = await app.createUser('user', { username: 'audited' });
  const other = await app.createUser('user');
  const [session] = await other.api(profile).listSessions();
  const token = await root.api(apiKeys).create({ body: { name: 'audited' } });
  const { uuid } = await root.api(paymentProviders).create({ body: gateway });
  await root.api(orders).create({ body: { uuid, amount: 3 } });
  await root.api(catalogue).compare({ body: list });
  return {
    user: user.id,
    other: other.id,
    session: String(session?.id),
    token: token.id,
    secondKey: deriveKeyId(app.ctx.vault, 1, SECOND_KEY),
  };
}

async function prepare(app: TestApp, name: string): Promise<void> {
  if (name === 'orders.resolve')
    await app.ctx.db.writer.updateTable('payment_order').set({ review: 'paid-twice' }).execute();
  if (name === 'alerts.sendAgain') {
    await notifySite(app.ctx, 'new-version', { version: '99.0.0' });
    await app.ctx.db.writer.updateTable('delivery').set({ state: 'failed', next_try_time: null }).execute();
  }
}

function buildAdminCalls(upstreamUrl: string, ids: Subjects): readonly AdminCall[] {
  const channel = { name: 'c', type: 8, base_url: upstreamUrl, models: ['scripted-model'], key: 'sk-secret-00000000' };
  return [
    ['settings.update', '/api/option/', { key: 'SystemName', value: 'Audited' }],
    ['settings.updateMany', '/api/option/batch', [{ key: 'RetryTimes', value: '3' }]],
    ['userGroups.create', '/api/user_group/', group],
    ['userGroups.update', '/api/user_group/', { id: 4, name: 'Renamed' }],
    ['userGroups.updateById', '/api/user_group/4', { name: 'Renamed again' }],
    ['userGroups.toggle', '/api/user_group/enable/4'],
    ['userGroups.remove', '/api/user_group/4'],
    ['users.create', '/api/user/', { username: 'made', password: 'secret-password' }],
    ['users.update', '/api/user/', { id: ids.user, display_name: 'Changed', password: 'secret-password' }],
    ['users.manage', '/api/user/manage', { username: 'audited', action: 'promote' }],
    ['users.changeQuota', `/api/user/quota/${ids.user}`, { quota: 5 }],
    ['users.edit', '/api/user/edit', { ids: [ids.user], edit: { do: 'set-group', group: 'vip' } }],
    ['users.changeQuotas', '/api/user/quotas', { ids: [ids.user], quota: 5 }],
    ['userDetails.endSession', `/api/user/${ids.other}/sessions/${ids.session}`],
    ['userDetails.endSessions', `/api/user/${ids.other}/sessions`],
    ['users.acknowledgeAlarms', `/api/user/${ids.user}/acknowledge-alarms`],
    ['secondFactor.reset', `/api/user/${ids.user}/second_factor`],
    ['users.remove', `/api/user/${ids.user}`],
    ['staffRoles.create', '/api/staff_role/', { name: 'Audited', permissions: [] }],
    ['staffRoles.update', '/api/staff_role/2', { name: 'Audited', permissions: ['users.read'] }],
    ['staffRoles.remove', '/api/staff_role/2'],
    ['channels.create', '/api/channel/', channel],
    ['channels.update', '/api/channel/', { id: 1, weight: 5, key: 'sk-secret-11111111' }],
    ['channels.updateById', '/api/channel/1', { weight: 7, key: 'sk-secret-11111111' }],
    ['channels.test', '/api/channel/test/1'],
    ['channelTests.run', '/api/channel/tests', { channels: { ids: [1] }, models: 'test-model', kinds: ['short'] }],
    ['channelEdits.edit', '/api/channel/edit', { where: { ids: [1] }, change: { weight: 6 } }],
    [
      'channelEdits.import',
      '/api/channel/import',
      { content: [{ ...channel, name: 'imported', group: ['default'] }], source: 'switchyard' },
    ],
    ['channelEdits.export', '/api/channel/export', { where: { ids: [1] } }],
    ['channelEdits.exportWithSecrets', '/api/channel/export_secrets', { where: { ids: [1] } }],
    ['channelKeys.add', '/api/channel/1/keys', { key: SECOND_KEY }],
    ['channelKeys.test', `/api/channel/1/keys/${ids.secondKey}/test`],
    ['channelKeys.switch', `/api/channel/1/keys/${ids.secondKey}`, { in_use: false }],
    ['channelKeys.remove', `/api/channel/1/keys/${ids.secondKey}`],
    ['channels.resume', '/api/channel/1/resume'],
    ['channels.remove', '/api/channel/1'],
    ['channels.removeDisabled', '/api/channel/disabled'],
    ['channels.removeMany', '/api/channel/remove', { ids: [1] }],
    ['apiKeys.switch', `/api/token/${ids.token}/status`, { status: 2 }],
    ['apiKeys.setRatio', `/api/token/${ids.token}/ratio`, { ratio: 1.5 }],
    ['secrets.rotate', '/api/secrets/rotate'],
    ['prices.create', '/api/prices/single', price],
    ['prices.update', '/api/prices/single/audited-model', price],
    ['prices.remove', '/api/prices/single/audited-model'],
    ['prices.saveGroup', '/api/prices/multiple', { ...priceOfMany, models: ['one-model', 'other-model'] }],
    ['prices.removeMany', '/api/prices/multiple/delete', { models: ['none'] }],
    ['prices.sync', '/api/prices/sync'],
    ['catalogue.compare', '/api/catalogue/compare', list],
    ['catalogue.apply', '/api/catalogue/list/1/apply', { mode: 'add', lines: [{ model: 'listed', version: 0 }] }],
    ['catalogue.dismiss', '/api/catalogue/list/2'],
    ['catalogue.lock', '/api/catalogue/lock', { model: 'listed', locked: true }],
    ['catalogue.adopt', '/api/catalogue/adopt', { models: ['none'] }],
    ['catalogue.withdraw', '/api/catalogue/withdraw', { models: ['none'], as: 'offered' }],
    ['catalogue.replace', '/api/catalogue/replace', { model: 'none', by: 'some' }],
    ['modelDetails.create', '/api/model_info', { model: 'told', name: 'Told' }],
    ['modelDetails.update', '/api/model_info/told', { name: 'Told again' }],
    ['modelDetails.remove', '/api/model_info/told'],
    ['modelDetails.read', '/api/model_info/read', { from: 'text', text: '[{"model":"told","name":"x"}]' }],
    ['modelDetails.import', '/api/model_info/import', { details: [{ model: 'told', name: 'x' }], known: 'skip' }],
    ['modelOwners.create', '/api/model_ownedby', { id: 5001, name: 'Lab' }],
    ['modelOwners.update', '/api/model_ownedby/5001', { name: 'Laboratory' }],
    ['modelOwners.remove', '/api/model_ownedby/5001'],
    ['alerts.create', '/api/alerts/destinations', destination],
    ['alerts.update', '/api/alerts/destinations/1', { name: 'Renamed' }],
    ['alerts.test', '/api/alerts/destinations/1/test'],
    ['alerts.sendAgain', '/api/alerts/deliveries/1/again'],
    ['alerts.remove', '/api/alerts/destinations/1'],
    ['contentSafety.create', '/api/content_safety/rules', { name: 'W', ...rule }],
    ['contentSafety.update', '/api/content_safety/rules/1', safetyRuleForm.parse({ name: 'V', ...rule })],
    ['contentSafety.remove', '/api/content_safety/rules/1'],
    ['mail.test', '/api/mail/test', { to: 'ann@example.org' }],
    ['processors.create', '/api/payment/', { ...gateway, name: 'Made' }],
    ['processors.update', '/api/payment/', { id: 2, sort: 3 }],
    ['processors.test', '/api/payment/2/test'],
    ['processors.remove', '/api/payment/2'],
    ['orders.check', '/api/payment/order/1/check'],
    ['orders.close', '/api/payment/order/1/close', { reason: 'Given up' }],
    ['orders.complete', '/api/payment/order/1/complete', { reason: 'On the bank statement' }],
    ['orders.refund', '/api/payment/order/1/refund', { reason: 'As agreed', outside: true }],
    ['orders.resolve', '/api/payment/order/1/resolve', { reason: 'Seen' }],
    ['redemptionCodes.create', '/api/redemption/', { name: 'Audited', quota: 5, count: 2 }],
    ['redemptionCodes.update', '/api/redemption/', { id: 1, status: 2 }],
    ['redemptionCodes.reveal', '/api/redemption/2/key'],
    ['redemptionCodes.unusedCodes', '/api/redemption/batch/1/codes'],
    ['redemptionCodes.exportBatch', '/api/redemption/batch/1/export'],
    ['redemptionCodes.remove', '/api/redemption/1'],
    ['redemptionCodes.updateBatch', '/api/redemption/batch/', { id: 1, name: 'Renamed' }],
    ['redemptionCodes.removeBatch', '/api/redemption/batch/1'],
    ['statements.generate', '/api/option/invoice/gen/2026-01-01'],
    ['statements.regenerate', '/api/option/invoice/update/2026-01-01'],
    ['systemInfo.runJob', '/api/jobs/remove-old-mail/run'],
    ['telegram.save', '/api/option/telegram', { command: 'price', description: 'Prices', reply_message: 'None' }],
    ['telegram.move', '/api/option/telegram/1/move', { to: 'up' }],
    ['telegram.reload', '/api/option/telegram/reload'],
    ['telegram.remove', '/api/option/telegram/1'],
    ['usageRecords.removeOld', '/api/log/?target_timestamp=1'],
    // The cookie is not kept, so that root stays signed in as root.
    ['impersonation.start', '/api/impersonation', { user_id: ids.other, reason: 'Ticket 17' }],
  ];
}
