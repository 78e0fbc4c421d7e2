import { createHash, randomBytes } from 'node:crypto';
import type { Permission } from '@switchyard/contract/accounts/permissions';
import { profile } from '@switchyard/contract/accounts/profile';
import { staffRoles } from '@switchyard/contract/accounts/staff-roles';
import { userGroups } from '@switchyard/contract/accounts/user-groups';
import { users } from '@switchyard/contract/accounts/users';
import {
  type CodeBatch,
  createBatch as createSchema,
  redemptionCodes,
} from '@switchyard/contract/billing/redemption-codes';
import { toPoints } from '@switchyard/contract/money';
import { sql } from 'kysely';
import { describe, expect, test, vi } from 'vitest';
import { profileRoutes } from '../../accounts/profile/routes.ts';
import { staffRoleRoutes } from '../../accounts/staff-roles/routes.ts';
import { userGroupRoutes } from '../../accounts/user-groups/routes.ts';
import { userRoutes } from '../../accounts/users/routes.ts';
import { verifyLedger } from '../../ledger/ledger.ts';
import type { SignedInUser } from '../../testing/create-user.ts';
import { serveRoutes, useFeatureApp } from '../../testing/start-feature-app.ts';
import { buildCodeColumns } from './code-text-and-hash.ts';
import { createBatch } from './create-batch.ts';
import { redemptionCodeRoutes } from './routes.ts';

const app = await useFeatureApp(
  [
    serveRoutes(profile, profileRoutes),
    serveRoutes(redemptionCodes, redemptionCodeRoutes),
    serveRoutes(staffRoles, staffRoleRoutes),
    serveRoutes(userGroups, userGroupRoutes),
    serveRoutes(users, userRoutes),
  ],
  { now: Date.UTC(2026, 10, 21), config: { trustedProxies: ['127.0.0.1'] } },
);
const root = await app.createUser('root');
const api = root.api(redemptionCodes);
const now = () => Math.floor(app.clock.now() / 1000);

type Terms = Partial<
  Pick<CodeBatch, 'quota' | 'expires_time' | 'per_user' | 'for_group' | 'grant_group'> & { count: number }
>;
/** Made behind the route's back, which asks for a confirmation of the last minutes. */
async function newCodes(terms: Terms = {}): Promise<string[]> {
  const input = createSchema.parse({ name: 'Batch', quota: 500, ...terms });
  return (await createBatch(app.ctx, { userId: root.id }, input)).codes;
}
async function newCode(terms: Terms = {}): Promise<string> {
  const [code = ''] = await newCodes(terms);
  return code;
}
const newestBatch = async () => {
  const [batch] = (await api.listBatches({ query: { size: 1 } })).data;
  if (batch === undefined) throw new Error('no batch');
  return batch;
};
const redeem = (who: SignedInUser, key: string, idempotencyKey?: string) =>
  who.api(redemptionCodes).redeem({ body: { key }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) });
const balanceOf = async (who: SignedInUser) => (await who.api(profile).get()).quota;

/** Everything that a redemption may touch. */
const tables = ['redemption_code', 'user_account', 'ledger_entry', 'usage_record', 'audit_entry', 'user'];
const everything = () =>
  Promise.all(
    tables.map(async (table) => {
      const { rows } = await sql`select * from ${sql.table(table)} order by 1`.execute(app.ctx.db.writer);
      return rows;
    }),
  );

test('credits the points of a code, and records it in the ledger, the usage log and the audit log', async () => {
  const user = await app.createUser('user');
  const code = await newCode({ quota: toPoints(1_234) });
  expect(await redeem(user, code)).toBe(1_234);
  expect(await balanceOf(user)).toBe(1_234);
  const [row] = (await api.list({ query: { keyword: code } })).data;
  expect(row).toMatchObject({
    status: 'used',
    redeemed_time: now(),
    redeemed_by: { id: user.id, username: user.username },
  });
  const entry = await app.ctx.db.writer
    .selectFrom('ledger_entry')
    .selectAll()
    .where('user_id', '=', user.id)
    .executeTakeFirstOrThrow();
  expect(entry).toMatchObject({ kind: 'top-up', ref: `redeem:${row?.id}`, user_amount: 1_234 });
  const audited = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .selectAll()
    .where('target', '=', `redemption_code:${row?.id}`)
    .execute();
  expect(audited).toMatchObject([{ action: 'redemption-code.redeem', user_id: user.id }]);
  const kept = JSON.stringify(await everything()).toUpperCase();
  for (const part of code.split('-')) expect(kept).not.toContain(part);
});

