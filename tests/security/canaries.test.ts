/** No secret leaks (P8): tries every route with every type of caller, and an upstream that repeats its credentials. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { permissionNames } from '@switchyard/contract/accounts/permissions';
import { profile } from '@switchyard/contract/accounts/profile';
import { secondFactor } from '@switchyard/contract/accounts/second-factor';
import { features } from '@switchyard/contract/all-feature-routes';
import { redemptionCodes } from '@switchyard/contract/billing/redemption-codes';
import { toPoints } from '@switchyard/contract/money';
import { isSecret, settingDefinitions, settingNames, settings } from '@switchyard/contract/operations/settings';
import type { Routes } from '@switchyard/contract/route';
import { usageRecords } from '@switchyard/contract/usage/usage-records';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { issueCode, issueSecret } from '../../apps/server/src/accounts/one-time-secrets/one-time-secrets.ts';
import { sealedColumns } from '../../apps/server/src/operations/data-keys/reencrypt-sealed-columns.ts';
import { queueMail } from '../../apps/server/src/operations/mail/mail.ts';
import { systemTimers } from '../../apps/server/src/platform/clock.ts';
import { createLog } from '../../apps/server/src/platform/log.ts';
import { readRows } from '../../apps/server/src/testing/any-table.ts';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import { addTotp } from '../../apps/server/src/testing/second-factors.ts';
import { createVisitor, type Visitor } from '../../apps/server/src/testing/visitor.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { listen } from '../listen.ts';
import { reportMeasurement } from '../tier.ts';
import { listSecretForms } from './secret-forms.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-canaries-'));
const logged: string[] = [];
const planted = new Map<string, string>();
/** Address of a channel; a secret to all who may not see channels. */
const ADDRESS = 'a part of a channel’s address';
const seeChannels = new Set(['administrator', 'root', 'administrator’s token']);
let scene: RelayScene;
let telling: Server;
let callers: Record<string, Visitor>;
let ids: Readonly<Record<string, string | number | undefined>>;
/** All responses to callers who may not see channels, and to those who may. */
const answered: string[] = [];
const answeredToOperators: string[] = [];

function plant(what: string, secret: string): string {
  expect(secret.length, what).toBeGreaterThan(5);
  planted.set(what, secret);
  return secret;
}
const canary = (what: string): string => plant(what, `canary${randomBytes(15).toString('hex')}`);

beforeAll(async () => {
  scene = await startRelayScene({ dataDir, log: createLog('debug', { write: (line) => void logged.push(line) }) });
  plant('the set-up code', scene.setUpCode ?? '');
  plant('the master key', readFileSync(join(dataDir, 'master.key'), 'utf8').trim());
  await removeRateLimits(scene.admin);
  const url = await startTelling();
  await plantInChannels(url);
  await plantInSettings();
  await plantInAccounts();
  await plantCodes();
  await plantWhatIsStored();
});
afterAll(async () => {
  telling.closeAllConnections();
  telling.close();
  await scene.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/**
 * Starts an upstream that repeats everything it receives, as its model says. @returns its address, with a secret in it
 */
async function startTelling(): Promise<string> {
  telling = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => tell(/"model":"tell-(\w+)"/.exec(body)?.[1] ?? '500', request, response));
  });
  return `http://127.0.0.1:${await listen(telling)}/${canary(ADDRESS)}`;
}

function tell(how: string, request: IncomingMessage, response: ServerResponse): void {
  const requestText = JSON.stringify([request.url, request.headers]);
  const key = String(request.headers.authorization).replace('Bearer ', '');
  const bytes = Buffer.from(key);
  const coded = [key, bytes.toString('base64'), bytes.toString('hex'), encodeURIComponent(key)];
  const message = `no: ${coded.join(' ')} ${requestText}`;
  const error = JSON.stringify({ error: { message, code: key, type: requestText } });
  const stream = how === 'stream';
  response.writeHead(/^\d+$/.test(how) ? Number(how) : 200, {
    'content-type': stream ? 'text/event-stream' : 'application/json',
    'x-echo': requestText,
    'www-authenticate': key,
    'set-cookie': key,
  });
  if (!stream) return void response.end(how === 'garbage' ? `<html>${message}</html>` : error);
  response.write('data: {"choices":[{"index":0,"delta":{"content":"hello"}}]}\n\n');
  systemTimers.after(20, () => response.end(`event: error\ndata: ${error}\n\n`));
}

const ways = ['400', '401', '403', '404', '429', '500', '503', 'garbage', 'error200', 'stream'];

