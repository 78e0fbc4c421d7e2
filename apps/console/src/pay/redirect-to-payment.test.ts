import { orders } from '@switchyard/contract/billing/orders';
import { afterAll, expect, it, vi } from 'vitest';
import { z } from 'zod';

const redirects: string[] = [];
vi.stubGlobal('location', { search: '?order=T1', replace: (url: string) => redirects.push(url) });
vi.stubGlobal('fetch', () => Promise.resolve(Response.json({ success: false })));
// The module redirects when it is loaded.
const { paymentPageOf } = await import('./redirect-to-payment.ts');
await vi.waitFor(() => expect(redirects).toHaveLength(1));

afterAll(() => {
  vi.unstubAllGlobals();
});

type Payment = NonNullable<z.output<typeof orders.getOwn.answer>['payment']>;

const wire = (payment: Payment | null) => ({
  success: true,
  data: { payment: z.encode(orders.getOwn.answer.shape.payment, payment) },
});

it('returns a form for the order’s URL', () => {
  const data = { url: 'https://pay.example/submit', method: 'POST', params: { pid: '7', sign: 'ab' } } as const;
  expect(paymentPageOf(wire({ type: 'page', data }))).toEqual({
    method: 'POST',
    url: 'https://pay.example/submit',
    params: { pid: '7', sign: 'ab' },
  });
});

it('returns a link with all of its parameters', () => {
  const data = { url: 'https://pay.example/go?a=1', method: 'GET', params: { b: '2 3' } } as const;
  expect(paymentPageOf(wire({ type: 'page', data }))).toEqual({
    method: 'GET',
    url: 'https://pay.example/go?a=1&b=2+3',
    params: {},
  });
  expect(paymentPageOf(wire({ type: 'page', data: { url: 'https://pay.example/c' } }))?.url).toBe(
    'https://pay.example/c',
  );
});

it.each(['javascript:alert(1)', 'data:text/html,x', '//', ''])('returns nothing for the URL %j', (url) => {
  expect(paymentPageOf(wire({ type: 'page', data: { url } }))).toBeUndefined();
});

it('returns nothing if there is nothing to pay, or not on a page', () => {
  expect(paymentPageOf(wire(null))).toBeUndefined();
  expect(paymentPageOf(wire({ type: 'qr', data: { url: 'https://qr.example/x' } }))).toBeUndefined();
  for (const answer of [null, 'x', {}, { success: false, code: 'not-found' }])
    expect(paymentPageOf(answer)).toBeUndefined();
});

it('shows the order in the console if there is nothing to pay', () => {
  expect(redirects).toEqual(['/panel/topup?order=T1']);
});
