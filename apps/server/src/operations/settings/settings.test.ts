import { profile } from '@switchyard/contract/accounts/profile';
import { settings } from '@switchyard/contract/operations/settings';
import { status } from '@switchyard/contract/operations/site-info';
import { type Kysely, sql } from 'kysely';
import { expect, test } from 'vitest';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import type { Schema } from '../../schema.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { statusRoutes } from '../site-info/routes.ts';
import { settingRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(profile, profileRoutes),
  serveRoutes(settings, settingRoutes),
  serveRoutes(status, statusRoutes),
]);
const root = await app.createUser('root');
const api = root.api(settings);

/** All rows of all tables. */
async function everythingIn(db: Kysely<Schema>): Promise<string> {
  const tables = await db.introspection.getTables();
  const rows = tables.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db));
  return JSON.stringify(await Promise.all(rows));
}

test('lists every setting as text, with its default', async () => {
  const options = new Map((await api.list()).map(({ key, value }) => [key, value]));
  expect(options.get('SystemName')).toBe('Switchyard');
  expect(options.get('QuotaPerUnit')).toBe('500000');
  expect(options.get('LogConsumeEnabled')).toBe('true');
});

test('a change applies at once, for all users', async () => {
  await api.update({ body: { key: 'SystemName', value: 'Depot' } });
  await api.update({ body: { key: 'Notice', value: 'Closed on *Sunday*' } });
  expect((await app.anonymous.api(status).get()).system_name).toBe('Depot');
  expect(await app.anonymous.api(status).notice()).toBe('Closed on *Sunday*');
});

test('changes several settings, all or none, and names the one that does not fit', async () => {
  const changes = api.updateMany({
    body: [
      { key: 'SystemName', value: 'Never' },
      { key: 'RetryTimes', value: '99' },
    ],
  });
  await expect(changes).rejects.toMatchObject({
    code: 'invalid-input',
    message: 'RetryTimes must be at most 10, not 99',
    fields: [{ path: 'RetryTimes', rule: 'too_big', limit: 10 }],
  });
  expect(app.ctx.settings.systemName).toBe('Depot');
  const unknown = api.update({ body: { key: 'NoSuchThing', value: '1' } });
  await expect(unknown).rejects.toMatchObject({ fields: [{ path: 'NoSuchThing', rule: 'unknown' }] });
});

test('a stored value that no longer fits gives way to the default', async () => {
  await app.ctx.db.writer.insertInto('setting').values({ name: 'retryTimes', value: 'many' }).execute();
  await app.ctx.changes.publish({ topic: 'settings' });
  expect(app.ctx.settings.retryTimes).toBe(2);
});

test('administrators below root neither read nor write settings', async () => {
  const admin = await app.createUser('admin');
  await expect(admin.api(settings).list()).rejects.toMatchObject({ code: 'not-allowed' });
});

test.each([
  ['ChatLink', 'javascript:alert(1)'],
  ['ChatLink', 'java\tscript:alert(1)'],
  ['ChatLinks', '[{"name":"x","url":" data:text/html,x","show":true,"sort":1}]'],
])('a chat link that would run as a script is refused: %s %s', async (key, value) => {
  await expect(api.update({ body: { key, value } })).rejects.toMatchObject({ fields: [{ path: key }] });
});

test('a chat link may have a scheme of its own', async () => {
  const value = 'cherrystudio://providers/api-keys?v=1&data={cherryConfig}';
  await api.update({ body: { key: 'ChatLink', value } });
  expect(app.ctx.settings.chatLink).toBe(value);
});

const set = (...pairs: (readonly [key: string, value: string])[]) =>
  api.updateMany({ body: pairs.map(([key, value]) => ({ key, value })) });

const valueOf = async (option: string) => (await api.list()).find(({ key }) => key === option)?.value;

const hintOf = async (option: string) => (await api.secrets()).find(({ key }) => key === option)?.hint;

const lastDetail = async () => {
  const entry = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select('detail')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow();
  return JSON.parse(entry.detail);
};

test('takes and answers mail domains as text with commas', async () => {
  expect(await valueOf('EmailDomainWhitelist')).toMatch(/^gmail\.com,163\.com,/);
  await set(['EmailDomainWhitelist', ' Example.com, uni.example.org ,']);
  expect(await valueOf('EmailDomainWhitelist')).toBe('example.com,uni.example.org');
  expect(app.ctx.settings.emailDomains).toEqual(['example.com', 'uni.example.org']);
});

