import { apiKeySetting, apiKeys, KEY_LISTS_BYTES_MAX, NEVER } from '@switchyard/contract/accounts/api-keys';
import { profile } from '@switchyard/contract/accounts/profile';
import { type Points, toPoints } from '@switchyard/contract/money';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createConsumeRecord } from '../../../../../tests/faults/consume-record.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { newRequestId } from '../../platform/http/request-id.ts';
import { createAddressMatcher } from '../../platform/outbound/address-matcher.ts';
import { measureLongestBlockRepeatedly } from '../../testing/measure-longest-block.ts';
import { setOptions } from '../../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { profileRoutes } from '../profile/routes.ts';
import { endUserKeys } from './api-keys.ts';
import { isKeyText } from './key-text.ts';
import { apiKeyRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(apiKeys, apiKeyRoutes), serveRoutes(profile, profileRoutes)]);
const owner = await app.createUser('user');
const api = owner.api(apiKeys);

test('the whole key is answered once; lists show its ends', async () => {
  const created = await api.create({ body: { name: 'first' } });
  expect(isKeyText(created.key)).toBe(true);
  const [listed] = (await api.list()).data;
  expect(listed?.key).not.toBe(created.key);
  expect(created.key.endsWith(listed?.key.slice(-4) ?? '?')).toBe(true);
});

test('the database holds neither the key nor anything that opens without the master key', async () => {
  const { id, key } = await api.create({ body: { name: 'secret' } });
  const row = await app.ctx.db.writer.selectFrom('api_key').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  expect(JSON.stringify(row)).not.toContain(key);
  expect(row.key_hash).toBe(app.ctx.vault.fingerprint(key));
});

test('the owner sees the key again only after a recent password check', async () => {
  const person = await app.createUser('user');
  const { id, key } = await person.api(apiKeys).create({ body: { name: 'key' } });
  app.clock.advance(601);
  const reveal = () => person.api(apiKeys).reveal({ params: { id } });
  await expect(reveal()).rejects.toMatchObject({ code: 'step-up-required' });
  await person.api(profile).stepUp({ body: { password: person.password } });
  expect(await reveal()).toBe(key);
});

test('rotation replaces the key and keeps everything else', async () => {
  const before = await api.create({ body: { name: 'rotating', remain_quota: 50 as Points } });
  const after = await api.rotate({ params: { id: before.id } });
  expect(after.key).not.toBe(before.key);
  expect(after).toMatchObject({ id: before.id, name: 'rotating', remain_quota: 50 });
});

test('changes only the sent fields; status_only changes the status alone', async () => {
  const { id } = await api.create({ body: { name: 'changing', remain_quota: 5 as Points } });
  expect(await api.update({ body: { id, name: 'changed' } })).toMatchObject({ name: 'changed', remain_quota: 5 });
  const disabled = await api.update({ query: { status_only: '1' }, body: { id, status: 'disabled', name: 'ignored' } });
  expect(disabled).toMatchObject({ status: 'disabled', name: 'changed' });
});

test('lists a hundred tokens with as many models and addresses as they may have in a short turn', async () => {
  const person = await app.createUser('user');
  const setting = apiKeySetting.parse({
    limits: {
      limit_model_setting: { enabled: true, models: Array.from({ length: 500 }, (_, nth) => `model${nth}`) },
      limits_ip_setting: {
        enabled: true,
        whitelist: Array.from({ length: 200 }, (_, nth) => `2001:db8:${nth.toString(16)}::/48`),
      },
    },
  });
  for (let nth = 0; nth < 95; nth += 1) await person.api(apiKeys).create({ body: { name: `key ${nth}`, setting } });
  const list = () => person.api(apiKeys).list({ query: { size: 100 } });
  expect((await list()).data.at(0)?.setting).toEqual(setting);
  // The client of the test parses the response in the same thread.
  expect(await measureLongestBlockRepeatedly(() => person.fetch('/api/token/?size=100'))).toBeLessThan(50);
}, 60_000);

