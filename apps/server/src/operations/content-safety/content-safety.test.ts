import { contentSafety, RULES_MAX, safetyRuleForm } from '@switchyard/contract/operations/content-safety';
import { afterEach, expect, test } from 'vitest';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { getSafetyCounter } from './content-safety.ts';
import { contentSafetyRoutes } from './routes.ts';

const app = await useFeatureApp([serveRoutes(contentSafety, contentSafetyRoutes)]);
const root = await app.createUser('root');
const api = root.api(contentSafety);
const form = (more: object) => safetyRuleForm.parse({ name: 'List', kind: 'words', action: 'mask', ...more });
const create = (more: object) => api.create({ body: form(more) });

afterEach(async () => {
  for (const { id } of await api.list()) await api.remove({ params: { id } });
});

test('a rule is made, read with its words, changed and deleted', async () => {
  const created = await create({ words: ['bomb', '炸弹', 'bomb'], groups: ['default'] });
  expect(created).toMatchObject({ word_count: 2, has_secret: false, found: 0, groups: ['default'] });
  expect(await api.get({ params: { id: created.id } })).toMatchObject({ words: ['bomb', '炸弹'] });
  const body = form({ name: 'Other', words: ['x'], enabled: false });
  expect(await api.update({ params: { id: created.id }, body })).toMatchObject({ name: 'Other', word_count: 1 });
  await api.remove({ params: { id: created.id } });
  expect(await api.list()).toEqual([]);
  await expect(api.get({ params: { id: created.id } })).rejects.toMatchObject({ code: 'not-found' });
});

test.each([
  ['no words', { words: [] }, 'words'],
  ['a word of nothing that is seen', { words: ['\u200b'] }, 'words'],
  ['no place', { words: ['x'], input: false }, 'input'],
  ['a model that masks', { kind: 'moderation', model: 'm' }, 'action'],
  ['a model for answers', { kind: 'moderation', action: 'flag', model: 'm', output: true }, 'output'],
  ['no model', { kind: 'moderation', action: 'flag' }, 'model'],
  ['no address', { kind: 'webhook', action: 'flag' }, 'url'],
])('a rule with %s is refused at its field', async (_what, more, path) => {
  await expect(create(more)).rejects.toMatchObject({ fields: [{ path }] });
  expect(await api.list()).toEqual([]);
});

test('keeps a secret while the address is unchanged, and sends it to no other', async () => {
  const hook = { kind: 'webhook', action: 'flag', url: 'https://one.example/', secret: 'whsec_c2VjcmV0' };
  const { id } = await create(hook);
  const stored = async () =>
    (await app.ctx.db.writer.selectFrom('safety_rule').select('secret_sealed').executeTakeFirstOrThrow()).secret_sealed;
  const before = await stored();
  await api.update({ params: { id }, body: form({ ...hook, secret: '', name: 'Renamed' }) });
  expect(await stored()).toBe(before);
  const moved = form({ ...hook, secret: '', url: 'https://two.example/' });
  await expect(api.update({ params: { id }, body: moved })).rejects.toMatchObject({ fields: [{ path: 'secret' }] });
  await api.update({ params: { id }, body: { ...moved, secret: 'another' } });
  expect(await stored()).not.toBe(before);
});

test('a name is taken once, and the words of all lists have an end', async () => {
  await create({ words: ['x'] });
  await expect(create({ words: ['y'] })).rejects.toMatchObject({ code: 'already-exists' });
  const many = Array.from({ length: 3_000 }, (_, at) => `${at}`.padEnd(99, 'x'));
  const { id } = await create({ name: 'Long', words: many });
  const more = create({ name: 'Longer', words: many });
  await expect(more).rejects.toMatchObject({ fields: [{ path: 'words' }] });
  await api.update({ params: { id }, body: form({ name: 'Long', words: many }) });
});

test('there is an end to rules', async () => {
  for (let at = 0; at < RULES_MAX; at++) await create({ name: `List ${at}`, words: [`w${at}`] });
  await expect(create({ name: 'More', words: ['one more'] })).rejects.toMatchObject({
    code: 'conflict',
    message: `You have reached the limit of ${RULES_MAX} rules. Delete one first.`,
  });
});

test('a text is tried by the rules of its group and place, and counts nowhere', async () => {
  await create({ words: ['bomb'], groups: ['vip'], name: 'A' });
  await create({ words: ['two words'], action: 'refuse', input: false, output: true, name: 'B' });
  await create({ words: ['off'], action: 'refuse', enabled: false, name: 'C' });
  const tried = (group: string, place: 'input' | 'output') =>
    api.try({ body: { text: 'off: a bomb, two words', group, place } });
  expect(await tried('vip', 'input')).toMatchObject({
    refused: false,
    text: 'off: a ***, two words',
    found: [{ name: 'A' }],
  });
  expect(await tried('default', 'input')).toMatchObject({ refused: false, found: [] });
  expect(await tried('default', 'output')).toMatchObject({ refused: true, found: [{ name: 'B' }] });
  await getSafetyCounter(app.ctx).write();
  expect((await api.list()).map(({ found }) => found)).toEqual([0, 0, 0]);
});

test('the audit log contains no words of rules', async () => {
  await create({ words: ['unspeakable'] });
  const entries = await app.ctx.db.writer.selectFrom('audit_entry').select('detail').execute();
  expect(JSON.stringify(entries)).not.toContain('unspeakable');
});
