import { expect, test } from 'vitest';
import { pageHeaders } from './console-files.ts';

const directives = (usesTurnstile: boolean): Map<string, string> => {
  const policy = pageHeaders('n0nce', usesTurnstile)['content-security-policy'] ?? '';
  return new Map(
    policy.split('; ').map((directive): [string, string] => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );
};

test('a page runs only scripts of its own, and nothing that a script wrote', () => {
  const policy = directives(false);
  expect(policy.get('default-src')).toBe("'none'");
  expect(policy.get('script-src')).toBe("'self'");
  expect(policy.get('connect-src')).toBe("'self'");
  expect(policy.get('require-trusted-types-for')).toBe("'script'");
  expect(policy.get('trusted-types')).toBe('dompurify');
});

test('Turnstile widens it by one host and one policy, only while it is on', () => {
  const [off, on] = [directives(false), directives(true)];
  const host = 'https://challenges.cloudflare.com';
  const changed = [...on].filter(([name, values]) => off.get(name) !== values);
  expect(Object.fromEntries(changed)).toEqual({
    'script-src': `'self' ${host}`,
    'connect-src': `'self' ${host}`,
    'trusted-types': 'dompurify default',
  });
});
