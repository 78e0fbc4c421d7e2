/** Only root may act on an account of an equal or higher role, and a credential has at most its creator's rights. */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import { outranks, type Permission, permissionNames, right } from '@switchyard/contract/accounts/permissions';
import { profile } from '@switchyard/contract/accounts/profile';
import { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { features } from '@switchyard/contract/all-feature-routes';
import { apiKeyId } from '@switchyard/contract/ids';
import type { Route, Routes } from '@switchyard/contract/route';
import type { Role } from '@switchyard/contract/wire-enums';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeDigest, readRows } from '../../apps/server/src/testing/any-table.ts';
import { type SignedInUser, useTestApp } from '../../apps/server/src/testing/start-test-app.ts';
import { createVisitor } from '../../apps/server/src/testing/visitor.ts';
import { reportMeasurement } from '../tier.ts';

const app = await useTestApp();
const root = await app.createUser('root');
let roleCount = 0;
const roles = ['user', 'staff', 'admin', 'root'] as const satisfies readonly Role[];

async function setStaffRole(who: SignedInUser, permissions: Permission[]): Promise<void> {
  roleCount += 1;
  const { id } = await root.api(staffRoles).create({ body: { name: `role ${roleCount}`, permissions } });
  await app.ctx.db.writer.updateTable('user').set({ staff_role_id: id }).where('id', '=', who.id).execute();
}

interface Target {
  who: SignedInUser;
  keyId: number;
}

/** Values of the path and the body. */
interface Sent {
  id?: number;
  session?: string;
  body?: unknown;
}

/** Bodies with which a call acts on a user; a route that acts on users and is missing here fails the test. */
const calls: Readonly<Record<string, (target: Target) => Sent | Promise<Sent>>> = {
  'users.update': ({ who }) => ({ body: { id: who.id, display_name: 'changed' } }),
  'users.manage': ({ who }) => ({ body: { username: who.username, action: 'disable' } }),
  'users.changeQuota': ({ who }) => ({ id: who.id, body: { quota: 5 } }),
  'users.acknowledgeAlarms': ({ who }) => ({ id: who.id, body: {} }),
  'users.remove': ({ who }) => ({ id: who.id }),
  'secondFactor.reset': ({ who }) => ({ id: who.id }),
  'users.edit': ({ who }) => ({ body: { ids: [who.id], edit: { do: 'sign-out' } } }),
  'users.changeQuotas': ({ who }) => ({ body: { ids: [who.id], quota: 5 } }),
  'userDetails.endSession': async ({ who }) => ({ id: who.id, session: await sessionOf(who) }),
  'userDetails.endSessions': ({ who }) => ({ id: who.id }),
  'apiKeys.switch': ({ keyId }) => ({ id: keyId, body: { status: 2 } }),
  'apiKeys.setRatio': ({ keyId }) => ({ id: keyId, body: { ratio: 0.5 } }),
};

/** Writes that require a permission and name a user or a token. */
const acting = Object.entries<Routes>(features).flatMap(([feature, routes]) =>
  Object.entries(routes)
    .filter(
      ([name, { access, method, path }]) =>
        method !== 'GET' &&
        permissionNames.some((permission) => permission === access) &&
        /^\/api\/(?:user|token)\//.test(path) &&
        `${feature}.${name}` !== 'users.create',
    )
    .map(([name, route]) => ({ name: `${feature}.${name}`, route })),
);

async function sessionOf(who: SignedInUser): Promise<string> {
  const { id_hash } = await app.ctx.db.writer
    .selectFrom('session')
    .select('id_hash')
    .where('user_id', '=', who.id)
    .limit(1)
    .executeTakeFirstOrThrow();
  return id_hash;
}

/** Reports for a bulk change whether each user was refused. */
async function wasRefused(response: Response): Promise<boolean> {
  if (response.status === 403) return true;
  expect(response.status, response.url).toBe(200);
  const { data } = (await response.json()) as { data: unknown };
  return Array.isArray(data) && data.length > 0 && data.every((one) => one.refusal?.code === 'not-allowed');
}

