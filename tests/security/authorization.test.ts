/**
 * Checks who may call each route of every contract; a new route is tested as soon as it exists.
 */

import { readFileSync } from 'node:fs';
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { getRightsOfRole, permissionNames, type Right } from '@switchyard/contract/accounts/permissions';
import { users } from '@switchyard/contract/accounts/users';
import { features } from '@switchyard/contract/all-feature-routes';
import { routes as declare, emptyData, type Route, type Routes } from '@switchyard/contract/route';
import type { Role } from '@switchyard/contract/wire-enums';
import { beforeAll, describe, expect, test } from 'vitest';
import { snapshotTables } from '../../apps/server/src/testing/any-table.ts';
import { useTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createVisitor, type Visitor } from '../../apps/server/src/testing/visitor.ts';
import { AUTHORIZATION_FILE, buildAuthorizationDocument } from '../../scripts/write-authorization-docs.ts';
import { reportMeasurement } from '../tier.ts';

const routes = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes).map(([name, route]) => ({ name: `${feature}.${name}`, route })),
);
const MISSING = 999_999;

const app = await useTestApp();
const root = await app.createUser('root');
const [user, staff, admin, disabled, tokenUser, tokenAdmin] = await Promise.all(
  (['user', 'staff', 'admin', 'user', 'user', 'admin'] as const).map((role) => app.createUser(role)),
);
const [demoted, late] = await Promise.all([app.createUser('admin'), app.createUser('admin')]);

const byToken = async (owner: Visitor | undefined): Promise<Visitor> =>
  createVisitor(app.url, { authorization: `Bearer ${await owner?.api(accessTokens).replace()}` });

/** Creates a token of the administrator like the console. */
async function namedToken(scopes: Right[], more: { read_only: boolean; expired?: true }): Promise<Visitor> {
  const { read_only, expired } = more;
  const body = { name: 'named', scopes, read_only, expires_time: 0 };
  const created = await tokenAdmin?.api(accessTokens).create({ body });
  if (expired === true)
    await app.ctx.db.writer
      .updateTable('access_token')
      .set({ expires_time: 1 })
      .where('id', '=', created?.id ?? 0)
      .execute();
  return createVisitor(app.url, { authorization: `Bearer ${created?.token}` });
}

/** Permissions of the support role that every installation has at first. */
const ofSupport = ['users.read', 'records.read', 'groups.read'] as const;

interface Actor {
  visitor: Visitor;
  /** Undefined: anonymous. */
  role: Role | undefined;
  /** Uses an access token, which cannot confirm an identity. */
  byToken?: true;
  readOnly?: true;
  /** Scopes of the token; absent: all rights of its owner. */
  scopes?: readonly Right[];
  /** The role requires a second factor, which this user does not have. */
  lacksSecondFactor?: true;
}
const actors: Record<string, Actor> = {};

beforeAll(async () => {
  await app.ctx.db.writer
    .updateTable('user')
    .set({ staff_role_id: 1 })
    .where('id', '=', staff?.id ?? 0)
    .execute();
  // Written to the database, because the routes would end the session.
  await app.ctx.db.writer.updateTable('user').set({ role: 'user' }).where('id', '=', demoted.id).execute();
  await app.ctx.db.writer.updateTable('user').set({ role_since: 0 }).where('id', '=', late.id).execute();
  await root.api(users).manage({ body: { username: disabled?.username ?? '', action: 'disable' } });
  Object.assign(actors, {
    anonymous: { visitor: app.anonymous, role: undefined },
    'a disabled user': { visitor: disabled, role: undefined },
    'a forged cookie': { visitor: createVisitor(app.url, { cookie: 'switchyard_session=x' }), role: undefined },
    'a user': { visitor: user, role: 'user' },
    'trusted staff': { visitor: staff, role: 'staff' },
    'an administrator': { visitor: admin, role: 'admin' },
    root: { visitor: root, role: 'root' },
    "a user's access token": { visitor: await byToken(tokenUser), role: 'user', byToken: true },
    "an administrator's access token": { visitor: await byToken(tokenAdmin), role: 'admin', byToken: true },
    'a token that only reads': {
      visitor: await namedToken(['user', ...permissionNames], { read_only: true }),
      role: 'admin',
      byToken: true,
      readOnly: true,
    },
    'a token of one right': {
      visitor: await namedToken(['records.read'], { read_only: false }),
      role: 'admin',
      byToken: true,
      scopes: ['records.read'],
    },
    'a token that has expired': {
      visitor: await namedToken(['user', ...permissionNames], { read_only: false, expired: true }),
      role: undefined,
    },
    'a session whose role was taken meanwhile': { visitor: demoted, role: 'user' },
    'an administrator without the second factor that is due': { visitor: late, role: 'admin', lacksSecondFactor: true },
  });
});

/** Uses ids that do not exist, so that allowed calls change nothing. */
function call(route: Route, who: Visitor, id: string | number = MISSING, init: RequestInit = {}) {
  const params = Object.fromEntries([...route.path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, String(id)]));
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