test('expired and exhausted follow from the clock and the account', async () => {
  const now = nowSeconds(app.clock);
  const { id: expired } = await api.create({ body: { name: 'short', expired_time: now + 10, unlimited_quota: true } });
  const { id: exhausted } = await api.create({ body: { name: 'empty', expired_time: NEVER } });
  app.clock.advance(11);
  expect((await api.get({ params: { id: expired } })).status).toBe('expired');
  expect((await api.get({ params: { id: exhausted } })).status).toBe('exhausted');
  const listed = await api.list({ query: { status: 'expired' } });
  expect(listed.data.map((key) => key.id)).toEqual([expired]);
});

test.each([1_000_000_000_000_001, Number.MAX_SAFE_INTEGER])(
  'a token has no quota of %i points, which its entries could not count exactly after an overrun',
  async (points) => {
    const { id: userId, ...person } = await app.createUser('user', { quota: 10_000 });
    const keys = person.api(apiKeys);
    const tooMany = { remain_quota: toPoints(points) };
    await expect(keys.create({ body: { name: 'large', ...tooMany } })).rejects.toMatchObject({ code: 'invalid-input' });
    const { id } = await keys.create({ body: { name: 'overspent', remain_quota: toPoints(100) } });
    const requestId = newRequestId();
    await app.ctx.ledger.hold({ requestId, userId, apiKeyId: id, limited: true, amount: 100 });
    await app.ctx.ledger.settle(requestId, 500, createConsumeRecord(requestId, userId, id, 500));
    await expect(keys.update({ body: { id, ...tooMany } })).rejects.toMatchObject({ code: 'invalid-input' });
    const most = toPoints(1_000_000_000_000_000);
    expect(await keys.update({ body: { id, remain_quota: most } })).toMatchObject({ remain_quota: most });
    expect((await verifyLedger(app.ctx.db.writer)).problems).toEqual([]);
  },
);

test("another user's token returns the same as a missing one", async () => {
  const other = (await app.createUser('admin')).api(apiKeys);
  const { id } = await api.create({ body: { name: 'mine' } });
  for (const attempt of [
    () => other.get({ params: { id } }),
    () => other.update({ body: { id, name: 'theirs' } }),
    () => other.remove({ params: { id } }),
    () => other.reveal({ params: { id } }),
    () => other.rotate({ params: { id } }),
  ])
    await expect(attempt()).rejects.toMatchObject({ code: 'not-found' });
});

test('a deleted token is gone and its sealed key with it', async () => {
  const { id } = await api.create({ body: { name: 'gone' } });
  await api.remove({ params: { id } });
  await expect(api.get({ params: { id } })).rejects.toMatchObject({ code: 'not-found' });
  const row = await app.ctx.db.writer
    .selectFrom('api_key')
    .select('key_sealed')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  expect(row.key_sealed).toBe('');
});

test('show-once mode deletes stored key texts and never stores new ones', async () => {
  const person = await app.createUser('user');
  const before = await person.api(apiKeys).create({ body: { name: 'before' } });
  await setOptions(app.ctx, { TokensShownOnceEnabled: 'true' });
  const created = await person.api(apiKeys).create({ body: { name: 'once' } });
  const rotated = await person.api(apiKeys).rotate({ params: { id: created.id } });
  for (const { key } of [created, rotated]) expect(isKeyText(key)).toBe(true);
  await setOptions(app.ctx, { TokensShownOnceEnabled: 'false' });
  for (const { id } of [before, created]) {
    expect(await person.api(apiKeys).get({ params: { id } })).toMatchObject({ revealable: false });
    const reveal = person.api(apiKeys).reveal({ params: { id } });
    await expect(reveal).rejects.toMatchObject({ code: 'not-supported' });
  }
});

