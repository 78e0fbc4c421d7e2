import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { nowSeconds } from '../../platform/clock.ts';
import { type MailServerOptions, startMailServer } from '../../testing/mail-server.ts';
import { setOptions } from '../../testing/set-options.ts';
import { type FeatureApp, runInBackground, startFeatureApp, useFeatureApp } from '../../testing/start-feature-app.ts';
import { queueMail, removeOldMail, startMailDelivery } from './mail.ts';

const ADDRESS = 'https://gate.example';
const parts = [runInBackground(startMailDelivery)];
const app = await useFeatureApp(parts, { config: { publicUrl: ADDRESS } });

afterEach(async () => {
  await app.ctx.db.writer.deleteFrom('mail').execute();
});

function setUpMail({ ctx }: FeatureApp, port: number, more: Readonly<Record<string, string>> = {}): Promise<void> {
  const options = {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(port),
    SMTPAccount: '',
    SMTPToken: '',
    SMTPFrom: 'gate@gate.example',
    ...more,
  };
  return setOptions(ctx, options);
}

async function startMail(options: MailServerOptions = {}, more: Readonly<Record<string, string>> = {}) {
  const server = await startMailServer(options);
  onTestFinished(() => server.close());
  await setUpMail(app, server.port, more);
  return server;
}

/** The queue looks again, now that something is committed or the clock was moved. */
const look = ({ ctx }: FeatureApp = app) => ctx.changes.publish({ topic: 'mail' });
const rows = ({ ctx }: FeatureApp = app) => ctx.db.writer.selectFrom('mail').selectAll().execute();
const firstRow = async () => (await rows())[0];
const queueReset = (to: string, expiresAt?: number): Promise<boolean> =>
  queueMail(app.ctx, {
    to,
    template: 'password-reset',
    language: 'en_US',
    values: { link: `${ADDRESS}/reset?token=s3cret`, minutes: 15 },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });
const reset = async (to = 'ann@example.org', expiresAt?: number): Promise<void> => {
  await queueReset(to, expiresAt);
  await look();
};

test('a mail arrives in its language, with its link, for its recipient alone, and leaves no row', async () => {
  const server = await startMail();
  expect(
    await queueMail(app.ctx, {
      to: 'ann@example.org',
      template: 'password-reset',
      language: 'zh_CN',
      values: { link: `${ADDRESS}/reset?a=1&b=2`, minutes: 15 },
    }),
  ).toBe(true);
  const message = await server.waitForNext();
  expect(message).toMatchObject({ to: 'ann@example.org', from: 'gate@gate.example', subject: '重置您的密码' });
  expect(message.text).toContain(`设置新密码: ${ADDRESS}/reset?a=1&b=2`);
  expect(message.html).toContain(`href="${ADDRESS}/reset?a=1&amp;b=2"`);
  expect(message.html).toContain('lang="zh-CN"');
  expect(message.headers.get('auto-submitted')).toBe('auto-generated');
  await expect.poll(() => rows()).toEqual([]);
});

test('a mail of a transaction is sent once it is committed, and never when it is not', async () => {
  const server = await startMail();
  const within = (to: string, fail: boolean) =>
    app.ctx.db.writer.transaction().execute(async (trx) => {
      await queueMail(app.ctx, { to, template: 'password-changed', language: 'en_US', values: {} }, trx);
      if (fail) throw new Error('rolled back');
    });
  await expect(within('never@example.org', true)).rejects.toThrow('rolled back');
  await within('ann@example.org', false);
  expect((await server.waitForNext()).to).toBe('ann@example.org');
  await expect.poll(() => rows()).toEqual([]);
  expect(server.messages.length).toBe(1);
});

test('the content of a queued mail is sealed', async () => {
  const server = await startMail();
  server.setBehaviour(() => '451 4.7.1 greylisted, come again');
  await reset();
  await expect.poll(async () => (await firstRow())?.last_error).toContain('greylisted');
  expect((await firstRow())?.values_sealed).not.toBe('');
  expect(JSON.stringify(await rows())).not.toContain('s3cret');
});

