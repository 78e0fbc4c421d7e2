/**
 * Who may call what, walked over every route of every contract: a route that is added is tested the moment it exists.
 */

import { accessTokens } from '@switchyard/contract/access-tokens';
import type { Role } from '@switchyard/contract/codes';
import { features } from '@switchyard/contract/features';
import { permissionNames, rightsOfRole } from '@switchyard/contract/permissions';
import type { Route, Routes } from '@switchyard/contract/route';
import { users } from '@switchyard/contract/users';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestApp } from '../../apps/server/src/testing/use-test-app.ts';
import { type Visitor, visitor } from '../../apps/server/src/testing/visitor.ts';

const routes = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes).map(([name, route]) => ({ name: `${feature}.${name}`, route })),
);
const MISSING = 999_999;

const app = await useTestApp();
const root = await app.createUser('root');
const [user, staff, admin, disabled, tokenUser, tokenAdmin] = await Promise.all(
  (['user', 'staff', 'admin', 'user', 'user', 'admin'] as const).map((role) => app.createUser(role)),
);

const byToken = async (owner: Visitor | undefined): Promise<Visitor> =>
  visitor(app.url, { authorization: `Bearer ${await owner?.api(accessTokens).replace()}` });

/** What the role of staff that every installation begins with may do. */
const ofSupport = ['users.read', 'records.read', 'groups.read'] as const;

interface Actor {
  visitor: Visitor;
  /** Undefined: nobody. */
  role: Role | undefined;
  /** By an access token, which nobody can confirm. */
  byToken?: true;
}
const actors: Record<string, Actor> = {};

beforeAll(async () => {
  await app.ctx.db.writer
    .updateTable('user')
    .set({ staff_role_id: 1 })
    .where('id', '=', staff?.id ?? 0)
    .execute();
  await root.api(users).manage({ body: { username: disabled?.username ?? '', action: 'disable' } });
  Object.assign(actors, {
    anonymous: { visitor: app.anyone, role: undefined },
    'a disabled user': { visitor: disabled, role: undefined },
    'a forged cookie': { visitor: visitor(app.url, { cookie: 'switchyard_session=x' }), role: undefined },
    'a user': { visitor: user, role: 'user' },
    'trusted staff': { visitor: staff, role: 'staff' },
    'an administrator': { visitor: admin, role: 'admin' },
    root: { visitor: root, role: 'root' },
    "a user's access token": { visitor: await byToken(tokenUser), role: 'user', byToken: true },
    "an administrator's access token": { visitor: await byToken(tokenAdmin), role: 'admin', byToken: true },
  });
});

/** With ids that nothing has, so that what is allowed changes nothing. */
function call(route: Route, who: Visitor, id: string | number = MISSING, init: RequestInit = {}) {
  const params = Object.fromEntries(
    [...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, String(id)]),
  );
  const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const body = route.method === 'GET' ? {} : { body: '{}' };
  return who.fetch(path, {
    method: route.method,
    ...body,
    ...init,
    headers: { 'content-type': 'application/json', ...(init.headers as Record<string, string>) },
  });
}

async function codeOf(response: Response): Promise<string> {
  const text = await response.text();
  if (!text.startsWith('{')) return '';
  return (JSON.parse(text) as { code?: string }).code ?? '';
}

function expected(
  { access, stepUp }: Route,
  { role, byToken }: Actor,
): 'allowed' | 'not-signed-in' | 'not-allowed' {
  if (access === 'anyone') return 'allowed';
  if (role === undefined) return 'not-signed-in';
  if (stepUp === true && byToken === true) return 'not-allowed';
  return rightsOfRole(role, ofSupport).includes(access) ? 'allowed' : 'not-allowed';
}

describe('roles', () => {
  test('the walk sees every feature', () => {
    expect(routes.length).toBeGreaterThan(60);
    expect(new Set(routes.map(({ route }) => route.access))).toEqual(
      new Set(['anyone', 'user', ...permissionNames, 'root']),
    );
    const paths = routes.map(({ route }) => `${route.method} ${route.path.replace(/\/$/, '')}`);
    expect(new Set(paths).size).toBe(paths.length);
  });

  // Signing out ends the caller's own session, so it comes last.
  const ordered = routes.toSorted(
    (a, b) => Number(a.name === 'signIn.signOut') - Number(b.name === 'signIn.signOut'),
  );
  for (const { name, route } of ordered) {
    test(`${name} is for ${route.access}`, async () => {
      for (const [who, actor] of Object.entries(actors)) {
        const response = await call(route, actor.visitor);
        const code = await codeOf(response);
        const wanted = expected(route, actor);
        if (wanted === 'allowed') {
          expect([401, 500, 502, 503], `${who}: ${code}`).not.toContain(response.status);
          expect(['not-signed-in', 'not-allowed', 'cross-site'], who).not.toContain(code);
        } else {
          expect(response.status, who).toBe(wanted === 'not-signed-in' ? 401 : 403);
          expect(code, who).toBe(wanted);
        }
      }
    });
  }
});

describe('cross-site requests', () => {
  const writes = routes.filter(({ route }) => route.method !== 'GET' || route.sameOrigin === true);

  for (const { name, route } of writes) {
    test(`${name} is refused to the page of another site`, async () => {
      const victim = await app.createUser('admin');
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const response = await call(route, victim, MISSING, { headers });
        expect(response.status, JSON.stringify(headers)).toBe(403);
        // Role comes first: what an administrator may not do at all is not-allowed.
        const wanted = route.access === 'root' ? 'not-allowed' : 'cross-site';
        expect(await codeOf(response)).toBe(wanted);
      }
    });
  }

  test('a session that sends neither Origin nor Sec-Fetch-Site is refused as well', async () => {
    const response = await fetch(`${app.url}/api/user/self`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', cookie: tokenUser?.identity['cookie'] ?? '' },
      body: '{}',
    });
    expect(await codeOf(response)).toBe('cross-site');
  });

  test('an access token needs no such proof, for no browser sends it by itself', async () => {
    const token = actors["a user's access token"]?.visitor.identity ?? {};
    const response = await fetch(`${app.url}/api/user/self`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...token },
      body: JSON.stringify({ display_name: 'by script' }),
    });
    expect(response.status).toBe(200);
  });
});