test('no node stores or shows a key text once the setting is committed, even before it has loaded the setting', async () => {
  const person = await app.createUser('user');
  const keys = person.api(apiKeys);
  const [old, rotated] = [await keys.create({ body: { name: 'a' } }), await keys.create({ body: { name: 'b' } })];
  // Another node commits the setting, and has not notified this one yet.
  const setting = { name: 'showKeysOnce', value: 'true' };
  await app.ctx.db.writer
    .insertInto('setting')
    .values(setting)
    .onConflict((c) => c.column('name').doUpdateSet(setting))
    .execute();
  onTestFinished(() => setOptions(app.ctx, { TokensShownOnceEnabled: 'false' }));
  expect(app.ctx.settings.showKeysOnce).toBe(false);
  const created = await keys.create({ body: { name: 'c' } });
  await keys.rotate({ params: { id: rotated.id } });
  for (const { id } of [created, rotated])
    expect(await keys.get({ params: { id } })).toMatchObject({ revealable: false });
  for (const { id } of [old, created, rotated])
    await expect(keys.reveal({ params: { id } })).rejects.toMatchObject({ code: 'not-supported' });
});

describe('the audit log', () => {
  const entriesOf = async (id: number) => {
    const rows = await app.ctx.db.writer
      .selectFrom('audit_entry')
      .select(['action', 'detail', 'user_id'])
      .where('target', '=', `api_key:${id}`)
      .orderBy('id')
      .execute();
    return rows.map(({ action, detail, user_id }) => ({ action, user_id, detail: JSON.parse(detail) }));
  };

  test('names the fields that an owner changed, and holds no key', async () => {
    const { id, key } = await api.create({ body: { name: 'audited', remain_quota: 5 as Points } });
    await api.update({ body: { id, name: 'renamed', remain_quota: 5 as Points } });
    await api.update({ body: { id, name: 'renamed' } });
    await api.update({ query: { status_only: '1' }, body: { id, status: 'disabled', name: 'ignored' } });
    await api.remove({ params: { id } });
    const entries = await entriesOf(id);
    expect(entries).toMatchObject([
      { action: 'api-key.create', user_id: owner.id, detail: { name: 'audited', remain_quota: 5 } },
      { action: 'api-key.update', detail: { changes: { name: { before: 'audited', after: 'renamed' } } } },
      { action: 'api-key.update', detail: { changes: { status: { before: 'enabled', after: 'disabled' } } } },
      { action: 'api-key.delete', user_id: owner.id, detail: { name: 'renamed' } },
    ]);
    expect(Object.keys(entries[1]?.detail.changes)).toEqual(['name']);
    expect(JSON.stringify(entries)).not.toContain(key);
  });

  test.each([
    [500, 1, 20],
    [120, 120, 8],
  ])('keeps the beginning of a list of %i names with %i letters', async (names, letters, kept) => {
    const models = Array.from({ length: names }, (_, at) => `${'m'.repeat(letters)}${at}`);
    const { id } = await api.create({ body: { name: 'long' } });
    await api.update({ body: { id, setting: { limits: { limit_model_setting: { enabled: true, models } } } } });
    const [, changed] = await entriesOf(id);
    const { after } = changed?.detail.changes['setting.limits.limit_model_setting.models'] ?? {};
    expect(after).toEqual([...models.slice(0, kept), `and ${names - kept} more`]);
  });

  test('has no entry for a token of another user', async () => {
    const { id } = await api.create({ body: { name: 'foreign' } });
    const other = (await app.createUser('user')).api(apiKeys);
    await expect(other.update({ body: { id, name: 'taken' } })).rejects.toMatchObject({ code: 'not-found' });
    await expect(other.remove({ params: { id } })).rejects.toMatchObject({ code: 'not-found' });
    expect(await entriesOf(id)).toHaveLength(1);
  });
});

