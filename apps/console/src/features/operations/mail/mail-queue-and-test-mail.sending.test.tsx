import { screen } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wireSite } from '../../../testing/wire-samples.ts';
import { MailTest } from './mail-queue-and-test-mail.tsx';

beforeEach(() => {
  script('get', '/api/status', () => succeed(wireSite));
});

it('sends a test mail and shows the mail server’s response', async () => {
  const tests = script('post', '/api/mail/test', () => succeed({ response: '250 queued as 7' }));
  const { user } = show(<MailTest />);
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Send test email' });
  expect(button.disabled).toBe(true);
  await user.type(screen.getByLabelText('Recipient'), 'ann@example.org');
  await user.click(button);
  expect(await screen.findByText(/250 queued as 7/)).toBeTruthy();
  expect(tests.map(({ body }) => body)).toEqual([{ to: 'ann@example.org' }]);
});

it('sends on Enter without submitting the surrounding form', async () => {
  const tests = script('post', '/api/mail/test', () => succeed({ response: '250 ok' }));
  let submitted = 0;
  const { user } = show(
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submitted += 1;
      }}
    >
      <MailTest />
    </form>,
  );
  await user.type(await screen.findByLabelText('Recipient'), 'ann@example.org{Enter}');
  expect(await screen.findByText(/250 ok/)).toBeTruthy();
  expect(tests.length).toBe(1);
  expect(submitted).toBe(0);
});

it('shows the reason when no mail was sent', async () => {
  script('post', '/api/mail/test', () => refuse('upstream-failed', 502));
  const { user } = show(<MailTest />);
  await user.type(await screen.findByLabelText('Recipient'), 'ann@example.org');
  await user.click(screen.getByRole('button', { name: 'Send test email' }));
  expect(await screen.findByText('Not sent. upstream-failed')).toBeTruthy();
});
