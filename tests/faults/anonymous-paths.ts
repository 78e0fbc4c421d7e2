import type { DeclaredRoute } from '../../apps/server/src/platform/http/declared-routes.ts';

/** Anonymous paths that are not routes of the management server. */
const others = ['/healthz', '/readyz', '/v1/models', '/v1/stored/x', '/mj/image/x', '/no-such-page'];

/** Returns a path of each route that anyone may GET, and one file of the console. */
export function listAnonymousPaths(routes: readonly DeclaredRoute[]): string[] {
  const paths = routes
    .filter(({ method, access, path }) => method === 'GET' && access === 'anyone' && !path.includes('*'))
    .map(({ path }) => path);
  const ofApi = paths.filter((path) => path.startsWith('/api/') && !path.endsWith('/'));
  const files = paths.filter((path) => !path.startsWith('/api/'));
  const assets = files.filter((path) => path.startsWith('/assets/')).slice(0, 1);
  const pages = files.filter((path) => path === '/' || path === '/site.webmanifest');
  return [...new Set([...ofApi, ...assets, ...pages, ...others])];
}
