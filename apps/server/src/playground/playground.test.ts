import { profile } from '@switchyard/contract/accounts/profile';
import { users } from '@switchyard/contract/accounts/users';
import type { ConversationId } from '@switchyard/contract/ids';
import {
  CONVERSATION_BYTES_MAX,
  CONVERSATIONS_MAX,
  playground,
  playgroundPaths,
} from '@switchyard/contract/playground/playground';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { profileRoutes } from '../accounts/profile/routes.ts';
import { userRoutes } from '../accounts/users/routes.ts';
import { fillTable, named } from '../testing/fill-table.ts';
import { measureLongestBlockRepeatedly } from '../testing/measure-longest-block.ts';
import { sampleContent } from '../testing/sample-conversation.ts';
import { setOptions } from '../testing/set-options.ts';
import { serveRoutes, useFeatureApp } from '../testing/start-feature-app.ts';
import { useTestApp } from '../testing/start-test-app.ts';
import { removeStaleConversations } from './playground.ts';
import { playgroundRoutes } from './routes.ts';

const app = await useFeatureApp([
  serveRoutes(playground, playgroundRoutes),
  serveRoutes(profile, profileRoutes),
  serveRoutes(users, userRoutes),
]);
/** The whole server, whose gateway serves the calls of the playground. */
const gateway = await useTestApp();
const root = await app.createUser('root');
const admin = await app.createUser('admin');
const DAY = 86_400;
const picture = `data:image/png;base64,${'A'.repeat(1_000)}`;

async function begin(text = 'Is it?') {
  const user = await app.createUser('user');
  const api = user.api(playground);
  const created = await api.createConversation({ body: { title: text, content: sampleContent(text) } });
  return { user, api, created };
}

test('reads a conversation by the connection for lists, so that no write waits for its megabytes', async () => {
  const { api, created } = await begin();
  const query = vi.spyOn(app.ctx.db.writer, 'selectFrom');
  onTestFinished(() => query.mockRestore());
  await api.readConversation({ params: { id: created.id } });
  expect(query).not.toHaveBeenCalledWith('conversation');
});

test('returns a conversation as it was stored, and lists the last saved one first', async () => {
  const { api, created } = await begin();
  app.clock.advance(5);
  const second = await api.createConversation({ body: { title: '100% sure', content: sampleContent('b') } });
  expect((await api.readConversation({ params: { id: created.id } })).content).toEqual(sampleContent('Is it?'));
  const titles = async (keyword?: string) =>
    (await api.listConversations({ query: { keyword } })).data.map(({ title }) => title);
  expect(await titles()).toEqual(['100% sure', 'Is it?']);
  app.clock.advance(5);
  await api.saveConversation({
    params: { id: created.id },
    body: { version: created.version, content: sampleContent('c') },
  });
  expect(await titles()).toEqual(['Is it?', '100% sure']);
  expect(await titles('%')).toEqual(['100% sure']);
  await api.renameConversation({ params: { id: second.id }, body: { title: 'Renamed' } });
  expect(await titles('renam')).toEqual(['Renamed']);
});

