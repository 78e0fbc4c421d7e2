/** Web app manifest, which a browser needs to put the console on a home screen under the site's own name. */
import type { FastifyInstance } from 'fastify';

/** https://www.w3.org/TR/appmanifest/ */
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
