import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { createPageHeaders, paymentPageHeaders, renderConsolePage, serveConsole } from './console-files.ts';

const directives = (usesTurnstile: boolean): Map<string, string> => {
  const policy = createPageHeaders('n0nce', usesTurnstile)['content-security-policy'] ?? '';
  return new Map(
    policy.split('; ').map((directive): [string, string] => {
      const [name = '', ...values] = directive.split(' ');
      return [name, values.join(' ')];
    }),
  );
};

test('a page runs only its own scripts, and inserts no HTML without the sanitizer', () => {
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

test('only the page that sends buyers on may send a form to another site, and it runs no script but its own', () => {
  expect(directives(false).get('form-action')).toBe("'self'");
  const policy = paymentPageHeaders['content-security-policy']?.split('; ');
  expect(policy).toContain('form-action https: http:');
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("script-src 'self'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(paymentPageHeaders['referrer-policy']).toBe('origin');
});

test('a page bears the name of the site, which cannot be more than text', () => {
  const page = '<title>__SITE_NAME__</title><meta content="__SITE_NAME__" /><meta content="__CSP_NONCE__" />';
  expect(renderConsolePage(page, 'n0nce', '"</title><script>$& & Co')).toBe(
    '<title>&quot;&lt;/title&gt;&lt;script&gt;$&amp; &amp; Co</title>' +
      '<meta content="&quot;&lt;/title&gt;&lt;script&gt;$&amp; &amp; Co" /><meta content="n0nce" />',
  );
});

test.each(['/', '/panel', '/api/nowhere', '/assets/nowhere.js'])('answers HEAD %s like GET', async (url) => {
  const app = Fastify();
  await serveConsole(app, { usesTurnstile: () => false, name: () => 'Site' });
  const [get, head] = await Promise.all((['GET', 'HEAD'] as const).map((method) => app.inject({ method, url })));
  expect([head?.statusCode, head?.headers['content-type']]).toEqual([get?.statusCode, get?.headers['content-type']]);
  expect((await app.inject({ method: 'POST', url })).statusCode).toBe(404);
  await app.close();
});

test.each(['/no/such', '/api/nowhere', '/assets/nowhere.js'])(
  'refuses POST %s without parsing its body',
  async (url) => {
    const app = Fastify();
    await serveConsole(app, { usesTurnstile: () => false, name: () => 'Site' });
    const response = await app.inject({
      method: 'POST',
      url: `${url}?query`,
      headers: { 'content-type': 'application/json' },
      payload: 'not JSON',
    });
    expect(response.statusCode).toBe(404);
    expect(response.json()).toMatchObject({ success: false, code: 'not-found', message: `Not found: POST ${url}` });
    await app.close();
  },
);