test('rejects a save of an outdated version, so that two tabs do not overwrite each other', async () => {
  const { api, created } = await begin();
  const save = (version: number, text: string) =>
    api.saveConversation({ params: { id: created.id }, body: { version, content: sampleContent(text) } });
  const saves = await Promise.allSettled([save(1, 'left'), save(1, 'right')]);
  expect(saves.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  await expect(save(1, 'late')).rejects.toMatchObject({ code: 'conflict' });
  const kept = await api.readConversation({ params: { id: created.id } });
  expect(['left', 'right']).toContain(kept.content.turns[0]?.text);
  expect(kept.version).toBe(2);
  // A new title is no new version: the tab that saves next need not know it.
  await api.renameConversation({ params: { id: created.id }, body: { title: 'Other' } });
  expect(await save(2, 'next')).toMatchObject({ version: 3, title: 'Other' });
});

test('rejects access to another user’s conversation, regardless of the role', async () => {
  const { user, api, created } = await begin();
  const params = { id: created.id };
  const body = { version: 1, content: sampleContent('mine now') };
  for (const who of [await app.createUser('user'), admin, root]) {
    const other = who.api(playground);
    for (const call of [
      () => other.readConversation({ params }),
      () => other.saveConversation({ params, body }),
      () => other.renameConversation({ params, body: { title: 'mine' } }),
      () => other.removeConversation({ params }),
    ])
      await expect(call()).rejects.toMatchObject({ code: 'not-found' });
    expect((await other.listConversations()).total_count).toBe(0);
    expect(await other.removeConversations()).toBe(0);
  }
  expect(await api.readConversation({ params })).toMatchObject({ title: 'Is it?', version: 1 });
  expect((await app.anonymous.fetch('/api/playground/conversations')).status).toBe(401);
  expect((await user.fetch('/api/playground/conversations/none')).status).toBe(400);
});

test('one is deleted, then all', async () => {
  const { api, created } = await begin();
  await api.removeConversation({ params: { id: created.id } });
  const again = api.saveConversation({ params: { id: created.id }, body: { version: 1, content: sampleContent('x') } });
  await expect(again).rejects.toMatchObject({ code: 'not-found' });
  for (const text of ['a', 'b']) await api.createConversation({ body: { title: text, content: sampleContent(text) } });
  expect(await api.removeConversations()).toBe(2);
  expect((await api.listConversations()).total_count).toBe(0);
});

test('rejects a conversation above two megabytes, and leaves the stored one unchanged', async () => {
  const { api, created } = await begin();
  const large = sampleContent('x'.repeat(CONVERSATION_BYTES_MAX - 2_000));
  const params = { id: created.id };
  await api.saveConversation({ params, body: { version: 1, content: large } });
  large.turns[0]?.images.push(picture, picture);
  const refused = api.saveConversation({ params, body: { version: 2, content: large } });
  await expect(refused).rejects.toMatchObject({ code: 'too-large' });
  const much = sampleContent('x'.repeat(3 * CONVERSATION_BYTES_MAX));
  await expect(api.createConversation({ body: { title: 'much', content: much } })).rejects.toMatchObject({
    code: 'too-large',
  });
  expect((await api.readConversation({ params })).version).toBe(2);
});

test('rejects 20,000 invalid tool calls at the first violation, in milliseconds, and a short body with all', async () => {
  const { user } = await begin();
  const violations = async (body: object): Promise<unknown[]> => {
    const sent = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await user.fetch('/api/playground/conversations', sent);
    const { fields } = (await response.json()) as { fields: { path: string }[] };
    return fields.map(({ path }) => path);
  };
  const { settings, turns } = sampleContent('');
  const toolCalls = Array.from({ length: 128 }, () => ({}));
  const rounds = Array.from({ length: 53 }, () => ({ text: '', reasoning: '', toolCalls }));
  const answers = Array.from({ length: 3 }, () => ({ ...turns[0]?.answers[0], rounds }));
  const content = { settings, turns: [{ ...turns[0], answers }] };
  let refused: unknown[] = [];
  const turn = await measureLongestBlockRepeatedly(async () => {
    refused = await violations({ title: 'a', content });
  });
  expect(refused).toEqual(['content.turns.0.answers.0.rounds.0.toolCalls.0.place']);
  expect(turn).toBeLessThan(30);
  const short = await violations({ content: { settings, turns: [{}, {}] } });
  expect(short).toEqual(expect.arrayContaining(['title', 'content.turns.0.id', 'content.turns.1.answers']));
});

test('the cost of a request is found without a walk through all records of its user', async () => {
  const user = await app.createUser('user');
  const records = { request_id: named('cost-'), user_id: user.id, type: 'consume', quota: 7, created_at: 1 };
  await fillTable(app.ctx, 'usage_record', 200_000, records);
  const read = () => user.api(playground).record({ params: { request_id: 'cost-30000' } });
  expect(await read()).toMatchObject({ quota: 7 });
  expect(await root.api(playground).record({ params: { request_id: 'cost-30000' } })).toBeNull();
  expect(await measureLongestBlockRepeatedly(read)).toBeLessThan(8);
});

test('the five hundred and first is refused, and makes no room by deleting', async () => {
  const { user, api } = await begin();
  await sql`with recursive n(i) as (select 2 union all select i + 1 from n where i < ${CONVERSATIONS_MAX})
    insert into conversation (user_id, title, version, created_time, updated_time, content)
    select ${user.id}, 'old ' || i, 1, i, i, '{}' from n`.execute(app.ctx.db.writer);
  const body = { title: 'more', content: sampleContent('more') };
  await expect(api.createConversation({ body })).rejects.toMatchObject({
    code: 'conflict',
    message: `You have reached the limit of ${CONVERSATIONS_MAX} stored conversations. Delete some first.`,
  });
  const { data, total_count } = await api.listConversations({ query: { order: 'updated_time', size: 1 } });
  expect(total_count).toBe(CONVERSATIONS_MAX);
  await api.removeConversation({ params: { id: data[0]?.id as ConversationId } });
  expect(await api.createConversation({ body })).toMatchObject({ version: 1 });
  await api.removeConversations();
});

test('limits a user’s stored conversations to 128 megabytes in total', async () => {
  const { user, api, created } = await begin();
  const large = 'x'.repeat(2 * 1_048_576 - 100);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 64)
    insert into conversation (user_id, title, version, created_time, updated_time, content)
    select ${user.id}, 'large ' || i, 1, i, i, ${large} from n`.execute(app.ctx.db.writer);
  const grown = { version: 1, content: sampleContent('x'.repeat(100_000)) };
  const grow = api.saveConversation({ params: { id: created.id }, body: grown });
  await expect(grow).rejects.toMatchObject({
    code: 'conflict',
    message: 'You have reached the limit of 128 MiB of stored conversations. Delete some first.',
  });
  const shrink = { version: 1, content: sampleContent('y') };
  expect(await api.saveConversation({ params: { id: created.id }, body: shrink })).toMatchObject({ version: 2 });
  await api.removeConversations();
});

test.each([
  ['a picture that could hold a script', { images: ['data:image/svg+xml;base64,PHN2Zz4='] }],
  ['a picture of another host', { images: ['https://host.example/a.png'] }],
  ['an answer without a model', { answers: [{ id: 'a' }] }],
])('does not store %s', async (_what, change) => {
  const { user } = await begin();
  const content = sampleContent('x');
  const turns = content.turns.map((turn) => ({ ...turn, ...change }));
  const response = await user.fetch('/api/playground/conversations', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 't', content: { ...content, turns } }),
  });
  expect(response.status).toBe(400);
});

test('deletes conversations after the configured days without a change', async () => {
  const { user, api, created } = await begin();
  const idle = await api.createConversation({ body: { title: 'idle', content: sampleContent('idle') } });
  await app.ctx.db.writer
    .updateTable('conversation')
    .set((eb) => ({ updated_time: eb('updated_time', '-', 30 * DAY) }))
    .where('user_id', '=', user.id)
    .execute();
  expect(await removeStaleConversations(app.ctx)).toBe(0);
  expect((await api.listConversations()).total_count).toBe(2);
  await setOptions(app.ctx, { ConversationDays: '30' });
  await api.saveConversation({ params: { id: created.id }, body: { version: 1, content: sampleContent('on') } });
  expect(await removeStaleConversations(app.ctx)).toBe(1);
  expect((await api.listConversations()).data.map(({ id }) => id)).toEqual([created.id]);
  await expect(api.readConversation({ params: { id: idle.id } })).rejects.toMatchObject({ code: 'not-found' });
  await setOptions(app.ctx, { ConversationDays: '0' });
});

test('stores nothing while storage is off; stored conversations can be read and deleted', async () => {
  const { api, created } = await begin();
  const content = sampleContent('new');
  await setOptions(app.ctx, { KeepConversationsEnabled: 'false' });
  await expect(api.createConversation({ body: { title: 'x', content } })).rejects.toMatchObject({
    code: 'switched-off',
  });
  const save = api.saveConversation({ params: { id: created.id }, body: { version: 1, content } });
  await expect(save).rejects.toMatchObject({ code: 'switched-off' });
  expect((await api.readConversation({ params: { id: created.id } })).title).toBe('Is it?');
  await api.removeConversation({ params: { id: created.id } });
  await setOptions(app.ctx, { KeepConversationsEnabled: 'true' });
});

test('a conversation is answered as the text that is stored, without parsing it', async () => {
  const { user, created } = await begin();
  // Spaces show that nothing has written it again.
  const content = JSON.stringify(sampleContent('stored'), undefined, 3);
  await app.ctx.db.writer.updateTable('conversation').set({ content }).where('id', '=', created.id).execute();
  const response = await user.fetch(`/api/playground/conversations/${created.id}`);
  expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(await response.text()).toContain(content);
  const read = await user.api(playground).readConversation({ params: { id: created.id } });
  expect(read).toMatchObject({ id: created.id, title: 'Is it?', content: sampleContent('stored') });
});

test('conversations are part of the account export, and are deleted with the account', async () => {
  const { user } = await begin('take me along');
  const taken = JSON.parse(await (await user.fetch(profile.export.path)).text());
  expect(taken.conversations).toMatchObject([
    { title: 'take me along', content: { turns: [{ text: 'take me along' }] } },
  ]);
  await root.api(users).remove({ params: { id: user.id } });
  const rows = await app.ctx.db.writer.selectFrom('conversation').select('id').where('user_id', '=', user.id).execute();
  expect(rows).toEqual([]);
});

test.each(Object.values(playgroundPaths))('%s takes no key, and no call of another site', async (path) => {
  const user = await gateway.createUser('user');
  const body = { model: 'none', messages: [{ role: 'user', content: 'x' }], prompt: 'x', input: 'x' };
  const form = new FormData();
  form.set('model', 'none');
  form.set('file', new Blob(['RIFF']), 'a.wav');
  const call = (headers: Record<string, string>) => ({
    method: 'POST',
    ...(path === playgroundPaths.transcript
      ? { headers, body: form }
      : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
  });
  expect((await gateway.anonymous.fetch(path, call({ authorization: 'Bearer sk-syx' }))).status).toBe(401);
  expect((await user.fetch(path, call({ origin: 'https://elsewhere.example' }))).status).toBe(403);
  const own = await user.fetch(path, call({}));
  // No channel offers the model: the session was let in.
  expect(await own.json()).toMatchObject({ error: { code: 'model_not_found' } });
});
