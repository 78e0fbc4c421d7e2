import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleTarget } from '../testing/sample-requests.ts';
import { createRedactor, createTargetRedactor, redact } from './redact-keys.ts';

const key = 'Zx81Qp-77LmNoPqRsTuVwXyZ-0042';
const secrets = { keys: [key], locations: [] };

describe('redact', () => {
  it.each([
    ['whole', `no such key ${key}.`],
    ['its beginning', `key ${key.slice(0, 9)} is unknown`],
    ['its end', `key ending with ${key.slice(-8)} is unknown`],
    ['a piece from its middle', `(${key.slice(6, 20)})`],
    ['two pieces', `${key.slice(0, 10)} and ${key.slice(12, 24)}`],
    ['masked with stars', `Zx81****0042`],
    ['masked with an ellipsis', `Zx81…0042`],
    ['in base64', Buffer.from(key).toString('base64')],
  ])('redacts a key that a vendor quotes: %s', (_how, message) => {
    const clean = redact(message, secrets);
    expect(clean).toContain('[key]');
    for (let at = 0; at + 8 <= key.length; at += 1) expect(clean).not.toContain(key.slice(at, at + 8));
    expect(clean).not.toMatch(/Zx81|0042/);
  });

  it.each([
    ['a token of Google', 'ya29.a0AfH6SMBxQ-9_77', 'ya29'],
    ['a signed token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3', 'dozjg'],
    ['a key id of Amazon', 'AKIAIOSFODNN7EXAMPLE', 'IOSFODNN'],
    ['a key in an address', 'GET /v1?api_key=q7Zr88Tn02Lk&alt=sse', 'q7Zr88'],
    ['a header', 'x-api-key: q7Zr88Tn02Lk', 'q7Zr88'],
    ['JSON within the text', '{"headers":{"Authorization":"Basic q7Zr88Tn02Lk"}}', 'q7Zr88'],
    ['JSON within JSON', JSON.stringify('{"password":"q7Zr88Tn02Lk"}'), 'q7Zr88'],
    ['the user of an address', 'proxy http://me:hunter2@10.0.0.1:8080', 'hunter2'],
  ])('redacts data of another account: %s', (_what, message, secret) => {
    expect(redact(message, secrets)).not.toContain(secret);
  });

  it.each([
    'Invalid token: expected a string at messages[0].content',
    'max_tokens: 100000000 exceeds the limit of 8192',
    'secret=unknown is no known option',
    'Read https://platform.openai.com/docs/guides#tokens=1 first.',
  ])('leaves texts without credentials unchanged: %s', (message) => {
    expect(redact(message, secrets)).toBe(message);
  });

  it.each([
    ['lower-case letters only', 'qwhzkdmvtrplxnbgqjswyfcaozeuirkt'],
    ['lower-case letters in groups', 'qwhzkdmv-trplxnbg-qjswyfca-ozeuirkt'],
    ['two long groups', 'qwhzkdmvtrplx.nbgqjswyfcaoz'],
  ])('redacts every part of a key of %s', (_what, lower) => {
    for (let length = 9; length <= lower.length; length += 1)
      for (let at = 0; at + length <= lower.length; at += 1)
        expect(redact(`no (${lower.slice(at, at + length)})`, { keys: [lower], locations: [] })).toBe('no ([key])');
  });

  it.each([0, 1, 2])('redacts a key within a base64-encoded text, after %i bytes', (before) => {
    const text = Buffer.from(`${'u'.repeat(before)}${key}:`).toString('base64');
    const clean = redact(`Basic ${text}, Basic ${text.slice(0, 24)}`, secrets);
    for (const part of clean.match(/[\w+/]{4,}/g) ?? [])
      expect(Buffer.from(part, 'base64').toString('latin1')).not.toMatch(/Zx81|Qp-7|LmNo|PqRs|TuVw|XyZ-|0042/);
  });

  it('redacts a URL-encoded key, in either spelling', () => {
    const odd = 'a/b+c=d&e f"g/hi+jk';
    for (const text of [encodeURIComponent(odd), encodeURIComponent(odd).toLowerCase(), JSON.stringify(odd)])
      expect(redact(`?key=${text}`, { keys: [odd], locations: [] })).not.toMatch(/a.{1,3}b|d.{1,3}e|hi.{1,3}jk/i);
  });

  it('leaves ordinary words unchanged, even if a key contains them', () => {
    const words = 'The upstream answered with an error for the secret upstream model…';
    expect(redact(words, { keys: ['sk-upstream-secret-key-000001'], locations: [] })).toBe(words);
  });

  it('redacts the private key of a service account, and not its vendor’s URL', () => {
    const account = JSON.stringify({ private_key: `-----BEGIN\n${key}`, token_uri: 'https://oauth.example/token' });
    const clean = redact(`https://oauth.example/token refused ${key.slice(0, 12)}`, { keys: [account], locations: [] });
    expect(clean).toBe('https://oauth.example/token refused [key]');
  });

  it.each([
    { client_secret: key },
    { refresh_token: key },
    { credential_source: { subject_token: key } },
    { credential_source: { url: 'https://oauth.example/token', headers: { 'x-key': key } } },
  ])('redacts other secrets of an account: %j', (account) => {
    const said = `https://oauth.example/token refused ${key.slice(0, 12)}`;
    expect(redact(said, { keys: [JSON.stringify(account)], locations: [] })).toBe(
      'https://oauth.example/token refused [key]',
    );
  });

  it('redacts the credentials of an authorized user', () => {
    const account = JSON.stringify({ type: 'authorized_user', client_secret: 'GOCSPX-short', refresh_token: key });
    const said = `${key.slice(0, 12)} and GOCSPX-short`;
    expect(redact(said, { keys: [account], locations: [] })).toBe('[key] and [key]');
  });

  it('reads a message of megabytes that is one long key without exhausting the stack', () => {
    expect(redact('sk-'.repeat(3_000_000), secrets)).toBe('[key]');
  });

  it('redacts a key in a URL', () => {
    const short = "a b'(c)~!";
    const address = `/v1/models?${new URLSearchParams({ key: short }).toString()}`;
    expect(redact(`Cannot GET ${address}`, { keys: [short], locations: [] })).toBe('Cannot GET /v1/models?key=[key]');
  });

  it('reads a long message in linear time', () => {
    const readCpuMs = startCpuTimer();
    expect(redact('a'.repeat(1_000_000), secrets)).toHaveLength(1_000);
    expect(readCpuMs()).toBeLessThan(5_000);
  });

  it('redacts the same in a message regardless of earlier messages', () => {
    const odd = 'a/b+c=d&e f"g/hi+jk-lm';
    const account = JSON.stringify({ private_key: `-----BEGIN ${'Ab1/'.repeat(100)}`, client_secret: key });
    const many = { keys: [key, odd, account, 'gpt-4o'], locations: ['vendor.example', 'path-1'] };
    const hide = createRedactor(many);
    const pieces = [...many.keys, ...many.locations, '***', '…', 'sk-', 'Bearer ', 'token=', 'a://', '@', ' ', '7', ''];
    const spellings: ((text: string) => string)[] = [
      (text) => text,
      encodeURIComponent,
      (text) => JSON.stringify(text),
      (text) => Buffer.from(text).toString('base64'),
      (text) => Buffer.from(text).toString('hex'),
    ];
    const piece = fc
      .tuple(fc.constantFrom(...pieces), fc.constantFrom(...spellings), fc.nat(40), fc.nat(40))
      .map(([text, spell, from, length]) => spell(text.slice(from % (text.length + 1)).slice(0, length)));
    const message = fc.array(fc.oneof(piece, fc.string({ maxLength: 6 })), { maxLength: 6 });
    fc.assert(
      fc.property(message, (texts) => {
        const text = texts.join('');
        const hidden = hide(text);
        expect(hidden).toBe(redact(text, many));
        for (let at = 0; at + 8 <= key.length; at += 1) expect(hidden).not.toContain(key.slice(at, at + 8));
      }),
    );
  });

  it('prepares a channel’s keys once', () => {
    const target = sampleTarget('openai', { credentials: { key } });
    expect(createTargetRedactor(target)(`no ${key}`)).toBe('no [key]');
    const encode = vi.spyOn(globalThis, 'encodeURIComponent');
    for (let nth = 0; nth < 100; nth += 1) expect(createTargetRedactor(target)(`no ${key}`)).toBe('no [key]');
    expect(encode).not.toHaveBeenCalled();
    encode.mockRestore();
  });
});
