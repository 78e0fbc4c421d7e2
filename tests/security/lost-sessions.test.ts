/** A lost right is lost with the next request, regardless of the replayed credential (P11). */
import { accessTokens } from '@switchyard/contract/accounts/access-tokens';
import { apiKeys } from '@switchyard/contract/accounts/api-keys';
import type { Permission } from '@switchyard/contract/accounts/permissions';
import { profile } from '@switchyard/contract/accounts/profile';
import { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import { users } from '@switchyard/contract/accounts/users';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RelayScene, startRelayScene } from '../../apps/server/src/testing/relay-scene.ts';
import type { SignedInUser } from '../../apps/server/src/testing/start-test-app.ts';
import { createVisitor, signIn, type Visitor } from '../../apps/server/src/testing/visitor.ts';
import { removeRateLimits } from '../faults/remove-rate-limits.ts';
import { pick, reportMeasurement } from '../tier.ts';

let scene: RelayScene;
let roleId: number;

beforeAll(async () => {
  scene = await startRelayScene();
  await removeRateLimits(scene.admin);
  await scene.newChannel({});
  const permissions: Permission[] = ['records.read'];
  roleId = (await scene.admin.api(staffRoles).create({ body: { name: 'readers', permissions } })).id;
});
afterAll(() => scene.close());

interface Credentials {
  owner: SignedInUser;
  /** Another browser of the same user. */
  other: Visitor;
  token: Visitor;
  tokenId: number;
  key: string;
}

async function credentials(): Promise<Credentials> {
  const owner = await scene.createUser('staff', { quota: 1_000_000 });
  await scene.ctx.db.writer.updateTable('user').set({ staff_role_id: roleId }).where('id', '=', owner.id).execute();
  const other = createVisitor(scene.url, await signIn(scene.url, owner.username, owner.password));
  const body = { name: 'x', scopes: ['user' as const, 'records.read' as const], read_only: false, expires_time: 0 };
  const { token, id } = await owner.api(accessTokens).create({ body });
  const key = await scene.newKey({ unlimited_quota: true }, owner);
  return { owner, other, token: createVisitor(scene.url, { authorization: `Bearer ${token}` }), tokenId: id, key };
}

/** Returns which old credentials still give access: to the own account, and to what staff may see. */
async function stillGood({ owner, other, token, key }: Credentials) {
  const opens = async (who: Visitor, path: string) => (await who.fetch(path)).status === 200;
  const both = async (who: Visitor) => [await opens(who, '/api/user/self'), await opens(who, '/api/log/')] as const;
  const [session, otherSession, byToken] = [await both(owner), await both(other), await both(token)];
  return { session, otherSession, token: byToken, key: (await scene.chat('scripted', {}, key)).status === 200 };
}

const all = [true, true] as const;
const own = [true, false] as const;
const none = [false, false] as const;
const root = () => scene.admin.api(users);

const losses: readonly [
  how: string,
  lose: (given: Credentials) => Promise<unknown>,
  left: Awaited<ReturnType<typeof stillGood>>,
][] = [
  [
    'a ban',
    ({ owner }) => root().update({ body: { id: owner.id, status: 'disabled' } }),
    { session: none, otherSession: none, token: none, key: false },
  ],
  [
    'a ban by name',
    ({ owner }) => root().manage({ body: { username: owner.username, action: 'disable' } }),
    { session: none, otherSession: none, token: none, key: false },
  ],
  [
    'deletion',
    ({ owner }) => root().remove({ params: { id: owner.id } }),
    { session: none, otherSession: none, token: none, key: false },
  ],
  [
    'deletion by oneself',
    ({ owner }) => owner.api(profile).remove(),
    { session: none, otherSession: none, token: none, key: false },
  ],
  [
    'demotion',
    ({ owner }) => root().update({ body: { id: owner.id, role: 'user' } }),
    { session: none, otherSession: none, token: own, key: true },
  ],
  [
    'another role of staff',
    ({ owner }) => root().update({ body: { id: owner.id, staff_role: null } }),
    { session: own, otherSession: own, token: own, key: true },
  ],
  [
    'a new password',
    ({ owner }) =>
      owner.api(profile).update({ body: { password: 'something quite new', current_password: owner.password } }),
    { session: all, otherSession: none, token: all, key: true },
  ],
  [
    'a new password by an administrator',
    ({ owner }) => root().update({ body: { id: owner.id, password: 'something quite new' } }),
    { session: none, otherSession: none, token: none, key: true },
  ],
  [
    'the end of a token',
    ({ owner, tokenId }) => owner.fetch(`/api/user/access_tokens/${tokenId}`, { method: 'DELETE' }),
    { session: all, otherSession: all, token: none, key: true },
  ],
  [
    'signing out',
    ({ owner }) => owner.fetch('/api/user/logout'),
    { session: none, otherSession: all, token: all, key: true },
  ],
  [
    'the end of one session',
    async ({ owner }) => {
      const session = (await owner.api(profile).listSessions()).find(({ current }) => !current);
      await owner.api(profile).endSession({ params: { id: session?.id ?? '' } });
    },
    { session: all, otherSession: none, token: all, key: true },
  ],
  [
    'the end of all sessions',
    ({ owner }) => owner.api(profile).endSessions(),
    { session: none, otherSession: none, token: all, key: true },
  ],
];

