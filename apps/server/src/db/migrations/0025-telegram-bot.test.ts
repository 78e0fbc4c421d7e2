import { expect, test } from 'vitest';
import { writeOldDatabase } from '../../testing/old-database.ts';
import { openDatabase } from '../open-database.ts';

test('keeps connected Telegram users of the previous version, and menu commands without duplicates', async () => {
  const file = await writeOldDatabase(
    '0025-telegram-bot',
    `insert into "user" (id, username, password_hash, display_name, email, avatar_url, role, status, group_symbol,
        role_since, created_time, last_login_time, last_login_ip)
      values (1, 'ada', '', '', '', '', 'user', 'enabled', 'default', 0, 0, 0, '');
    insert into identity (provider, issuer, subject, user_id, label, created_time)
      values ('telegram', 'https://telegram.org', '42', 1, '@ada', 5)`,
  );
  const db = await openDatabase(file);
  expect(await db.writer.selectFrom('identity').selectAll().execute()).toMatchObject([
    { provider: 'telegram', subject: '42', user_id: 1, label: '@ada' },
  ]);
  const row = {
    command: 'price',
    description: 'Prices',
    parse_mode: 'text' as const,
    reply_message: 'None',
    enabled: 1,
    position: 1,
  };
  await db.writer.insertInto('telegram_menu').values(row).execute();
  await expect(db.writer.insertInto('telegram_menu').values(row).execute()).rejects.toThrow('UNIQUE');
  await db.close();
});
