import { screen, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSite } from '../../../testing/wire-samples.ts';
import { MailQueue } from './mail-queue-and-test-mail.tsx';

const now = Math.floor(Date.now() / 1000);
const waiting = {
  id: 'a',
  to: 'ann@example.org',
  template: 'password-reset',
  state: 'waiting',
  tries: 2,
  created_time: now - 60,
  next_try_time: now + 120,
  last_error: 'The mail server did not respond in time',
};

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
});

it('shows the recipients of pending and failed mails with the reason', async () => {
  const failed = { ...waiting, id: 'b', to: 'bob@example.org', state: 'failed', tries: 1, last_error: '550 unknown' };
  script('get', '/api/mail/', () => succeed(wirePage([waiting, failed], 25)));
  show(<MailQueue />);
  const list = await screen.findByRole('list', { name: 'Unsent emails' });
  const [first, second] = within(list)
    .getAllByRole('listitem')
    .map(({ textContent }) => textContent);
  expect(first).toMatch(/ann@example\.org.*password-reset.*2 attempts.*did not respond in time.*Waiting/);
  expect(second).toMatch(/bob@example\.org.*1 attempt.*550 unknown.*Failed/);
  expect(screen.getByText('23 older emails are not shown.')).toBeTruthy();
});

it('shows that no mail is pending', async () => {
  script('get', '/api/mail/', () => succeed(wirePage([])));
  show(<MailQueue />);
  expect(await screen.findByText('No emails are waiting, and none failed in the last week.')).toBeTruthy();
});
