import { expect, it } from 'vitest';
import { redeemUrl } from './new-batch-defaults-and-redeem-url.ts';

it('puts the code in the fragment, which no server receives', () => {
  const address = new URL(redeemUrl('https://ai.example.com', 'SPRING-AAAAA BBBBB&x'));
  expect(address.origin + address.pathname + address.search).toBe('https://ai.example.com/panel/topup');
  expect(new URLSearchParams(address.hash.slice(1)).get('code')).toBe('SPRING-AAAAA BBBBB&x');
});
