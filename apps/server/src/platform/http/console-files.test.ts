import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Fastify from 'fastify';
import { expect, onTestFinished, test } from 'vitest';
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

/** Serves a console of a page, an icon, and one asset with its compressed copy. */
async function serveBuiltConsole() {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-console-'));
  mkdirSync(join(folder, 'assets'));
  for (const name of ['index.html', 'icon.svg', 'assets/app-1.js', 'assets/app-1.js.br'])
    writeFileSync(join(folder, name), name);
  const app = Fastify();
  await serveConsole(app, { usesTurnstile: () => false, name: () => 'Site' }, folder);
  onTestFinished(async () => {
    await app.close();
    rmSync(folder, { recursive: true });
  });
  return app;
}

test.each([
  ['/assets/app-1.js', 'assets/app-1.js'],
  ['/assets/app-1.js?version=2', 'assets/app-1.js'],
  ['/icon.svg', 'icon.svg'],
  ['/index.html', 'index.html'],
  ['/panel', 'index.html'],
])('serves a file at %s', async (url, body) => {
  const app = await serveBuiltConsole();
  const response = await app.inject(url);
  expect([response.statusCode, response.body]).toEqual([200, body]);
  expect(response.headers['cache-control']).toBe(
    url.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
  );
});

test('serves the compressed copy of an asset to a browser that reads it', async () => {
  const app = await serveBuiltConsole();
  const { body, headers } = await app.inject({ url: '/assets/app-1.js', headers: { 'accept-encoding': 'br' } });
  expect(body).toBe('assets/app-1.js.br');
  expect([headers['content-encoding'], headers.vary]).toEqual(['br', 'accept-encoding']);
  expect(headers['content-type']).toMatch(/javascript/);
});

test.each([
  '/assets/',
  '/assets/app-2.js',
  '/assets/app-1.js/',
  '/assets/..%2findex.html',
  '/assets/..%5cindex.html',
  '/assets//etc/passwd',
  '/assets/%00',
  '/assets/app-1.js%00',
  `/assets/${'a'.repeat(300)}`,
])('refuses %s, which names no asset', async (url) => {
  const app = await serveBuiltConsole();
  const { statusCode, body } = await app.inject(url);
  expect([403, 404]).toContain(statusCode);
  expect(body).not.toMatch(/^(?:index\.html|assets\/)/);
});