test.each([
  ['in small letters', (code: string) => code.toLowerCase()],
  ['without dashes', (code: string) => code.replaceAll('-', '')],
  ['with blanks', (code: string) => ` ${code.replaceAll('-', ' ')} `],
])('takes a code %s', async (_how, typed) => {
  const user = await app.createUser('user');
  expect(await redeem(user, typed(await newCode()))).toBe(500);
});

test('takes codes of 32 hex characters, which other gateways make', async () => {
  const user = await app.createUser('user');
  await newCode();
  const { id } = await newestBatch();
  const old = randomBytes(16).toString('hex');
  await app.ctx.db.writer
    .insertInto('redemption_code')
    .values({ ...buildCodeColumns(app.ctx, old), batch_id: id, status: 'enabled', redeemed_time: 0, redeemed_by: null })
    .execute();
  expect(await redeem(user, old)).toBe(500);
  expect(await balanceOf(user)).toBe(500);
});

/** Each makes a code that this user cannot redeem. */
const refusals: Record<string, (user: SignedInUser) => Promise<string>> = {
  'code-unknown': async () => `${(await newCode()).slice(0, -5)}AAAAA`,
  'code-used': async () => {
    const code = await newCode();
    await redeem(await app.createUser('user'), code);
    return code;
  },
  'code-disabled': async () => {
    const code = await newCode();
    const [row] = (await api.list({ query: { keyword: code } })).data;
    await api.update({ body: { id: row?.id as never, status: 'disabled' } });
    return code;
  },
  'code-expired': async () => {
    const code = await newCode({ expires_time: now() + 60 });
    app.clock.advance(60);
    return code;
  },
  'code-limit': async (user) => {
    const [first = '', second = ''] = await newCodes({ count: 2, per_user: 1 });
    await redeem(user, first);
    return second;
  },
  'code-not-for-you': () => newCode({ for_group: 'vip' }),
};

test.each(Object.keys(refusals))('%s: nothing changes', async (code) => {
  const user = await app.createUser('user');
  const key = (await refusals[code]?.(user)) ?? '';
  const before = await everything();
  await expect(redeem(user, key)).rejects.toMatchObject({ code });
  await expect(redeem(user, key, 'with-a-key')).rejects.toMatchObject({ code });
  expect(await everything()).toEqual(before);
  expect(
    await app.ctx.db.writer.selectFrom('idempotency_key').selectAll().where('key', '=', 'with-a-key').execute(),
  ).toEqual([]);
});

test('code-used: the message says whether the caller redeemed it', async () => {
  const [user, other] = [await app.createUser('user'), await app.createUser('user')];
  const code = await newCode();
  await redeem(user, code);
  const redeemedAt = new Date(now() * 1000).toISOString();
  app.clock.advance(60);
  for (const key of [undefined, 'again']) {
    await expect(redeem(user, code, key)).rejects.toThrow(`You redeemed this code at ${redeemedAt}.`);
    await expect(redeem(other, code, key)).rejects.toThrow('Another account has redeemed this code.');
  }
});

test.each([
  ['code-disabled', /^This code is disabled\. Ask the person who gave it to you\.$/],
  ['code-expired', /^This code expired at 20\S+Z\. Ask the person who gave it to you\.$/],
  ['code-not-for-you', /^This code is for another group\. Ask the person who gave it to you\.$/],
])('%s: the message names the remedy', async (code, message) => {
  const user = await app.createUser('user');
  const key = (await refusals[code]?.(user)) ?? '';
  await expect(redeem(user, key)).rejects.toThrow(message);
});

test('a disabled batch keeps its codes, and one of a deleted batch is unknown', async () => {
  const user = await app.createUser('user');
  const [first = '', second = ''] = await newCodes({ count: 2 });
  const { id } = await newestBatch();
  await api.updateBatch({ body: { id, enabled: false } });
  await expect(redeem(user, first)).rejects.toMatchObject({ code: 'code-disabled' });
  await api.updateBatch({ body: { id, enabled: true } });
  expect(await redeem(user, first)).toBe(500);
  await api.removeBatch({ params: { id } });
  await expect(redeem(user, second)).rejects.toMatchObject({ code: 'code-unknown' });
  await expect(redeem(user, first)).rejects.toMatchObject({ code: 'code-used' });
});