async function plantInChannels(url: string): Promise<void> {
  const form = {
    type: 8,
    group: ['default'],
    model_headers: { 'x-one': canary('a channel’s header'), 'x-two': canary('another header') },
  };
  const channel = await scene.newChannel({
    ...form,
    base_url: url,
    key: canary('a channel’s key'),
    models: ways.map((way) => `tell-${way}`),
  });
  const proxy = `http://someone:${canary('a proxy’s password')}@127.0.0.1:9`;
  await scene.newChannel({ ...form, base_url: url, key: canary('another key'), models: ['tell-proxy'], proxy });
  ids = { ...ids, channels: channel };
}

async function plantInSettings(): Promise<void> {
  const options = settingNames.filter(isSecret).map((name) => settingDefinitions[name].option);
  await scene.admin
    .api(settings)
    .updateMany({
      body: [
        ...options.map((key) => ({ key, value: canary(`the setting ${key}`) })),
        { key: 'SMTPServer', value: '127.0.0.1' },
        { key: 'SMTPPort', value: '9' },
        { key: 'SMTPFrom', value: 'a@example.org' },
        { key: 'ServerAddress', value: 'https://gate.example' },
      ],
    });
}

async function plantInAccounts(): Promise<void> {
  const { ctx, user: owner, admin } = scene;
  const [staff, other, administrator] = [
    await scene.createUser('staff'),
    await scene.createUser('user'),
    await scene.createUser('admin'),
  ];
  await ctx.db.writer.updateTable('user').set({ staff_role_id: 1 }).where('id', '=', staff.id).execute();
  for (const [who, { identity, password }] of Object.entries({ owner, staff, other, administrator, root: admin })) {
    plant(`${who}’s password`, password);
    for (const [, name = '', value = ''] of (identity['cookie'] ?? '').matchAll(/switchyard_(\w+)=([^;]+)/g))
      plant(`${who}’s ${name} cookie`, value);
  }
  const key = await owner.api(apiKeys).create({ body: { name: 'one' } });
  plant('a key', key.key);
  plant('the key of the calls', scene.key);
  const token = await owner.api(accessTokens).create({ body: { name: 'x', scopes: ['user'], expires_time: 0 } });
  plant('an access token', token.token);
  const ofAdmin = plant(
    'an administrator’s token',
    (
      await administrator
        .api(accessTokens)
        .create({ body: { name: 'x', scopes: ['user', ...permissionNames], read_only: false, expires_time: 0 } })
    ).token,
  );
  const keeper = await scene.createUser('user');
  const { secret } = await keeper.api(secondFactor).beginTotp();
  plant('a begun secret of codes', secret);
  const { recoveryCodes } = await addTotp(keeper, () => scene.clock.now());
  for (const [index, code] of recoveryCodes.entries()) plant(`recovery code ${index}`, code);
  await ctx.db.writer
    .insertInto('passkey')
    .values({
      user_id: keeper.id,
      credential_id: canary('another’s passkey'),
      public_key: canary('another’s public key'),
      counter: 0,
      transports: '[]',
      rp_id: 'gate.example',
      alias: 'a',
      created_time: 1,
      last_used_time: 0,
    })
    .execute();
  const reset = { purpose: 'password-reset', deviceHash: '', seconds: 600 } as const;
  const link = plant(
    'a reset link',
    await issueSecret(ctx, { ...reset, userId: keeper.id, data: { hidden: canary('what a one-time value holds') } }),
  );
  plant('a mailed code', await issueCode(ctx, { ...reset, subject: 'a@example.org' }));
  await queueMail(ctx, {
    to: 'b@example.org',
    template: 'password-reset',
    language: 'en_US',
    values: { link: `https://gate.example/user/reset#${link}`, minutes: 15 },
  });
  callers = {
    anyone: scene.anonymous,
    owner,
    other,
    staff,
    administrator,
    root: admin,
    token: createVisitor(scene.url, { authorization: `Bearer ${token.token}` }),
    'administrator’s token': createVisitor(scene.url, { authorization: `Bearer ${ofAdmin}` }),
  };
  const [session] = await owner.api(profile).listSessions();
  ids = { ...ids, accessTokens: token.id, apiKeys: key.id, profile: session?.id, users: owner.id, userGroups: 1 };
}

async function plantCodes(): Promise<void> {
  const api = scene.admin.api(redemptionCodes);
  const codes = await api.create({ body: { name: 'Batch', quota: toPoints(5), count: 2 } });
  for (const [index, code] of codes.entries()) {
    plant(`redemption code ${index}`, code);
    plant(`redemption code ${index} as it is hashed`, code.replaceAll('-', ''));
  }
  await scene.user.api(redemptionCodes).redeem({ body: { key: codes[0] ?? '' } });
}

