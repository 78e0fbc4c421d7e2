import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleTarget } from '../testing/sample-requests.ts';
import { createTargetRedactor } from './redact-keys.ts';
import { replaceSecrets } from './replace-secrets.ts';

/** Texts of few letters, so that secrets overlap themselves and each other. */
const repetitive = (maxLength: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength });

it('replaces the same as replaceAll in a text that is shown whole', () => {
  fc.assert(
    fc.property(repetitive(200), repetitive(6), (text, secret) => {
      fc.pre(secret !== '');
      expect(replaceSecrets(text, [secret], '…', 2_000)).toBe(text.replaceAll(secret, '…'));
    }),
  );
});

it('shows no secret, and no beginning of one that the truncation cuts', () => {
  const secrets = ['k1-abcdef', 'k2-abcdefghijkl', 'k3-x'];
  const piece = fc.oneof(fc.constantFrom(...secrets), repetitive(9));
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(80), (pieces, shownMax) => {
      const shown = replaceSecrets(pieces.join(''), secrets, '…', shownMax);
      expect(shown.length).toBeLessThanOrEqual(shownMax);
      expect(shown).not.toMatch(/k\d?/);
    }),
  );
});

const LENGTH = 2_000;
const half = 'a'.repeat(LENGTH / 2);

it.each([
  ['in the middle', `${half}b${half}`, 'a'],
  ['after a third', `${'a'.repeat(LENGTH / 3)}b${'a'.repeat((2 * LENGTH) / 3)}`, 'a'],
  ['at the end', `${half}${half}b`, 'a'],
  ['nowhere', `${half}${half}`, 'a'],
  ['in pairs', `${'ab'.repeat(LENGTH / 2)}c`, 'ab'],
])('takes linear time for a repetitive secret with another letter %s', (_where, secret, repeated) => {
  const text = repeated.repeat(1_000_000 / repeated.length);
  const readCpuMs = startCpuTimer();
  replaceSecrets(text, [secret], '…', text.length);
  replaceSecrets(
    text,
    Array.from({ length: 100 }, () => secret),
    '…',
    200,
  );
  expect(readCpuMs()).toBeLessThan(100);
});

it('redacts the largest repetitive headers of a channel within 100 ms', () => {
  const headers = Object.fromEntries(
    Array.from({ length: 64 }, (_, nth) => [`x-${nth}`, `${'a'.repeat(400 + nth)}b${'a'.repeat(560)}`]),
  );
  const redact = createTargetRedactor(sampleTarget('openai', { headers }));
  const readCpuMs = startCpuTimer();
  redact('a'.repeat(1_000_000));
  expect(readCpuMs()).toBeLessThan(100);
});