test.each(losses)('after %s the very next request with each old credential is refused', async (_how, lose, left) => {
  const given = await credentials();
  expect(await stillGood(given)).toEqual({ session: all, otherSession: all, token: all, key: true });
  await lose(given);
  const { user, system } = process.cpuUsage();
  expect(await stillGood(given)).toEqual(left);
  // CPU time: the server answers all of these requests from memory, without another query.
  const used = process.cpuUsage({ user, system });
  expect((used.user + used.system) / 1_000).toBeLessThan(1_000);
});

test('a staff role that loses a permission removes it from its members', async () => {
  const given = await credentials();
  const body = { name: 'readers', permissions: [] };
  await scene.admin.fetch(`/api/staff_role/${roleId}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(await stillGood(given)).toEqual({ session: own, otherSession: own, token: own, key: true });
});

test('two different credentials are never confused, however similar they are', async () => {
  const [one, other] = [
    await scene.createUser('user', { quota: 100_000 }),
    await scene.createUser('user', { quota: 100_000 }),
  ];
  const [keyOfOne, keyOfOther] = [
    await scene.newKey({ unlimited_quota: true }, one),
    await scene.newKey({ unlimited_quota: true }, other),
  ];
  const body = { name: 'x', scopes: ['user' as const], read_only: true, expires_time: 0 };
  const { token } = await one.api(accessTokens).create({ body });
  const cookie = /session=([^;]+)/.exec(one.identity['cookie'] ?? '')?.[1] ?? '';
  const nobody = async (headers: Record<string, string>, path: string) =>
    expect((await createVisitor(scene.url, headers).fetch(path)).status).toBe(401);
  // Fills the caches with valid credentials before invalid ones arrive.
  const warm = async () => {
    expect((await scene.chat('scripted', {}, keyOfOne)).status).toBe(200);
    expect((await createVisitor(scene.url, { authorization: `Bearer ${token}` }).fetch('/api/user/self')).status).toBe(
      200,
    );
  };
  const forge = (secret: string) =>
    fc
      .tuple(
        fc.integer({ min: 1, max: secret.length - 1 }),
        fc.string({
          unit: fc.constantFrom('a', 'b', 'X', 'Z', '0', '9', '_', '-'),
          minLength: 1,
          maxLength: secret.length,
        }),
      )
      .map(([kept, tail]) => `${secret.slice(0, kept)}${tail}`.slice(0, Math.max(secret.length, kept + 1)))
      .filter((text) => text !== secret);
  const property = fc.asyncProperty(forge(keyOfOne), forge(token), forge(cookie), async (key, forgedToken, session) => {
    await warm();
    expect((await scene.chat('scripted', {}, key)).status).toBe(401);
    await nobody({ authorization: `Bearer ${forgedToken}` }, '/api/user/self');
    await nobody({ cookie: `switchyard_session=${session}` }, '/api/user/self');
  });
  await fc.assert(property, { numRuns: pick(40, 150) });
  // The caller is charged, not the previous caller.
  for (const key of [keyOfOne, keyOfOther, keyOfOne, keyOfOther]) await (await scene.chat('scripted', {}, key)).text();
  await scene.waitUntilSettled();
  expect((await scene.records()).slice(-4).map((record) => record.user_id)).toEqual([
    one.id,
    other.id,
    one.id,
    other.id,
  ]);
  expect((await other.api(apiKeys).list()).data).toHaveLength(1);
  reportMeasurement(
    'P11',
    `${losses.length + 1} ways to lose rights × 4 credentials: the next request refused; ${3 * pick(40, 150)} forged credentials with a common beginning: 0 accepted`,
  );
});