/** Hashes, encrypted texts and wrapped keys, which no caller needs. */
async function plantWhatIsStored(): Promise<void> {
  const columns = [
    ...sealedColumns.filter(({ table }) => table !== 'setting').map(({ table, column }) => [table, column]),
    ['user', 'password_hash'],
    ['api_key', 'key_hash'],
    ['access_token', 'token_hash'],
    ['recovery_code', 'code_hash'],
    ['known_device', 'device_hash'],
    ['one_time', 'value_hash'],
    ['data_key', 'sealed'],
    ['redemption_code', 'code_hash'],
  ] as const;
  for (const [table, column] of columns) {
    const texts = (await readRows(scene.ctx.db, table)).map((row) => String(row[column] ?? ''));
    const filled = texts.filter((text) => text !== '').slice(0, 5);
    for (const [index, text] of filled.entries()) plant(`${table}.${column} ${index}`, text);
  }
}

const routes = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes).map(([name, route]) => ({ feature, name: `${feature}.${name}`, route })),
);
/** Routes that end what the others need. */
const left = new Set([
  'signIn.signOut',
  'profile.endSessions',
  'profile.remove',
  'secrets.rotate',
  'secondFactor.removeTotp',
]);

/** Routes that return codes to users who may sell them and have just confirmed their identity. */
const revealing = new Set(['redemptionCodes.reveal', 'redemptionCodes.unusedCodes', 'redemptionCodes.exportBatch']);
const mayReveal = (who: Visitor) => who === callers['administrator'] || who === callers['root'];

async function keep(response: Response, list = answered): Promise<string> {
  const text = await response.text();
  list.push(JSON.stringify([...response.headers]), text);
  return text;
}

/** Calls every route: reads with existing ids, everything with unknown ids and invalid bodies. */
async function askEverything(who: Visitor, list: string[]): Promise<void> {
  for (const { feature, name, route } of routes) {
    if (left.has(name) || (revealing.has(name) && mayReveal(who))) continue;
    const tries = route.method === 'GET' && route.sameOrigin !== true ? [ids[feature] ?? 1, 999_999] : [999_999];
    for (const id of new Set(tries)) {
      const init =
        route.method === 'GET'
          ? {}
          : { method: route.method, headers: { 'content-type': 'application/json' }, body: '{"id":999999}' };
      await keep(await who.fetch(route.path.replace(/:\w+/g, encodeURIComponent(String(id))), init), list);
    }
  }
  for (const path of [
    '/',
    '/api/openapi.json',
    '/healthz',
    '/readyz',
    '/metrics',
    '/api/metrics',
    '/custom/home',
    '/v1/models',
    '/dashboard/billing/usage',
    '/api/usage/token/',
    '/no/such/path',
  ])
    await keep(await who.fetch(path), list);
}

function leaksIn(text: string): string[] {
  return [...planted]
    .filter(([, secret]) => listSecretForms(secret).some((form) => form.length > 5 && text.includes(form)))
    .map(([what]) => what);
}

test('every secret has a canary', () => {
  expect(planted.size).toBeGreaterThan(40);
  const found = leaksIn(`x${Buffer.from(`ab${planted.get('a key')}cd`).toString('base64')}`);
  expect(found).toContain('a key');
});

test('hides the secrets that an upstream repeats', async () => {
  for (const way of [...ways, 'proxy'])
    for (const stream of [true, false]) {
      const text = await keep(await scene.chat(`tell-${way}`, { stream }));
      expect(text, way).toContain('error');
    }
  await scene.waitUntilSettled();
  const { data } = await scene.user.api(usageRecords).listOwn();
  expect(data.length).toBeGreaterThan(5);
  ids = { ...ids, usageRecords: data[0]?.id, playground: data[0]?.request_id };
  // Responses of its tests and model lists to administrators.
  for (const path of [`/api/channel/test/${ids['channels']}`, `/api/channel/update_balance/${ids['channels']}`])
    await keep(await scene.admin.fetch(path), answeredToOperators);
  expect(leaksIn(answered.join('\n'))).toEqual([]);
});

test('no response to any caller contains a secret', async () => {
  for (const [name, who] of Object.entries(callers))
    await askEverything(who, seeChannels.has(name) ? answeredToOperators : answered);
  expect(answered.length + answeredToOperators.length).toBeGreaterThan(1_500);
  expect(leaksIn(answered.join('\n'))).toEqual([]);
  expect(leaksIn(answeredToOperators.join('\n'))).toEqual([ADDRESS]);
});

test('the log contains no secret at its most detailed level', () => {
  expect(logged.length).toBeGreaterThan(0);
  expect(leaksIn(logged.join('\n'))).toEqual([]);
  reportMeasurement(
    'P8',
    `${planted.size} canaries × ${routes.length} routes × ${Object.keys(callers).length} callers, ${(answered.length + answeredToOperators.length) / 2} answers, ${logged.length} lines of log at debug: 0 hits`,
  );
});