test('a limit per user counts the codes of one batch only', async () => {
  const [ann, bob] = [await app.createUser('user'), await app.createUser('user')];
  const codes = await newCodes({ count: 4, per_user: 2 });
  for (const code of codes.slice(0, 2)) await redeem(ann, code);
  await expect(redeem(ann, codes[2] ?? '')).rejects.toMatchObject({ code: 'code-limit' });
  expect(await redeem(bob, codes[2] ?? '')).toBe(500);
  expect(await redeem(ann, await newCode({ per_user: 1 }))).toBe(500);
});

test('holds the limit per user when all codes of a batch are sent at once', async () => {
  const user = await app.createUser('user');
  const codes = await newCodes({ count: 12, per_user: 3 });
  const answers = await Promise.allSettled(codes.map((code) => redeem(user, code)));
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect(await balanceOf(user)).toBe(1_500);
});

test('codes for a group are redeemed by its members', async () => {
  const member = await app.createUser('user', { group: 'vip' });
  expect(await redeem(member, await newCode({ for_group: 'vip' }))).toBe(500);
});

test('redeeming a code that grants a group changes the group at once', async () => {
  const user = await app.createUser('user');
  await redeem(user, await newCode({ grant_group: 'svip' }));
  expect(await user.api(profile).get()).toMatchObject({ group: 'svip', quota: 500 });
});

test('a granted group that is disabled or deleted changes nothing, and the points are credited', async () => {
  const user = await app.createUser('user');
  const group = await root.api(userGroups).create({ body: { symbol: 'short', name: 'Short-lived' } });
  const [first = '', second = ''] = await newCodes({ count: 2, grant_group: 'short' });
  await root.api(userGroups).toggle({ params: { id: group.id } });
  await redeem(user, first);
  await root.api(userGroups).remove({ params: { id: group.id } });
  await redeem(user, second);
  expect(await user.api(profile).get()).toMatchObject({ group: 'default', quota: 1_000 });
});

test('a repeated call with one Idempotency-Key is answered the same and credited once', async () => {
  const user = await app.createUser('user');
  const [code = '', other = ''] = await newCodes({ count: 2 });
  const answers = await Promise.all([1, 2, 3].map(() => redeem(user, code, 'once')));
  expect(answers).toEqual([500, 500, 500]);
  expect(await balanceOf(user)).toBe(500);
  await expect(redeem(user, other, 'once')).rejects.toMatchObject({ code: 'conflict' });
  await expect(redeem(user, code)).rejects.toMatchObject({ code: 'code-used' });
  const audited = await app.ctx.db.writer
    .selectFrom('audit_entry')
    .select('id')
    .where('user_id', '=', user.id)
    .where('action', '=', 'redemption-code.redeem')
    .execute();
  expect(audited).toHaveLength(1);
});

test('publishes a granted group whose commit was uncertain when the call is repeated', async () => {
  const user = await app.createUser('user');
  const code = await newCode({ grant_group: 'svip' });
  const { ledger, changes } = app.ctx;
  const commit = ledger.transaction.bind(ledger);
  const uncertain = vi.spyOn(ledger, 'transaction').mockImplementationOnce(async (work) => {
    await commit(work);
    throw new Error('The connection was lost during the commit');
  });
  await expect(redeem(user, code, 'uncertain')).rejects.toMatchObject({ code: 'internal' });
  uncertain.mockRestore();
  const publish = vi.spyOn(changes, 'publish');
  expect(await redeem(user, code, 'uncertain')).toBe(500);
  expect(publish.mock.calls).toContainEqual([{ topic: 'users', ids: [user.id] }]);
  publish.mockRestore();
  expect(await balanceOf(user)).toBe(500);
});

