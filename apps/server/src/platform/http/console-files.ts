/** Serves the built console: hashed assets for a year, the page itself with a fresh nonce for its styles. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fastifyStatic, { type FastifyStaticOptions } from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const dist = join(import.meta.dirname, '../../../../console/dist');

const ASSETS = '/assets/';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Returns whether an address of the route names a file; absent for a route without files. */
    isKnownFile?: (url: string) => boolean;
  }
}

const fileOptions: Omit<FastifyStaticOptions, 'root'> = {
  index: false,
  preCompressed: true,
  setHeaders: (response, path) => {
    const hashed = path.includes('/assets/');
    response.header('cache-control', hashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    response.header('x-content-type-options', 'nosniff');
    if (basename(path) === 'pay.html')
      for (const [name, value] of Object.entries(paymentPageHeaders)) response.header(name, value);
  },
};

interface Site {
  /** Returns whether the page may currently load Cloudflare's Turnstile check. */
  usesTurnstile(): boolean;
  name(): string;
}

/** @param folder of the built console */
export async function serveConsole(app: FastifyInstance, site: Site, folder = dist): Promise<void> {
  const page = existsSync(join(folder, 'index.html')) ? readFileSync(join(folder, 'index.html'), 'utf8') : undefined;
  if (page !== undefined) {
    const names = new Set(readdirSync(join(folder, 'assets')));
    const isAsset = (url: string): boolean => names.has((url.split('?', 1)[0] ?? '').slice(ASSETS.length));
    await app.register(async (assets) => {
      assets.addHook('onRoute', (route) => {
        route.config = { ...route.config, entrance: { access: 'anyone' }, isKnownFile: isAsset };
      });
      // One route for all assets: a route for each of the thousand would take time and memory at every start.
      await assets.register(fastifyStatic, {
        ...fileOptions,
        root: join(folder, 'assets'),
        prefix: ASSETS,
        allowedPath: (path) => names.has(path.slice(1)),
        decorateReply: false,
      });
    });
    await app.register(async (files) => {
      files.addHook('onRoute', (route) => {
        route.config = { ...route.config, entrance: { access: 'anyone' } };
      });
      await files.register(fastifyStatic, {
        ...fileOptions,
        root: folder,
        wildcard: false,
        // As a file, the page would have no policy, no nonce and no name.
        globIgnore: ['index.html', 'assets/**'],
      });
    });
  }
  const sendPage = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const path = request.url.split('?', 1)[0] ?? '';
    if (!isRead(request) || path.startsWith('/api/') || path.startsWith('/v1/') || path.startsWith('/assets/')) {
      return reply
        .status(404)
        .send({
          success: false,
          message: `Not found: ${request.method} ${path}`,
          code: 'not-found',
          request_id: request.id,
        });
    }
    if (page === undefined)
      return reply.status(503).type('text/plain').send('The console is not built. Run: npm run build');
    const nonce = randomBytes(16).toString('base64');
    return reply
      .headers(createPageHeaders(nonce, site.usesTurnstile()))
      .type('text/html; charset=utf-8')
      .send(renderConsolePage(page, nonce, site.name()));
  };
  app.route({ method: ['GET', 'HEAD'], url: '/', config: { entrance: { access: 'anyone' } }, handler: sendPage });
  app.setNotFoundHandler(sendPage);
  // Fastify would otherwise read and parse the body first, at the cost of milliseconds for each refused request.
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 && !isRead(request)) return sendPage(request, reply);
    return undefined;
  });
}

function isRead({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function renderConsolePage(page: string, nonce: string, siteName: string): string {
  return page.replaceAll('__CSP_NONCE__', nonce).replaceAll('__SITE_NAME__', () => escapeHtml(siteName));
}

/** Escapes text for HTML, also within double quotes. */
function escapeHtml(text: string): string {
  const named: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
  return text.replaceAll(/[&<>"]/g, (character) => named[character] ?? '');
}

/** https://developers.cloudflare.com/turnstile/reference/content-security-policy/ */
const TURNSTILE = 'https://challenges.cloudflare.com';

/**
 * Headers of the page that sends buyers to a payment provider by a form. It shows no content of users, so that it may
 * send a form to any site, which the console may not. A list of sites would not suffice, because providers redirect.
 * Some of them refuse browsers that send no referrer.
 */
export const paymentPageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "connect-src 'self'",
    "img-src 'self'",
    'form-action https: http:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; '),
  'cache-control': 'no-cache',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'origin',
};

export function createPageHeaders(nonce: string, usesTurnstile: boolean): Record<string, string> {
  const turnstile = usesTurnstile ? ` ${TURNSTILE}` : '';
  const policy = [
    "default-src 'none'",
    `script-src 'self'${turnstile}`,
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data: https:",
    // Audio of the playground, videos and songs of tasks.
    "media-src 'self' data:",
    `connect-src 'self'${turnstile}`,
    "font-src 'self'",
    "manifest-src 'self'",
    // Pages that the operator chose, and Turnstile's.
    "frame-src 'self' https:",
    "form-action 'self'",
    "base-uri 'none'",
    "object-src 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // The default policy admits Turnstile's scripts and nothing else.
    `trusted-types dompurify${usesTurnstile ? ' default' : ''}`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-cache',
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    // Browsers would resolve the hosts of links before a click, which reveals to their owners that a text was shown.
    'x-dns-prefetch-control': 'off',
    'x-content-type-options': 'nosniff',
  };
}
