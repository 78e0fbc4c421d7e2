import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { script, succeed } from '../../../../testing/mock-api-server.ts';
import { show } from '../../../../testing/render.tsx';
import { wireSelf, wireSite } from '../../../../testing/wire-samples.ts';
import { RedeemCard } from './redeem-code-card.tsx';

it('takes the code from a printed link and removes it from the URL at once', async () => {
  script('get', '/api/status', () => succeed(wireSite));
  script('get', '/api/user/self', () => succeed(wireSelf));
  const redeemed = script('post', '/api/user/topup', () => succeed(5_000_000));
  history.replaceState(null, '', '/panel/topup?pay=1#code=SPRING-AAAAA-BBBBB');
  const { user } = show(<RedeemCard />, '/panel/topup');
  const field = await screen.findByLabelText<HTMLInputElement>('Code');
  expect(field.value).toBe('SPRING-AAAAA-BBBBB');
  expect(location.pathname + location.search + location.hash).toBe('/panel/topup?pay=1');
  await user.click(screen.getByRole('button', { name: 'Redeem' }));
  expect(await screen.findByText('$10.00 was added')).toBeTruthy();
  expect(redeemed[0]?.body).toEqual({ key: 'SPRING-AAAAA-BBBBB' });
  expect(field.value).toBe('');
});