describe('staff', () => {
  let roles = 0;
  async function memberWith(permissions: Permission[]): Promise<SignedInUser> {
    roles += 1;
    await root.api(profile).stepUp({ body: { password: root.password } });
    const role = await root.api(staffRoles).create({ body: { name: `Role ${roles}`, permissions } });
    const member = await app.createUser('staff');
    await root.api(users).update({ body: { id: member.id, staff_role: role.id } });
    return member;
  }
  const codeBy = async (maker: SignedInUser): Promise<string> => {
    const input = createSchema.parse({ name: 'Own', quota: 500, grant_group: 'svip' });
    const [code = ''] = (await createBatch(app.ctx, { userId: maker.id }, input)).codes;
    return code;
  };
  const refused = { code: 'not-allowed' };

  test.each(['codes.write', 'codes.read', 'orders.write', undefined] as const)(
    'redeem the codes of others only without the right to read codes: %s',
    async (permission) => {
      const member = await memberWith(permission === undefined ? [] : [permission]);
      const code = await codeBy(root);
      const redeemed = redeem(member, code);
      if (permission === 'codes.write') await expect(redeemed).rejects.toMatchObject(refused);
      else expect(await redeemed).toBe(500);
      const seen = await member.api(profile).get();
      expect(seen).toMatchObject(
        permission === 'codes.write' ? { group: 'default', quota: 0 } : { group: 'svip', quota: 500 },
      );
    },
  );

  test('never redeem codes that they created, even after they lost the right and the role', async () => {
    const member = await memberWith(['codes.write']);
    const code = await codeBy(member);
    await expect(redeem(member, code)).rejects.toMatchObject(refused);
    await root.api(users).update({ body: { id: member.id, staff_role: null } });
    await expect(redeem(member, code)).rejects.toMatchObject(refused);
    await app.ctx.db.writer.updateTable('user').set({ role: 'user' }).where('id', '=', member.id).execute();
    await expect(redeem(member, code)).rejects.toMatchObject(refused);
    // It stays valid for all other users.
    expect(await redeem(await app.createUser('user'), code)).toBe(500);
  });

  test('redeem nothing as administrators, while root redeems everything', async () => {
    const admin = await app.createUser('admin');
    await expect(redeem(admin, await codeBy(root))).rejects.toMatchObject(refused);
    expect(await redeem(root, await codeBy(root))).toBe(500);
  });
});

test('a code that no balance can hold stays as it is', async () => {
  const user = await app.createUser('user', { quota: 1 });
  const code = await newCode({ quota: toPoints(1_000_000_000_000_000) });
  await expect(redeem(user, code)).rejects.toMatchObject({ code: 'invalid-input' });
  expect((await api.list({ query: { keyword: code } })).data).toMatchObject([{ status: 'enabled' }]);
});

test('a user who was disabled or deleted redeems nothing', async () => {
  const [one, two] = [await app.createUser('user'), await app.createUser('user')];
  const code = await newCode();
  await root.api(users).manage({ body: { username: one.username, action: 'disable' } });
  await root.api(users).remove({ params: { id: two.id } });
  for (const who of [one, two]) await expect(redeem(who, code)).rejects.toMatchObject({ code: 'not-signed-in' });
});

test('ten wrong codes in 15 minutes are enough; right ones cost no try', async () => {
  const user = await app.createUser('user');
  const wrong = () => redeem(user, createHash('md5').update(randomBytes(8)).digest('hex'));
  for (let i = 0; i < 9; i += 1) await expect(wrong()).rejects.toMatchObject({ code: 'code-unknown' });
  const codes = await newCodes({ count: 3 });
  expect(await redeem(user, codes[0] ?? '')).toBe(500);
  await expect(redeem(user, codes[0] ?? '')).rejects.toMatchObject({ code: 'code-used' });
  await expect(wrong()).rejects.toMatchObject({ code: 'code-unknown' });
  await expect(wrong()).rejects.toMatchObject({ code: 'too-many-requests' });
  await expect(redeem(user, codes[1] ?? '')).rejects.toMatchObject({ code: 'too-many-requests' });
  app.clock.advance(901);
  expect(await redeem(user, codes[1] ?? '')).toBe(500);
});

test('blocks an address after 30 wrong codes, regardless of the user', async () => {
  app.clock.advance(901);
  const from = async (user: SignedInUser, address: string): Promise<string> => {
    const response = await user.fetch('/api/user/topup', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ key: randomBytes(16).toString('hex') }),
    });
    return ((await response.json()) as { code: string }).code;
  };
  for (let i = 0; i < 30; i += 10) {
    const user = await app.createUser('user');
    for (let j = 0; j < 10; j += 1) expect(await from(user, '192.0.2.7')).toBe('code-unknown');
  }
  const fresh = await app.createUser('user');
  expect(await from(fresh, '192.0.2.7')).toBe('too-many-requests');
  expect(await from(fresh, '192.0.2.8')).toBe('code-unknown');
});

test('the ledger adds up after all tests', async () => {
  expect((await verifyLedger(app.ctx.db.writer)).problems).toEqual([]);
});
