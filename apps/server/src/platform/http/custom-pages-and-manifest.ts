/** Files that the operator's settings determine: own pages, and the console's web app manifest. */
import { type CustomPageName, customPagePaths, isFullDocument } from '@switchyard/contract/operations/custom-page';
import type { FastifyInstance } from 'fastify';

/** The sandbox is part of the response, so that it also applies when the address is opened without a frame. */
const policy = [
  'sandbox allow-scripts allow-popups allow-forms',
  "default-src 'none'",
  "script-src 'unsafe-inline' https:",
  "style-src 'unsafe-inline' https:",
  'img-src data: https:',
  'font-src data: https:',
  'media-src data: https:',
  'connect-src https:',
  'frame-src https:',
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ');

const headers = {
  'content-security-policy': policy,
  'cache-control': 'no-cache',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/**
 * Serves the operator's own pages in an opaque origin: without cookies, storage or API access.
 * @param textOf returns the operator's current text
 */
export function serveCustomPages(app: FastifyInstance, textOf: (page: CustomPageName) => string): void {
  for (const page of Object.keys(customPagePaths) as CustomPageName[]) {
    app.get(customPagePaths[page], { config: { entrance: { access: 'anyone' } } }, (_request, reply) => {
      const text = textOf(page);
      if (!isFullDocument(text)) return reply.status(404).headers(headers).type('text/plain').send('Not found');
      return reply.headers(headers).type('text/html; charset=utf-8').send(text);
    });
  }
}

/**
 * Serves the web app manifest, which a browser needs to put the console on a home screen under the site's own name:
 * https://www.w3.org/TR/appmanifest/
 */
export function serveManifest(app: FastifyInstance, siteName: () => string): void {
  app.get('/site.webmanifest', { config: { entrance: { access: 'anyone' } } }, (_request, reply) =>
    reply
      .header('cache-control', 'no-cache')
      .header('x-content-type-options', 'nosniff')
      .type('application/manifest+json')
      .send(buildManifest(siteName())),
  );
}

function buildManifest(name: string) {
  const icon = (file: string, size: number, purpose: 'any' | 'maskable') => ({
    src: `/${file}.png`,
    sizes: `${size}x${size}`,
    type: 'image/png',
    purpose,
  });
  return {
    id: '/panel',
    name,
    start_url: '/panel',
    scope: '/',
    display: 'standalone',
    background_color: '#F6F7F9',
    theme_color: '#F6F7F9',
    icons: [icon('icon-192', 192, 'any'), icon('icon-512', 512, 'any'), icon('icon-maskable-512', 512, 'maskable')],
  };
}
