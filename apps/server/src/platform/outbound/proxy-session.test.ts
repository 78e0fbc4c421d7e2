import { expect, test } from 'vitest';
import { hasSession, withSession } from './proxy-session.ts';

test('a session stands in the user and the password, and nowhere else', () => {
  expect(withSession('socks5://u-{session}:p-{session}@proxy.test:1080', 'ab12')).toBe(
    'socks5://u-ab12:p-ab12@proxy.test:1080',
  );
  const elsewhere = 'http://{session}.proxy.test/{session}';
  expect(withSession(elsewhere, 'ab12')).toBe(elsewhere);
  expect(hasSession(elsewhere)).toBe(false);
  expect(hasSession('http://u-{session}@proxy.test')).toBe(true);
  expect(hasSession('http://proxy.test/@{session}')).toBe(false);
});