test.each([
  ['EmailDomainWhitelist', 'example.com,not a domain'],
  ['SMTPServer', 'https://mail.example.com'],
  ['SMTPServer', 'mail.example.com\r\nRSET'],
  ['SMTPAccount', 'ada\r\nRCPT TO:<eve@example.com>'],
  ['SMTPToken', 'secret\r\nQUIT'],
  ['SMTPFrom', 'no address'],
  ['SMTPFrom', 'Depot <not an address>'],
  ['SMTPFrom', 'Depot\nBcc: eve@example.com <depot@example.com>'],
  ['SMTPPort', '70000'],
  ['OIDCIssuer', 'http://id.example.com'],
  ['OIDCScopes', ''],
  ['AdminSecondFactorGraceDays', '91'],
  ['QuotaPerUnit', '0'],
  ['QuotaPerUnit', '0.5'],
  ['QuotaPerUnit', '1.5'],
  ['QuotaPerUnit', '1000000001'],
])('refuses %s %j', async (key, value) => {
  const before = { ...app.ctx.settings };
  await expect(set([key, value])).rejects.toMatchObject({ code: 'invalid-input', fields: [{ path: key }] });
  expect(app.ctx.settings).toEqual(before);
});

test.each([
  ['SMTPFrom', 'depot@example.com'],
  ['SMTPFrom', 'The Depot <depot@example.com>'],
  ['OIDCIssuer', 'https://id.example.com/realm'],
  ['OIDCIssuer', 'http://localhost:9000'],
])('takes %s %j', async (key, value) => {
  await set([key, value]);
  expect(await valueOf(key)).toBe(value);
  await set([key, '']);
});

test('a secret is in memory, sealed in the database, and in no answer', async () => {
  const secret = 'canary-of-the-mail-server-9876';
  await set(['SMTPToken', secret], ['TurnstileSecretKey', 'short']);
  expect(app.ctx.settings).toMatchObject({ smtpToken: secret, turnstileSecret: 'short' });
  expect(await hintOf('SMTPToken')).toBe('9876');
  expect(await hintOf('TurnstileSecretKey')).toBe('••••');
  expect(await hintOf('GitHubClientSecret')).toBe('');
  const answers = JSON.stringify([await api.list(), await api.secrets(), await lastDetail()]);
  expect(answers).not.toMatch(/canary-of-the-mail-server|"short"/);
  expect(await valueOf('SMTPToken')).toBeUndefined();
  const stored = await everythingIn(app.ctx.db.writer);
  expect(stored).toContain('smtpToken');
  expect(stored).not.toContain(secret);
});

test('a secret that is not sent stays, and an empty one clears it', async () => {
  await set(['SMTPToken', 'a secret that stays 1234']);
  await set(['SMTPAccount', 'ada']);
  expect(await hintOf('SMTPToken')).toBe('1234');
  await set(['SMTPToken', '']);
  expect(await hintOf('SMTPToken')).toBe('');
  expect(app.ctx.settings.smtpToken).toBe('');
  expect(await lastDetail()).toEqual({ changes: { SMTPToken: 'cleared' } });
});

test("another setting's sealed secret, moved to this one, does not open", async () => {
  await set(['LarkClientSecret', 'sealed for lark only']);
  const { writer } = app.ctx.db;
  const row = writer.selectFrom('setting').select('value').where('name', '=', 'larkClientSecret');
  const { value } = await row.executeTakeFirstOrThrow();
  await writer.insertInto('setting').values({ name: 'githubClientSecret', value }).execute();
  await app.ctx.changes.publish({ topic: 'settings' });
  expect(app.ctx.settings).toMatchObject({ larkClientSecret: 'sealed for lark only', githubClientSecret: '' });
  await set(['LarkClientSecret', ''], ['GitHubClientSecret', '']);
});

test('the audit log contains old and new values, and of secrets only the fact of the change', async () => {
  await set(['SystemName', 'Audited'], ['SMTPToken', 'never written down 1234']);
  const changes = { SystemName: { before: 'Depot', after: 'Audited' }, SMTPToken: 'set' };
  expect(await lastDetail()).toEqual({ changes });
});