test('a mail that was refused for now is tried again, under the same message id', async () => {
  const server = await startMail();
  const ids: (string | undefined)[] = [];
  server.setBehaviour((stage) => (stage === 'taken' ? 'drop' : 'go-on'));
  await reset();
  ids.push((await server.waitForNext()).headers.get('message-id'));
  await expect.poll(async () => (await firstRow())?.last_error).toContain('was interrupted');
  server.setBehaviour(() => 'go-on');
  await look();
  expect(server.messages.length).toBe(1);
  app.clock.advance(30);
  await look();
  ids.push((await server.waitForNext()).headers.get('message-id'));
  expect(ids[0]).toMatch(/^<[\w-]+@gate\.example>$/);
  expect(ids[1]).toBe(ids[0]);
  await expect.poll(() => rows()).toEqual([]);
});

test('attempts are 30 seconds, 2 and 10 minutes, 1 and 6 hours apart, and then over', async () => {
  const server = await startMail();
  server.setBehaviour(() => '451 4.3.2 not now');
  await reset();
  for (const [tries, seconds] of [30, 120, 600, 3_600, 21_600].entries()) {
    await expect
      .poll(firstRow)
      .toMatchObject({ tries: tries + 1, state: 'waiting', last_error: expect.stringContaining('not now') });
    app.clock.advance(seconds - 2);
    await look();
    expect((await firstRow())?.tries).toBe(tries + 1);
    app.clock.advance(2);
    await look();
    await expect.poll(async () => (await firstRow())?.tries).toBe(tries + 2);
  }
  await expect.poll(firstRow).toMatchObject({ tries: 6, state: 'failed', values_sealed: '' });
});

test('a mail is not tried again once it has expired', async () => {
  const server = await startMail();
  server.setBehaviour(() => '451 4.3.2 not now');
  await reset('ann@example.org', nowSeconds(app.clock) + 60);
  await expect.poll(async () => (await firstRow())?.last_error).toContain('not now');
  expect((await firstRow())?.state).toBe('waiting');
  app.clock.advance(30);
  await look();
  await expect.poll(firstRow).toMatchObject({ tries: 2, state: 'failed', values_sealed: '' });
});

test('a mail that was encrypted with another master key is abandoned, not sent', async () => {
  const server = await startMail();
  server.setBehaviour(() => '451 4.3.2 not now');
  await reset();
  await expect.poll(async () => (await firstRow())?.last_error).toContain('not now');
  await app.ctx.db.writer
    .updateTable('mail')
    .set({ values_sealed: app.ctx.vault.seal('mail', 'mail:another', '{}') })
    .execute();
  server.setBehaviour(() => 'go-on');
  for (const seconds of [30, 120, 600, 3_600, 21_600]) {
    // An error that is stored afterwards belongs to this attempt, which has ended then.
    await app.ctx.db.writer.updateTable('mail').set({ last_error: '' }).execute();
    app.clock.advance(seconds);
    await look();
    await expect.poll(async () => (await firstRow())?.last_error).toBe('The mail could not be created');
  }
  await expect.poll(firstRow).toMatchObject({ tries: 6, state: 'failed', values_sealed: '' });
  expect(server.messages).toEqual([]);
});

test('a permanently refused recipient fails at once', async () => {
  const server = await startMail();
  server.setBehaviour((stage) => (stage === 'recipient' ? '550 5.1.1 no such person' : 'go-on'));
  await reset();
  await expect
    .poll(firstRow)
    .toMatchObject({
      tries: 1,
      state: 'failed',
      values_sealed: '',
      last_error: expect.stringContaining('no such person'),
    });
});

test('failed mails are removed after a week', async () => {
  const server = await startMail();
  server.setBehaviour(() => '550 5.1.1 no such person');
  await reset();
  await expect.poll(async () => (await firstRow())?.last_error).toContain('no such person');
  await app.ctx.db.writer.updateTable('mail').set({ state: 'failed' }).execute();
  app.clock.advance(7 * 86_400 - 60);
  await removeOldMail(app.ctx);
  expect((await rows()).length).toBe(1);
  app.clock.advance(60);
  await removeOldMail(app.ctx);
  expect(await rows()).toEqual([]);
});

test('a connection that breaks off inside the mail is tried again', async () => {
  const server = await startMail();
  server.setBehaviour((stage) => (stage === 'data' ? 'drop' : 'go-on'));
  await reset();
  await expect.poll(async () => (await firstRow())?.last_error).toContain('was interrupted');
  expect(server.messages).toEqual([]);
  server.setBehaviour(() => 'go-on');
  app.clock.advance(30);
  await look();
  expect((await server.waitForNext()).to).toBe('ann@example.org');
});

