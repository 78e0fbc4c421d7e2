import { mailPreferences, profile } from '@switchyard/contract/accounts/profile';
import { expect, onTestFinished, test } from 'vitest';
import { startMailServer } from '../../testing/mail-server.ts';
import { setOptions } from '../../testing/set-options.ts';
import { useTestApp } from '../../testing/start-test-app.ts';
import { notifyLowBalances } from './check-notification-conditions.ts';

const app = await useTestApp({ config: { publicUrl: 'https://gate.example' } });

async function move(userId: number, amount: number): Promise<void> {
  await app.ctx.ledger.transaction((_trx, moves) =>
    moves.post({ kind: 'adjust', ref: `${userId}:${Math.random()}`, userId, amount, note: '' }),
  );
}

test('notifies of a low balance once, in the reader’s language, and again only after it was higher', async () => {
  const server = await startMailServer();
  onTestFinished(() => server.close());
  await setOptions(app.ctx, {
    SMTPServer: '127.0.0.1',
    SMTPPort: String(server.port),
    SMTPFrom: 'gate@gate.example',
    QuotaRemindThreshold: '500000',
  });
  const users = await Promise.all(
    ['told', 'rich', 'silent', 'unproven'].map((username) => app.createUser('user', { username, quota: 1_000_000 })),
  );
  const [told, rich, silent] = users;
  if (told === undefined || rich === undefined || silent === undefined) throw new Error('no users');
  for (const { id, username } of [told, rich, silent])
    await app.ctx.db.writer
      .updateTable('user')
      .set({ email: `${username}@example.org`, email_verified_time: 1, language: 'ja_JP' })
      .where('id', '=', id)
      .execute();
  await silent.api(profile).update({ body: { notices: mailPreferences.parse({ low_balance: false }) } });

  await notifyLowBalances(app.ctx);
  for (const { id } of users.filter(({ id }) => id !== rich.id)) await move(id, -750_000);
  await notifyLowBalances(app.ctx);
  await notifyLowBalances(app.ctx);
  const mail = await server.waitForNext();
  expect(mail.to).toBe('told@example.org');
  expect(mail.text).toContain('$0.50');
  expect(mail.text).toMatch(/残高/);

  await move(told.id, 1_000_000);
  await notifyLowBalances(app.ctx);
  await move(told.id, -1_000_000);
  await notifyLowBalances(app.ctx);
  expect((await server.waitForNext()).to).toBe('told@example.org');
  expect(server.messages).toHaveLength(2);
});
