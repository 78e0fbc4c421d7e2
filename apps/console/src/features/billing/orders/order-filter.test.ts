import { expect, it } from 'vitest';
import { filterNames, isTradeNumberLike, orderFilter } from './order-filter.ts';

const texts = (given: Partial<Record<(typeof filterNames)[number], string>>) =>
  ({ ...Object.fromEntries(filterNames.map((name) => [name, undefined])), ...given }) as Parameters<
    typeof orderFilter
  >[0];

const said = (given: Parameters<typeof texts>[0], now?: Date) =>
  Object.fromEntries(Object.entries(orderFilter(texts(given), now)).filter(([, value]) => value !== undefined));

it('reads the URL parameters', () => {
  expect(said({ status: 'success', review: 'true', gateway_id: '3', user_id: '7', trade_no: 'T1' })).toEqual({
    status: 'success',
    review: true,
    gateway_id: 3,
    user_id: 7,
    trade_no: 'T1',
  });
});

it('leaves out invalid values', () => {
  expect(said({ status: 'paid', review: 'no', gateway_id: 'x', user_id: '-1', time: '2y' })).toEqual({});
});

it('resolves a preset relative to now and prefers it to a custom range', () => {
  const now = new Date('2026-11-21T10:00:00Z');
  const start = now.getTime() / 1000 - 3600;
  expect(said({ time: '1h', start_timestamp: '5' }, now)).toEqual({ start_timestamp: start });
});

it.each([
  ['20261121083012ab34', true],
  ['ada', false],
  ['a-very-long-user-name', false],
  ['ada@example.com 123456', false],
])('takes %j for an order number: %s', (text, expected) => {
  expect(isTradeNumberLike(text)).toBe(expected);
});