test('a mail for a server that is down is sent when it is up', async () => {
  const down = await startMailServer();
  await down.close();
  await setUpMail(app, down.port);
  await reset();
  await expect
    .poll(async () => (await firstRow())?.last_error)
    .toBe(`No connection to 127.0.0.1:${down.port} (ECONNREFUSED)`);
  const up = await startMail({ port: down.port });
  app.clock.advance(30);
  await look();
  expect((await up.waitForNext()).to).toBe('ann@example.org');
});

test('at most two connections are open at the same time', async () => {
  const server = await startMail();
  let open = 0;
  let most = 0;
  let connections = 0;
  server.setBehaviour(async (stage) => {
    if (stage === 'connect') open += 1;
    if (stage === 'taken') open -= 1;
    most = Math.max(most, open);
    if (stage === 'connect') connections += 1;
    // The first connection stays open until all other mails have arrived, one after the other.
    if (stage === 'connect' && connections === 1)
      await vi.waitUntil(() => server.messages.length === people.length - 1, { timeout: 60_000 });
    return 'go-on' as const;
  });
  const people = Array.from({ length: 8 }, (_, index) => `p${index}@example.org`);
  // All wait before the first is sent.
  await Promise.all(people.map((to) => queueReset(to)));
  await look();
  await expect.poll(() => server.messages.map(({ to }) => to).toSorted()).toEqual(people);
  expect(most).toBe(2);
});

test('a queued mail survives a restart, and a mail server that does not respond does not delay the stop', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-mail-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const server = await startMailServer();
  onTestFinished(() => server.close());
  const before = await startFeatureApp(parts, { dataDir, config: { publicUrl: ADDRESS } });
  await setUpMail(before, server.port);
  let reached = false;
  server.setBehaviour(() => {
    reached = true;
    return 'silent';
  });
  await queueMail(before.ctx, {
    to: 'ann@example.org',
    template: 'verification-code',
    language: 'ja_JP',
    values: { code: '123456', minutes: 10 },
  });
  await expect.poll(() => reached).toBe(true);
  // Noted before the attempt begins, for a process that dies during it.
  expect(await rows(before)).toMatchObject([{ tries: 1, state: 'waiting' }]);
  const [mail] = await rows(before);
  expect(mail?.next_try_time).toBeGreaterThan(nowSeconds(before.clock) + 20);
  const grace = vi.spyOn(before.clock, 'after');
  const closing = before.close();
  await expect.poll(() => grace.mock.calls.length, { interval: 5 }).toBe(1);
  before.clock.advance(3);
  await closing;

  server.setBehaviour(() => 'go-on');
  const after = await startFeatureApp(parts, { dataDir, config: { publicUrl: ADDRESS } });
  onTestFinished(() => after.close());
  // 3 s bring the new clock to the old one's time, 5 s to the next poll.
  after.clock.advance(3 + 5);
  const message = await server.waitForNext();
  expect(message.subject).toBe('確認コードのお知らせ');
  expect(message.text).toContain('123456');
  await expect.poll(() => rows(after)).toEqual([]);
});

test('sends mails that expire soon first, and the others in turns by recipient', async () => {
  const server = await startMail();
  await app.ctx.db.writer.transaction().execute(async (trx) => {
    const changed = { template: 'password-changed', language: 'en_US', values: {} } as const;
    for (let mails = 0; mails < 10; mails += 1) await queueMail(app.ctx, { to: 'many@example.org', ...changed }, trx);
    await queueMail(app.ctx, { to: 'one@example.org', ...changed }, trx);
    const expiresAt = nowSeconds(app.ctx.clock) + 600;
    const code = {
      template: 'verification-code',
      language: 'en_US',
      values: { code: '12345678', minutes: 10 },
    } as const;
    await queueMail(app.ctx, { to: 'soon@example.org', expiresAt, ...code }, trx);
  });
  await look();
  await expect.poll(() => server.messages.length).toBe(12);
  const recipients = server.messages.map(({ to }) => to);
  expect(recipients.slice(0, 2)).toContain('soon@example.org');
  expect(recipients.slice(0, 4)).toContain('one@example.org');
});
