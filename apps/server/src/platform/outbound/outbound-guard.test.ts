import { describe, expect, test } from 'vitest';
import { AddressNotAllowedError, createOutboundGuard } from './outbound-guard.ts';

const strict = createOutboundGuard([]);

describe('without permission', () => {
  test.each([
    '127.0.0.1',
    '127.8.8.8',
    '10.0.0.1',
    '172.16.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '192.0.2.1',
    '198.18.0.1',
    '::1',
    '::',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    'ff02::1',
    '2002:7f00:1::',
    '2001:db8::1',
  ])('%s may not be called', (address) => {
    expect(strict.allows('example.com', address)).toBe(false);
    expect(() => strict.checkHost(address.includes(':') ? `[${address}]` : address)).toThrow(AddressNotAllowedError);
  });

  test.each([
    [
      strict,
      '10.0.0.1',
      'is not a public address. To allow it, add it to the environment variable OUTBOUND_ALLOW and restart.',
    ],
    [createOutboundGuard([], false), '10.0.0.1', 'is not a public address. Only public addresses are called here.'],
    [createOutboundGuard(['*']), '169.254.169.254', 'is a metadata service and is never called.'],
    [createOutboundGuard(['*']), 'metadata.goog', 'is a metadata service and is never called.'],
  ])('%#: says why a host may not be called', (guard, host, reason) => {
    expect(() => guard.checkHost(host)).toThrow(new AddressNotAllowedError(`${host} ${reason}`));
  });

  test.each(['8.8.8.8', '1.1.1.1', '2606:4700:4700::1111'])('%s may be called', (address) => {
    expect(strict.allows('example.com', address)).toBe(true);
  });

  test('no IPv6 address outside 2000::/3 may be called', () => {
    const allowed: string[] = [];
    for (let group = 0; group <= 0xffff; group += 1) {
      const address = `${group.toString(16)}:1234::8.8.8.8`;
      if (strict.allows('example.com', address)) allowed.push(address);
    }
    expect(allowed.length).toBeGreaterThan(8_000);
    expect(allowed.filter((address) => !/^[23][0-9a-f]{3}:/.test(address))).toEqual([]);
  });

  test('a name that resolves inside is refused by its address', () => {
    expect(strict.allows('innocent.example', '10.1.2.3')).toBe(false);
  });
});

describe('with permission', () => {
  const guard = createOutboundGuard(['127.0.0.1', '10.1.0.0/16', 'models.lan']);

  test('addresses, networks and hosts that are listed may be called, and nothing beside them', () => {
    expect(guard.allows('127.0.0.1', '127.0.0.1')).toBe(true);
    expect(guard.allows('any', '10.1.200.3')).toBe(true);
    expect(guard.allows('models.lan', '192.168.7.7')).toBe(true);
    expect(guard.allows('any', '127.0.0.2')).toBe(false);
    expect(guard.allows('any', '10.2.0.1')).toBe(false);
    expect(guard.allows('other.lan', '192.168.7.7')).toBe(false);
  });

  test('cloud metadata is never called, regardless of the allow list', () => {
    const open = createOutboundGuard(['*', '169.254.169.254']);
    expect(open.allows('any', '192.168.1.1')).toBe(true);
    expect(open.allows('any', '169.254.169.254')).toBe(false);
    expect(open.allows('metadata.google.internal', '8.8.8.8')).toBe(false);
    expect(open.allows('Metadata.google.internal.', '8.8.8.8')).toBe(false);
    expect(() => open.checkHost('169.254.169.254')).toThrow();
    expect(() => open.checkHost('metadata.google.internal.')).toThrow();
    for (const form of [
      '::ffff:169.254.169.254',
      '::169.254.169.254',
      '::ffff:0:169.254.169.254',
      '64:ff9b::169.254.169.254',
      '64:ff9b:1::169.254.169.254',
      '2002:a9fe:a9fe::',
      '2001:0:4136:e378:8000:63bf:5601:5601',
      'fe80::a9fe:a9fe',
    ])
      expect(open.allows('any', form), form).toBe(false);
  });

  test('a listed host is the same host with a final dot', () => {
    expect(guard.allows('models.lan.', '192.168.7.7')).toBe(true);
  });

  test('an address is listed as a URL has it, or without its brackets', () => {
    const own = createOutboundGuard([new URL('http://[fd00:0::1]:8123').hostname, '::1']);
    for (const host of ['[fd00::1]', 'fd00::1', '[::1]', '::1']) expect(() => own.checkHost(host)).not.toThrow();
    expect(() => own.checkHost('[fd00::2]')).toThrow();
  });
});