const github = [
  ['ServerAddress', 'https://gate.example.com'],
  ['GitHubClientId', 'Iv1.depot'],
  ['GitHubClientSecret', 'secret of the app'],
] as const;

test('a sign-in method is enabled only with its requirements, which may be in the same save', async () => {
  await expect(set(['GitHubOAuthEnabled', 'true'])).rejects.toMatchObject({
    code: 'invalid-input',
    fields: [
      { path: 'GitHubClientId', rule: 'needed' },
      { path: 'GitHubClientSecret', rule: 'needed' },
      { path: 'ServerAddress', rule: 'needed' },
    ],
  });
  expect(app.ctx.settings.githubLogin).toBe(false);
  await set(['GitHubOAuthEnabled', 'true'], ...github);
  expect(app.ctx.settings.githubLogin).toBe(true);
});

test.each(['GitHubClientId', 'GitHubClientSecret', 'ServerAddress'])(
  '%s cannot be emptied while GitHub sign-in is on',
  async (key) => {
    await set(['GitHubOAuthEnabled', 'true'], ...github);
    await expect(set([key, ''])).rejects.toMatchObject({ fields: [{ path: key, rule: 'needed' }] });
    expect(app.ctx.settings.githubLogin).toBe(true);
    await set(['GitHubOAuthEnabled', 'false'], [key, '']);
  },
);

test.each([
  ['OIDCAuthEnabled', ['OIDCIssuer', 'OIDCClientId', 'OIDCClientSecret', 'ServerAddress']],
  ['LarkAuthEnabled', ['LarkClientId', 'LarkClientSecret', 'ServerAddress']],
  ['WeChatAuthEnabled', ['WeChatServerAddress', 'WeChatServerToken']],
  ['TurnstileCheckEnabled', ['TurnstileSiteKey', 'TurnstileSecretKey']],
  ['EmailDomainRestrictionEnabled', ['EmailDomainWhitelist']],
  ['EmailVerificationEnabled', ['SMTPServer', 'SMTPFrom']],
])('%s is refused without %j', async (key, needs) => {
  const emptied = needs.map((need) => [need, ''] as const);
  await expect(set([key, 'true'], ...emptied)).rejects.toMatchObject({ fields: needs.map((path) => ({ path })) });
  expect(await valueOf(key)).toBe('false');
});

test('the last way to sign in cannot be switched off', async () => {
  const last = { fields: [{ path: 'PasswordLoginEnabled', rule: 'last-sign-in' }] };
  await expect(set(['PasswordLoginEnabled', 'false'])).rejects.toMatchObject(last);
  await set(['PasswordLoginEnabled', 'false'], ['GitHubOAuthEnabled', 'true'], ...github);
  await expect(set(['GitHubOAuthEnabled', 'false'])).rejects.toMatchObject(last);
  await set(['PasswordLoginEnabled', 'true'], ['GitHubOAuthEnabled', 'false']);
  expect(app.ctx.settings).toMatchObject({ passwordLogin: true, githubLogin: false });
});

test('accounts of GitHub are never matched by name', async () => {
  await expect(set(['GitHubOldIdCloseEnabled', 'false'])).rejects.toMatchObject({
    fields: [{ path: 'GitHubOldIdCloseEnabled', message: expect.stringContaining('reused by other people') }],
  });
  expect(app.ctx.settings.githubOldIdClose).toBe(true);
});

test.each([
  ['ServerAddress', 'https://gate.example'],
  ['SMTPPort', '25'],
  ['PasswordLoginEnabled', 'true'],
  ['AdminSecondFactorEnabled', 'false'],
  ['ResultS3Endpoint', 'https://s3.example'],
  ['ResultS3Bucket', 'of-another-account'],
  ['TurnstileSecretKey', 'given with a password'],
])('%s needs a password check of the last ten minutes', async (key, value) => {
  app.clock.advance(601);
  const before = { ...app.ctx.settings };
  const refused = { code: 'step-up-required' };
  await expect(api.update({ body: { key, value } })).rejects.toMatchObject(refused);
  await expect(set(['RetryTimes', '9'], [key, value])).rejects.toMatchObject(refused);
  expect(app.ctx.settings).toEqual(before);
  await api.update({ body: { key: 'RegisterEnabled', value: 'true' } });
  await root.api(profile).stepUp({ body: { password: root.password } });
  await set([key, value]);
  expect(await lastDetail()).toHaveProperty(['changes', key]);
});
