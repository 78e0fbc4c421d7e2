import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { refuse, script, scriptConfirmation, succeed } from '../../../testing/mock-api-server.ts';
import { show } from '../../../testing/render.tsx';
import { wirePage, wireSelfOf, wireSite } from '../../../testing/wire-samples.ts';
import { wirePaymentProvider } from './payment-providers.samples.ts';
import { PaymentProvidersPage } from './payment-providers-page.tsx';

const ADDRESS = '/panel/payment_gateway';
const page = <PaymentProvidersPage />;

beforeEach(() => {
  window.scrollTo = () => {};
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelfOf('admin')));
  script('get', '/api/payment/', () => succeed(wirePage([wirePaymentProvider(1, { sandbox: true })])));
  script('get', '/api/payment/1', () => succeed(wirePaymentProvider(1)));
});

it('shows only the fields that the type needs', async () => {
  const made = script('post', '/api/payment/', () => succeed(wirePaymentProvider(1)));
  const { user, search } = show(page, `${ADDRESS}?edit=new`);
  const drawer = await screen.findByRole('dialog', { name: 'New payment provider' });
  expect(await within(drawer).findByRole('switch', { name: 'Test mode' })).toBeTruthy();
  await user.click(within(drawer).getByRole('button', { name: 'Epay' }));
  expect(within(drawer).queryByRole('switch', { name: 'Test mode' })).toBeNull();
  await user.type(within(drawer).getByLabelText('Name'), 'Epay');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await within(drawer).findAllByText('Required')).toHaveLength(3);
  expect(made).toEqual([]);
  await user.type(within(drawer).getByLabelText('Epay URL'), 'https://pay.example');
  await user.type(within(drawer).getByLabelText('Merchant ID'), '1001');
  await user.type(within(drawer).getByLabelText('Merchant key'), 'abc');
  const percent = within(drawer).getByLabelText('Percentage fee');
  await user.clear(percent);
  await user.type(percent, '2.9');
  await user.click(within(drawer).getByRole('switch', { name: 'Verify payments by query' }));
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(search()).toEqual({ edit: '1' }));
  expect(made[0]?.body).toMatchObject({
    type: 'epay',
    name: 'Epay',
    currency: 'CNY',
    fixed_fee: 0,
    percent_fee: 0.029,
    config: {
      pay_domain: 'https://pay.example',
      partner_id: '1001',
      key: 'abc',
      pay_type: '',
      confirm_by_query: 'true',
      source_addresses: '',
    },
  });
});

it('never shows a stored secret and sends only entered ones', async () => {
  const updates = script('put', '/api/payment/', () => succeed(wirePaymentProvider(1)));
  const { user } = show(page, `${ADDRESS}?edit=1`);
  const drawer = await screen.findByRole('dialog', { name: 'Edit payment provider' });
  const secret = await within(drawer).findByLabelText<HTMLTextAreaElement>('App private key');
  expect(secret.value).toBe('');
  expect(secret.placeholder).toContain('…9f3c');
  expect(within(drawer).getByText(/\/api\/payment\/notify\/uuid-1$/)).toBeTruthy();
  await user.type(within(drawer).getByLabelText('Name'), ' EU');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await screen.findByText('Saved');
  expect(updates[0]?.body).toMatchObject({ id: 1, name: 'Gateway 1 EU' });
  expect(updates[0]?.body).not.toHaveProperty('type');
  expect(JSON.stringify(updates[0]?.body)).not.toContain('private_key');
});

it('asks for a confirmation when the server requires it and then saves', async () => {
  let confirmed = false;
  scriptConfirmation(() => {
    confirmed = true;
  });
  const updates = script('put', '/api/payment/', () =>
    confirmed ? succeed(wirePaymentProvider(1)) : refuse('step-up-required', 403),
  );
  const { user } = show(page, `${ADDRESS}?edit=1`);
  const drawer = await screen.findByRole('dialog', { name: 'Edit payment provider' });
  await user.type(await within(drawer).findByLabelText('App private key'), 'NEW');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  await user.type(await screen.findByLabelText('Password'), 'correct horse');
  await user.click(screen.getByRole('button', { name: 'Confirm' }));
  await screen.findByText('Saved');
  expect(updates).toHaveLength(2);
  expect(updates[1]?.body).toMatchObject({ config: { private_key: 'NEW' } });
});

it('shows a server error of the configuration at its field', async () => {
  script('put', '/api/payment/', () =>
    refuse('invalid-input', 400, {
      fields: [{ path: 'config.private_key', rule: 'cannot-work', message: 'This is no RSA key' }],
    }),
  );
  const { user } = show(page, `${ADDRESS}?edit=1`);
  const drawer = await screen.findByRole('dialog', { name: 'Edit payment provider' });
  const secret = await within(drawer).findByLabelText('App private key');
  await user.type(secret, 'x');
  await user.click(within(drawer).getByRole('button', { name: 'Save' }));
  expect(await within(drawer).findByText('This is no RSA key')).toBeTruthy();
  expect(secret.getAttribute('aria-invalid')).toBe('true');
});

it('tests the stored configuration and explains a failure', async () => {
  const tests = script('post', '/api/payment/1/test', () =>
    succeed(tests.length === 1 ? { ok: false, reason: 'invalid-app-id' } : { ok: true, reason: '' }),
  );
  const { user } = show(page, `${ADDRESS}?edit=1`);
  const button = await screen.findByRole<HTMLButtonElement>('button', { name: 'Test' });
  await user.click(button);
  expect(await screen.findByText('The test failed: invalid-app-id')).toBeTruthy();
  await user.click(button);
  expect(await screen.findByText('The payment provider accepts this configuration.')).toBeTruthy();
  await user.type(screen.getByLabelText('Name'), '!');
  expect(button.disabled).toBe(true);
});

it('disables a payment provider in the list and undoes it', async () => {
  const updates = script('put', '/api/payment/', () => succeed(wirePaymentProvider(1)));
  const { user } = show(page, ADDRESS);
  await user.click(await screen.findByRole('switch', { name: 'Enable Gateway 1' }));
  await screen.findByText('Gateway 1 disabled');
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  await waitFor(() =>
    expect(updates.map(({ body }) => body)).toEqual([
      { id: 1, enable: false },
      { id: 1, enable: true },
    ]),
  );
});

it('offers no changes to read-only users', async () => {
  script('get', '/api/user/self', () => succeed(wireSelfOf('staff', ['processors.read'])));
  show(page, `${ADDRESS}?edit=1`);
  expect(await screen.findByText('Gateway 1')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'New payment provider' })).toBeNull();
  expect(screen.queryByRole('switch')).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
});
