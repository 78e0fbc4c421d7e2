import { expect, it } from 'vitest';
import { allowTurnstileUrl } from './captcha.tsx';

it('allows only scripts of Turnstile’s own host', () => {
  const script = 'https://challenges.cloudflare.com/turnstile/v0/b/x/api.js';
  expect(allowTurnstileUrl(script)).toBe(script);
  for (const other of [
    'https://challenges.cloudflare.com.evil.example/x.js',
    'http://challenges.cloudflare.com/x.js',
    'https://challenges.cloudflare.com:8443/x.js',
    'https://evil.example/https://challenges.cloudflare.com/',
    'data:text/javascript,alert(1)',
    '/assets/x.js',
  ])
    expect(() => allowTurnstileUrl(other)).toThrow(TypeError);
});