function send(who: SignedInUser, { method, path }: Route, { id, session, body }: Sent) {
  return who.fetch(path.replace(':id', String(id)).replace(':session', String(session)), {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
}

/** Returns everything that such a call could change. */
async function accounts(): Promise<string> {
  const { db } = app.ctx;
  const changeable = ['user', 'user_account', 'api_key', 'totp', 'passkey', 'ledger_entry'];
  const digests = await Promise.all(changeable.map(async (table) => computeDigest(await readRows(db, table))));
  return JSON.stringify([digests, (await readRows(db, 'session')).length]);
}

async function newTarget(role: Role): Promise<Target> {
  const who = role === 'root' ? root : await app.createUser(role, { quota: 100 });
  const { id } = await who.api(apiKeys).create({ body: { name: 'target' } });
  return { who, keyId: id };
}

describe('accounts of other roles', () => {
  test('every route that acts on a user is in the matrix', () => {
    expect(acting.map(({ name }) => name).toSorted()).toEqual(Object.keys(calls).toSorted());
  });

  test('no action on an equal or higher account succeeds, and every action on a lower one does', async () => {
    const staff = await app.createUser('staff');
    await setStaffRole(staff, [...permissionNames]);
    const admin = await app.createUser('admin');
    let refused = 0;
    let done = 0;
    for (const [role, actor] of Object.entries({ staff, admin }) as ['staff' | 'admin', SignedInUser][])
      for (const targetRole of [...roles, 'self'] as const)
        for (const { name, route } of acting) {
          const target =
            targetRole === 'self'
              ? { who: actor, keyId: (await actor.api(apiKeys).create({ body: { name: 'own' } })).id }
              : await newTarget(targetRole);
          const before = await accounts();
          const response = await send(actor, route, (await calls[name]?.(target)) ?? {});
          const where = `${role} on ${targetRole}: ${name}`;
          const isRefused = await wasRefused(response);
          if (targetRole !== 'self' && outranks(role, targetRole)) {
            expect(isRefused, where).toBe(false);
            done += 1;
          } else {
            expect(isRefused, where).toBe(true);
            expect(await accounts(), where).toBe(before);
            refused += 1;
          }
        }
    reportMeasurement('P10', `${refused} actions on equal or higher accounts: 0 done; ${done} on lower ones: all done`);
  });
});

describe('a credential', () => {
  /** One route for each right that requires nothing else. */
  const reads = right.options.flatMap((name) => {
    const fits = ({ access, method, path, query, sameOrigin }: Route) =>
      access === name &&
      method === 'GET' &&
      !path.includes(':') &&
      sameOrigin !== true &&
      query?.safeParse({}).success !== false;
    const found = Object.values<Routes>(features)
      .flatMap((routes) => Object.values(routes))
      .find(fits);
    return found === undefined ? [] : [{ name, path: found.path }];
  });

  test('for management never exceeds its creator’s rights, at any later time', async () => {
    const makers = await Promise.all((['user', 'staff', 'admin'] as const).map((role) => app.createUser(role)));
    const scopes = fc.uniqueArray(fc.constantFrom(...right.options), { minLength: 1 });
    const property = fc.asyncProperty(
      fc.constantFrom(...makers),
      fc.uniqueArray(fc.constantFrom(...permissionNames)),
      fc.uniqueArray(fc.constantFrom(...permissionNames)),
      scopes,
      fc.boolean(),
      async (maker, before, after, wanted, readOnly) => {
        await setStaffRole(maker, before);
        const { rights } = await maker.api(profile).get();
        const body = { name: 'made', scopes: wanted, read_only: readOnly, expires_time: 0 };
        const created = await maker
          .api(accessTokens)
          .create({ body })
          .catch(() => undefined);
        expect(created !== undefined).toBe(wanted.every((name) => rights.includes(name)));
        if (created === undefined) return;
        await setStaffRole(maker, after);
        const now = new Set((await maker.api(profile).get()).rights);
        const token = createVisitor(app.url, { authorization: `Bearer ${created.token}` });
        for (const { name, path } of reads) {
          const { status } = await token.fetch(path);
          expect(status === 200, `${name} ${wanted.join()} ${[...now].join()}`).toBe(
            wanted.includes(name) && now.has(name),
          );
        }
        await maker.api(accessTokens).remove({ params: { id: created.id } });
      },
    );
    expect(reads.length).toBeGreaterThan(6);
    await fc.assert(property, { numRuns: 60 });
  });

  test('for models never uses a group that its owner may not, and has the ratio that administrators set', async () => {
    // Several, because the writes of one user are limited.
    const owners = await Promise.all(Array.from({ length: 5 }, () => app.createUser('user')));
    const { data: groups } = await root.api(userGroups).list({ query: { page: 1, size: 100 } });
    const symbols = groups.map(({ symbol }) => symbol);
    const allowed = new Set(
      groups.filter((group) => group.public || group.symbol === 'default').map(({ symbol }) => symbol),
    );
    const group = fc.constantFrom('', ...symbols, 'no-such-group');
    const send = (owner: SignedInUser, method: string, body: object) =>
      owner.fetch('/api/token/', {
        method,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const terms = [group, group, fc.double({ noNaN: true }), fc.constantFrom(...owners)] as const;
    const property = fc.asyncProperty(...terms, async (one, other, ratio, owner) => {
      const body = { name: 'made', group: one, backup_group: other };
      expect((await send(owner, 'POST', { ...body, ratio })).status).toBe(400);
      const response = await send(owner, 'POST', body);
      const fits = [one, other].every((symbol) => symbol === '' || allowed.has(symbol));
      expect(response.status, `${one} ${other}`).toBe(fits ? 200 : 400);
      if (!fits) return;
      const { data } = (await response.json()) as { data: { id: number; ratio: number } };
      const id = apiKeyId.parse(data.id);
      expect(data.ratio).toBe(1);
      expect((await send(owner, 'PUT', { id, ratio: 0.1 })).status).toBe(400);
      expect((await owner.api(apiKeys).get({ params: { id } })).ratio).toBe(1);
    });
    expect(symbols.length).toBeGreaterThan(1);
    await fc.assert(property, { numRuns: 60 });
  });
});
