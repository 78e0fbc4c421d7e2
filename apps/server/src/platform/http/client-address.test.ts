import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { createClientAddress } from './client-address.ts';

const PROXY = '10.0.0.1';

function request(peer: string, headers: Record<string, string>): IncomingMessage {
  const socket = new Socket();
  Object.defineProperty(socket, 'remoteAddress', { value: peer });
  return Object.assign(new IncomingMessage(socket), { headers });
}

describe('the site of a request', () => {
  const addresses = createClientAddress([PROXY]);
  const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'public.test', host: 'inside:3000' };

  test.each([
    [{ host: 'gateway.test' }, 'http://gateway.test'],
    [{ host: 'gateway.test:3000' }, 'http://gateway.test:3000'],
    [{ host: '[::1]:3000' }, 'http://[::1]:3000'],
    [forwarded, 'http://inside:3000'],
    [{}, ''],
    [{ host: 'evil.test/path' }, ''],
    [{ host: 'a@evil.test' }, ''],
    [{ host: 'evil.test"<script>' }, ''],
  ])('with %j is "%s" where no proxy is trusted', (headers, site) => {
    expect(addresses.getSiteOrigin(request('192.0.2.1', headers))).toBe(site);
  });

  test.each([
    [forwarded, 'https://public.test'],
    [{ ...forwarded, 'x-forwarded-host': 'said-by-the-client.test, public.test' }, 'https://public.test'],
    [{ host: 'gateway.test', 'x-forwarded-proto': 'https' }, 'https://gateway.test'],
    [{ host: 'gateway.test', 'x-forwarded-host': '' }, 'http://gateway.test'],
  ])('with %j is "%s" behind a trusted proxy', (headers, site) => {
    expect(addresses.getSiteOrigin(request(PROXY, headers))).toBe(site);
  });
});