type Outcome = 'allowed' | 'not-signed-in' | 'not-allowed' | 'second-factor-needed';

function expected({ access, method, stepUp, sameOrigin }: Route, actor: Actor): Outcome {
  const { role, byToken, readOnly, scopes, lacksSecondFactor } = actor;
  if (access === 'anyone') return 'allowed';
  if (role === undefined) return 'not-signed-in';
  if (!getRightsOfRole(role, ofSupport).includes(access)) return 'not-allowed';
  if (scopes !== undefined && !scopes.includes(access)) return 'not-allowed';
  if (readOnly === true && (method !== 'GET' || sameOrigin === true)) return 'not-allowed';
  if (lacksSecondFactor === true && access !== 'user') return 'second-factor-needed';
  return stepUp === true && byToken === true ? 'not-allowed' : 'allowed';
}

/** Routes after which the caller is signed out or deleted. */
const ending = new Set(['signIn.signOut', 'profile.endSessions', 'profile.remove']);
const once = <T>(act: () => Promise<T>): Promise<T> => act();

/** Refusals beyond the declared policy: the only root cannot be removed, and a token has no session to confirm. */
function refusedByItself(name: string, { role, byToken, readOnly, scopes }: Actor): boolean {
  if (name === 'profile.remove') return role === 'root';
  return name === 'profile.stepUp' && byToken === true && readOnly !== true && scopes === undefined;
}

/** Restores accounts, sessions and tokens. */
async function thenAsBefore<T>(act: () => Promise<T>): Promise<T> {
  const putBack = await snapshotTables(app.ctx.db, ['user', 'session', 'access_token']);
  try {
    return await act();
  } finally {
    await putBack();
  }
}

describe('roles', () => {
  let cells = 0;
  test('the walk includes every feature', () => {
    expect(routes.length).toBeGreaterThan(60);
    expect(new Set(routes.map(({ route }) => route.access))).toEqual(
      new Set(['anyone', 'user', ...permissionNames, 'root']),
    );
    const paths = routes.map(({ route }) => `${route.method} ${route.path.replace(/\/$/, '')}`);
    expect(new Set(paths).size).toBe(paths.length);
  });

  for (const { name, route } of routes) {
    test(`${name} is for ${route.access}`, async () => {
      for (const [who, actor] of Object.entries(actors)) {
        const response = await (ending.has(name) ? thenAsBefore : once)(() => call(route, actor.visitor));
        const code = await codeOf(response);
        const wanted = refusedByItself(name, actor) ? 'not-allowed' : expected(route, actor);
        if (wanted === 'allowed') {
          expect([401, 500, 502, 503], `${who}: ${code}`).not.toContain(response.status);
          expect(['not-signed-in', 'not-allowed', 'second-factor-needed', 'cross-site'], who).not.toContain(code);
        } else {
          expect(response.status, who).toBe(wanted === 'not-signed-in' ? 401 : 403);
          expect(code, who).toBe(wanted);
        }
        cells += 1;
      }
    });
  }

  test('all combinations were checked', () => {
    expect(cells).toBe(routes.length * Object.keys(actors).length);
    reportMeasurement(
      'P10',
      `${cells} cells: ${routes.length} routes × ${Object.keys(actors).length} kinds of caller, each as declared`,
    );
  });
});

describe('declared policies', () => {
  test('a route without a policy does not compile, and none exists', () => {
    // @ts-expect-error there is no `access`
    declare({ open: { method: 'GET', path: '/api/open', summary: '', answer: emptyData } });
    const known = new Set<unknown>(['anyone', 'user', ...permissionNames, 'root']);
    expect(routes.filter(({ route }) => !known.has(route.access))).toEqual([]);
  });

  test('docs/authorization.md says the same; if not: node scripts/write-authorization-docs.ts, and read the difference', () => {
    expect(readFileSync(AUTHORIZATION_FILE, 'utf8')).toBe(buildAuthorizationDocument());
  });
});

describe('cross-site requests', () => {
  const writes = routes.filter(({ route }) => route.method !== 'GET' || route.sameOrigin === true);

  for (const { name, route } of writes) {
    test(`${name} is refused to a page of another site`, async () => {
      // More routes than one address may sign in to within ten minutes.
      app.clock.advance(20);
      const victim = await app.createUser('admin');
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const response = await call(route, victim, MISSING, { headers });
        expect(response.status, JSON.stringify(headers)).toBe(403);
        // The role is checked first: an administrator without the permission gets `not-allowed`.
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

  test('an access token needs neither, because no browser sends it by itself', async () => {
    const token = actors["a user's access token"]?.visitor.identity ?? {};
    const response = await fetch(`${app.url}/api/user/self`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...token },
      body: JSON.stringify({ display_name: 'by script' }),
    });
    expect(response.status).toBe(200);
  });
});
