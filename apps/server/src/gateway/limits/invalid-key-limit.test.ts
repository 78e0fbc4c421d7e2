import { expect, test } from 'vitest';
import { createTestClock } from '../../testing/test-clock.ts';
import { RelayError } from '../http/relay-error.ts';
import { createInvalidKeyLimit } from './invalid-key-limit.ts';

const clock = createTestClock(0);
const limit = createInvalidKeyLimit(clock, clock);
const failing = (): never => {
  throw new RelayError('invalid_api_key', 'The API key is not valid.');
};
const invalid = { code: 'invalid_api_key', status: 401 };
const limited = { code: 'rate_limit_exceeded', status: 429, retryAfterSeconds: 60 };

async function fail(address: string, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1)
    await expect(limit(() => address, failing)).rejects.toMatchObject(invalid);
}

test('refuses invalid keys of an address beyond 300 a minute, after a second', async () => {
  await fail('192.0.2.1', 300);
  let isRefused = false;
  const refused = limit(() => '192.0.2.1', failing).catch((error: unknown) => {
    isRefused = true;
    return error;
  });
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
  expect(isRefused).toBe(false);
  clock.advance(1);
  expect(await refused).toMatchObject(limited);
  expect(
    await limit(
      () => '192.0.2.1',
      () => 'valid',
    ),
  ).toBe('valid');
  clock.advance(60);
  await fail('192.0.2.1', 1);
});

test('counts the addresses of a network of IPv6 together, and other addresses apart', async () => {
  for (let host = 1; host <= 300; host += 1) await fail(`2001:db8::${host.toString(16)}`, 1);
  const refused = limit(() => '2001:db8::ffff', failing).catch((error: unknown) => error);
  await fail('2001:db8:0:1::1', 1);
  clock.advance(1);
  expect(await refused).toMatchObject(limited);
});

test('counts only invalid keys', async () => {
  const disabled = (): never => {
    throw new RelayError('api_key_disabled', 'The token is disabled.');
  };
  for (let time = 0; time < 400; time += 1)
    await expect(limit(() => '192.0.2.9', disabled)).rejects.toMatchObject({ code: 'api_key_disabled' });
});