describe('the lists of a token', () => {
  const FIELD = 'setting.limits.limit_model_setting.models';
  /** Returns names whose list has this many bytes of JSON. */
  const namesOf = (bytes: number): string[] => {
    const names = Array.from({ length: Math.floor((bytes - 1) / 103) }, (_, at) => String(at).padStart(100, 'm'));
    const left = bytes - Buffer.byteLength(JSON.stringify(names));
    return names.map((name, at) => (at === 0 ? `${name}${'m'.repeat(left)}` : name));
  };
  const limitsOf = (models: string[], whitelist: string[] = []) => ({
    limit_model_setting: { enabled: true, models },
    limits_ip_setting: { enabled: whitelist.length > 0, whitelist },
  });
  const createSetting = (models: string[], whitelist: string[] = []) =>
    apiKeySetting.parse({ limits: limitsOf(models, whitelist) });
  const NO_ADDRESSES_BYTES = 2;
  const fitting = namesOf(KEY_LISTS_BYTES_MAX - NO_ADDRESSES_BYTES);
  const tooLong = namesOf(KEY_LISTS_BYTES_MAX - NO_ADDRESSES_BYTES + 1);
  const refusal = { code: 'invalid-input', fields: [{ path: FIELD, rule: 'token-lists-too-long' }] };
  const settingOf = async (id: number) =>
    (await app.ctx.db.writer.selectFrom('api_key').select('setting').where('id', '=', id).executeTakeFirstOrThrow())
      .setting;

  test.each(['user', 'admin'] as const)('limits both lists together for a token of a %s', async (role) => {
    const own = (await app.createUser(role)).api(apiKeys);
    const create = (models: string[], whitelist: string[] = []) =>
      own.create({ body: { name: 'listed', setting: createSetting(models, whitelist) } });
    expect((await create(fitting)).setting.limits.limit_model_setting.models).toEqual(fitting);
    await expect(create(tooLong)).rejects.toMatchObject(refusal);
    await expect(create(fitting, ['10.0.0.0/8'])).rejects.toMatchObject(refusal);
    // The bound counts bytes, not characters.
    await expect(create(fitting.map((name) => name.replaceAll('m', '模')))).rejects.toMatchObject(refusal);
  });

  test.each([
    '::1/1.5',
    '::1/NaN',
    '::1/Infinity',
    '::1/-1',
    '::1/1e1',
    '::1/0x10',
    '::1/',
    '10.0.0.0/1.5',
    '10.0.0.0/33',
  ])('refuses the range of addresses %s', (range) => {
    expect(() => createSetting([], [range])).toThrow(/whitelist/);
  });

  test.each([
    '::/0',
    '::1/128',
    '2001:db8::/32',
    '0.0.0.0/0',
    '10.0.0.0/8',
    '192.0.2.1',
    '::ffff:192.0.2.1',
    '2001:db8::1',
  ])('takes the range of addresses %s, and a request can be compared with it', async (range) => {
    const { setting } = await api.create({ body: { name: 'ranged', setting: createSetting([], [range]) } });
    const { whitelist } = setting.limits.limits_ip_setting;
    expect(createAddressMatcher(whitelist)('203.0.113.1')).toBe(range === '0.0.0.0/0');
  });

  test('refuses lists that would exceed the limit by separate updates', async () => {
    const { id } = await api.create({ body: { name: 'growing', setting: createSetting(fitting) } });
    const { limits_ip_setting } = limitsOf([], ['10.0.0.0/8']);
    const update = api.update({ body: { id, setting: { limits: { limits_ip_setting } } } });
    await expect(update).rejects.toMatchObject(refusal);
  });

  test('keeps longer stored lists readable and lets them become shorter', async () => {
    const { id } = await api.create({ body: { name: 'older' } });
    const stored = namesOf(KEY_LISTS_BYTES_MAX * 2);
    const setting = JSON.stringify({ limits: limitsOf(stored) });
    await app.ctx.db.writer.updateTable('api_key').set({ setting }).where('id', '=', id).execute();
    const read = await api.get({ params: { id } });
    expect(read.setting.limits.limit_model_setting.models).toEqual(stored);
    const update = (models: string[]) =>
      api.update({ body: { id, name: 'kept', setting: { limits: limitsOf(models) } } });
    await update(stored);
    await expect(update([...stored, 'm'])).rejects.toMatchObject(refusal);
    await update(stored.slice(1));
  });

  test('erases the lists when the token is deleted', async () => {
    const { id } = await api.create({ body: { name: 'deleted', setting: createSetting(fitting) } });
    await api.remove({ params: { id } });
    expect(await settingOf(id)).toBe('{}');
  });

  test('erases the lists when the account is deleted', async () => {
    const person = await app.createUser('user');
    const { id } = await person.api(apiKeys).create({ body: { name: 'left', setting: createSetting(fitting) } });
    await endUserKeys(app.ctx, person.id);
    expect(await settingOf(id)).toBe('{}');
  });
});
