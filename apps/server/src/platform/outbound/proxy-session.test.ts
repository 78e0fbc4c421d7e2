import { expect, test } from 'vitest';
import { fillSession, hasSessionPlaceholder } from './proxy-session.ts';

test('a session appears only in the username and the password', () => {
  expect(fillSession('socks5://u-{session}:p-{session}@proxy.test:1080', 'ab12')).toBe(
    'socks5://u-ab12:p-ab12@proxy.test:1080',
  );
  const elsewhere = 'http://{session}.proxy.test/{session}';
  expect(fillSession(elsewhere, 'ab12')).toBe(elsewhere);
  expect(hasSessionPlaceholder(elsewhere)).toBe(false);
  expect(hasSessionPlaceholder('http://u-{session}@proxy.test')).toBe(true);
  expect(hasSessionPlaceholder('http://proxy.test/@{session}')).toBe(false);
});
