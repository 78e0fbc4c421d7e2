import { expect, onTestFinished, test, vi } from 'vitest';
import { setOptions } from '../../testing/set-options.ts';
import { useFeatureApp } from '../../testing/start-feature-app.ts';
import { mailOwner } from './security-mails.ts';

const MAILS_PER_HOUR = 10;
const app = await useFeatureApp([], { now: Date.UTC(2026, 0, 10), config: { publicUrl: 'https://gate.example' } });

test('limits the security mails of an account within an hour, and logs the first dropped one', async () => {
  await setOptions(app.ctx, { SMTPServer: '127.0.0.1', SMTPPort: '9', SMTPFrom: 'gate@gate.example' });
  const logged = vi.spyOn(app.ctx.log, 'warn');
  onTestFinished(() => logged.mockRestore());
  const [busy, other] = [await app.createUser('user'), await app.createUser('user')];
  for (const { id } of [busy, other])
    await app.ctx.db.writer
      .updateTable('user')
      .set({ email: `${id}@example.org`, email_verified_time: 1 })
      .where('id', '=', id)
      .execute();
  const mail = ({ id }: { id: number }) => mailOwner(app.ctx, id, 'password-changed', {});
  const count = async ({ id }: { id: number }) => {
    const mails = app.ctx.db.writer.selectFrom('mail').select('id').where('recipient', '=', `${id}@example.org`);
    return (await mails.execute()).length;
  };
  for (let mails = 0; mails < MAILS_PER_HOUR + 5; mails += 1) await mail(busy);
  await mail(other);
  expect([await count(busy), await count(other)]).toEqual([MAILS_PER_HOUR, 1]);
  // A thief must not hide one event behind many of another kind.
  await mailOwner(app.ctx, busy.id, 'account-deleted', {});
  expect(await count(busy)).toBe(MAILS_PER_HOUR + 1);
  expect(logged.mock.calls).toEqual([
    [{ user: busy.id, template: 'password-changed' }, expect.stringContaining('dropped')],
  ]);
  app.clock.advance(3_600);
  await mail(busy);
  expect(await count(busy)).toBe(MAILS_PER_HOUR + 2);
});
