import { generateKeyPairSync } from 'node:crypto';
import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { createServer, getCACertificates, setDefaultCACertificates, TLSSocket, type TlsOptions } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../../../tests/listen.ts';
import { createRsaCertificate, createSelfSignedCertificate } from '../../testing/self-signed-certificates.ts';
import { createGuardedConnector, createGuardedLookup, getCarrier } from './guarded-connector.ts';
import { createOutboundGuard } from './outbound-guard.ts';

const guard = createOutboundGuard(['10.1.0.0/16']);

/** The addresses that a connection gets for a host that resolves to these. */
function found(addresses: readonly string[], all: boolean): Promise<string[]> {
  const resolve = async (): Promise<LookupAddress[]> =>
    addresses.map((address) => ({ address, family: isIP(address) }));
  const lookup = createGuardedLookup({ guard, resolve }, 1_000);
  return new Promise((done, reject) => {
    lookup('vendor.test', { all }, (error, result) => {
      if (error !== null) reject(error);
      else done(typeof result === 'string' ? [result] : result.map(({ address }) => address));
    });
  });
}

test.each([
  [
    ['8.8.8.8', '2606:4700::1'],
    ['8.8.8.8', '2606:4700::1'],
  ],
  [['127.0.0.1', '8.8.8.8', '::1'], ['8.8.8.8']],
  [['169.254.169.254', '10.1.2.3', '10.2.0.1'], ['10.1.2.3']],
])('gives a connection to a host at %j only %j', async (addresses, allowed) => {
  expect(await found(addresses, true)).toEqual(allowed);
  expect(await found(addresses, false)).toEqual(allowed.slice(0, 1));
});

test.each([
  [
    ['127.0.0.1', '10.2.0.1'],
    'vendor.test is not a public address. To allow it, add it to the environment variable OUTBOUND_ALLOW and restart.',
  ],
  [['::ffff:169.254.169.254'], 'vendor.test is a metadata service and is never called.'],
  [[], 'vendor.test is not a public address.'],
])('refuses a host at %j with the reason', async (addresses, reason) => {
  await expect(found(addresses, true)).rejects.toThrow(reason);
});

test('checks the first 16 addresses of a host only', async () => {
  const addresses = Array.from({ length: 4_000 }, (_, nth) => `2606:4700::${nth.toString(16)}`);
  expect(await found(addresses, true)).toEqual(addresses.slice(0, 16));
  await expect(found(['10.2.0.1', ...addresses].fill('10.2.0.1', 0, 16), true)).rejects.toThrow('not a public address');
});

async function connectTo(
  maxVersion: 'TLSv1.2' | 'TLSv1.3',
  options: TlsOptions = {},
  own = createSelfSignedCertificate('127.0.0.1'),
): Promise<TLSSocket> {
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, own.cert]);
  const server = createServer({ ...own, ...options, maxVersion }, (socket) => socket.on('error', () => {}));
  const port = await listen(server);
  onTestFinished(() => {
    setDefaultCACertificates(trusted);
    server.close();
  });
  const inside = createOutboundGuard(['127.0.0.1']);
  const connect = createGuardedConnector({ guard: inside, resolve: async () => [] }, 1_000);
  const target = { hostname: '127.0.0.1', host: `127.0.0.1:${port}`, port: String(port), protocol: 'https:' };
  return new Promise<TLSSocket>((done, reject) => {
    connect(target, (error, connected) => (connected instanceof TLSSocket ? done(connected) : reject(error)));
  });
}

test('refuses another handshake on a connection of TLS 1.2', async () => {
  const socket = await connectTo('TLSv1.2');
  expect(socket.getProtocol()).toBe('TLSv1.2');
  const refusal = await new Promise((done) => void socket.on('error', done).renegotiate({}, done));
  expect(String(refusal)).toContain('no renegotiation');
  socket.destroy();
});

test('offers no cipher with a Diffie-Hellman group that the server chooses', async () => {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const key = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const own = { key, cert: createRsaCertificate(keys, '127.0.0.1', '01') };
  const dhe = { dhparam: 'auto', ciphers: 'DHE-RSA-AES128-GCM-SHA256' };
  await expect(connectTo('TLSv1.2', dhe, own)).rejects.toThrow('handshake failure');
  const socket = await connectTo('TLSv1.2', {}, own);
  expect(socket.getCipher().name).toMatch(/^ECDHE-RSA-/);
  socket.destroy();
});

test('closes a connection whose server sends session tickets without end', async () => {
  const socket = await connectTo('TLSv1.3');
  const failed = new Promise((done) => void socket.on('error', done));
  // Node's server sends two tickets, and cannot send more.
  for (let ticket = 0; ticket < 14; ticket += 1) socket.emit('session', Buffer.alloc(8));
  expect(socket.destroyed).toBe(false);
  for (let ticket = 0; ticket < 3; ticket += 1) socket.emit('session', Buffer.alloc(8));
  expect(String(await failed)).toContain('too many TLS session tickets');
});

test('counts the encrypted bytes of a connection', async () => {
  const socket = await connectTo('TLSv1.3');
  expect(socket.bytesRead).toBe(0);
  await expect.poll(() => getCarrier(socket)?.bytesRead).toBeGreaterThan(500);
  socket.destroy();
});
