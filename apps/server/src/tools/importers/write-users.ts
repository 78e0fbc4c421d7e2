/** Imports users with their balances and third-party accounts. */
import { username as usernameSchema } from '@switchyard/contract/accounts/account-fields';
import { mailAddress } from '@switchyard/contract/operations/mail';
import { sql } from 'kysely';
import { findUserByUsername, rootExists } from '../../accounts/users/users.ts';
import { isLegacyHash } from '../../platform/secrets/legacy-password-hash.ts';
import type { ImportRun } from './import-run-and-map.ts';
import type { SourceUser } from './source-installation.ts';
import type { MapSymbol } from './write-groups.ts';

/** Largest balance that the ledger counts exactly. */
const BALANCE_MAX = 1_000_000_000_000_000n;
const NAME_MAX = 32;
/** Largest imported id; with higher ones, ids of later users would soon exceed what is counted exactly. */
const ID_MAX = 1_000_000_000_000;

export async function writeUsers(run: ImportRun, users: readonly SourceUser[], symbolOf: MapSymbol): Promise<void> {
  let hasRoot = await rootExists(run.trx);
  const written: { user: SourceUser; id: number }[] = [];
  const known = users.filter(({ id }) => run.map.find('user', id) !== undefined);
  run.report.count('user', 'read', users.length);
  run.report.count('user', 'known', known.length);
  for (const user of await sortByKeptIds(run, users)) {
    const role = user.role === 'root' && hasRoot ? 'admin' : user.role;
    if (role !== user.role)
      run.report.remark('user', 'there is already a root account; becomes an administrator', user.username);
    hasRoot ||= role === 'root';
    const id = await writeUser(run, { ...user, role }, symbolOf);
    await run.map.record('user', user.id, id);
    run.report.count('user', 'new');
    written.push({ user, id });
  }
  await advanceIdSequence(run);
  for (const { user, id } of written) {
    await writeInviter(run, user, id);
    for (const identity of user.identities) await writeIdentity(run, id, identity, user.username);
    await compareBalance(run, user, id);
  }
}

/**
 * Returns users who can keep their ids first, so that no other user gets one of these; without users of earlier runs.
 */
async function sortByKeptIds({ trx, map }: ImportRun, users: readonly SourceUser[]): Promise<SourceUser[]> {
  const fresh = users.filter(({ id }) => map.find('user', id) === undefined);
  const rows = await trx.selectFrom('user_account').select('user_id').execute();
  const taken = new Set(rows.map((row) => String(row.user_id)));
  const keeps = ({ id }: SourceUser): boolean => parseId(id) !== undefined && !taken.has(id);
  return [...fresh.filter(keeps), ...fresh.filter((user) => !keeps(user))];
}

function parseId(sourceId: string): number | undefined {
  const id = Number(sourceId);
  return Number.isSafeInteger(id) && id > 0 && id <= ID_MAX ? id : undefined;
}

async function writeUser(run: ImportRun, user: SourceUser, symbolOf: MapSymbol): Promise<number> {
  const { trx, moves, report, now, map } = run;
  const username = await chooseUsername(run, user);
  const email = user.email === '' || mailAddress.safeParse(user.email).success ? user.email : '';
  if (email !== user.email) report.remark('user', 'the email address is invalid and omitted', username);
  const hasPassword = isLegacyHash(user.passwordHash);
  if (!hasPassword) report.remark('user', 'has no supported password hash; needs a new password', username);
  const own = await chooseId(run, user.id);
  if (own.id === undefined) await advanceIdSequence(run);
  const { id } = await trx
    .insertInto('user')
    .values({
      ...own,
      username,
      password_hash: hasPassword ? user.passwordHash : '',
      display_name: truncateText(user.displayName, NAME_MAX),
      email,
      email_verified_time: null,
      avatar_url: '',
      role: user.role,
      status: user.enabled ? 'enabled' : 'disabled',
      group_symbol: symbolOf(user.group),
      aff_code: await chooseInviteCode(run, user),
      inviter_id: null,
      role_since: now,
      low_balance_told: 1,
      created_time: user.createdTime || now,
      last_login_time: user.lastLoginTime,
      last_login_ip: user.lastLoginIp.slice(0, 64),
      deleted_time: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await moves.importAccount({
    userId: id,
    ref: `${map.source}:${user.id}`,
    balance: clampCount(run, 'balance', user.balance, -BALANCE_MAX, username),
    used: clampCount(run, 'used quota', user.used, 0n, username),
    requests: clampCount(run, 'number of requests', user.requests, 0n, username),
    note: 'Opening balance',
  });
  return id;
}

/** Returns the source's id if it is free here. */
async function chooseId({ trx, report }: ImportRun, sourceId: string): Promise<{ id?: number }> {
  const id = parseId(sourceId);
  if (id === undefined) return {};
  const holder = await trx.selectFrom('user_account').select('user_id').where('user_id', '=', id).executeTakeFirst();
  if (holder === undefined) return { id };
  report.remark('user', 'the ID is already taken; gets another one', sourceId);
  return {};
}

/** Advances the sequence of PostgreSQL past the imported ids, so that later users do not get them. */
async function advanceIdSequence({ trx, target }: ImportRun): Promise<void> {
  if (target.db.engine.kind === 'sqlite') return;
  await sql`select setval(given, greatest(max(id), pg_sequence_last_value(given)))
    from "user", cast(pg_get_serial_sequence('"user"', 'id') as regclass) as given group by given`.execute(trx);
}

/** Returns the name without characters that are not allowed here; with the id if it is too short or taken. */
async function chooseUsername({ trx, report }: ImportRun, user: SourceUser): Promise<string> {
  const { username } = user;
  const names = listNameCandidates(user);
  const withId = names.at(-1) ?? '';
  for (let number = 2; ; number += 1) {
    const name = names.shift() ?? `${withId.slice(0, NAME_MAX - 5)}-${number}`;
    if ((await findUserByUsername(trx, name)) !== undefined) continue;
    if (name !== username)
      report.remark('user', 'the name is already taken or not allowed; signs in as', `${username} → ${name}`);
    return name;
  }
}

/** Returns the candidate names in the order in which they are tried; the last one contains the id. */
export function listNameCandidates({ username, id }: SourceUser): string[] {
  const plain = truncateText(username.replaceAll(/[@\s\p{Cc}\p{Cf}\p{Cs}]+/gu, '-'), NAME_MAX);
  const tail = id.replaceAll(/[^a-z0-9]/gi, '').slice(0, 12);
  const withId = `${truncateText(plain, NAME_MAX - 1 - tail.length) || 'user'}-${tail}`;
  return usernameSchema.safeParse(plain).success ? [plain, withId] : [withId];
}

/** Truncates a text without splitting a character. */
const truncateText = (text: string, length: number): string => text.slice(0, length).replaceAll(/\p{Cs}/gu, '');

async function chooseInviteCode({ trx, report }: ImportRun, { affCode, username }: SourceUser): Promise<string | null> {
  if (affCode === '' || affCode.length > 64) return null;
  const holder = await trx.selectFrom('user').select('id').where('aff_code', '=', affCode).executeTakeFirst();
  if (holder === undefined) return affCode;
  report.remark('user', 'the invitation code is already taken; gets another one', username);
  return null;
}

function clampCount({ report }: ImportRun, what: string, value: bigint, least: bigint, username: string): number {
  const cut = value < least ? least : value > BALANCE_MAX ? BALANCE_MAX : value;
  if (cut !== value) report.remark('user', `the ${what} is limited to the supported range`, `${username} (${value})`);
  return Number(cut);
}

async function writeInviter({ trx, map }: ImportRun, user: SourceUser, id: number): Promise<void> {
  const inviter = map.find('user', user.inviterId);
  if (inviter === undefined || inviter === id) return;
  await trx.updateTable('user').set({ inviter_id: inviter }).where('id', '=', id).execute();
}

/** Links an identity. If two users claim it, the first one keeps it. */
async function writeIdentity(
  { trx, report, now }: ImportRun,
  userId: number,
  identity: SourceUser['identities'][number],
  username: string,
): Promise<void> {
  report.count('identity', 'read');
  const { numInsertedOrUpdatedRows: inserted } = await trx
    .insertInto('identity')
    .values({ ...identity, user_id: userId, label: '', created_time: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow();
  if (inserted === 1n) report.count('identity', 'new');
  else report.skip('identity', `another user has this ${identity.provider} account`, username);
}

async function compareBalance({ trx, report }: ImportRun, user: SourceUser, id: number): Promise<void> {
  const { balance } = await trx
    .selectFrom('user_account')
    .select('balance')
    .where('user_id', '=', id)
    .executeTakeFirstOrThrow();
  report.sourceBalance += user.balance;
  report.targetBalance += BigInt(balance);
  if (BigInt(balance) !== user.balance)
    report.differences.push(`user ${user.id} (${user.username}): ${user.balance} in the source, ${balance} here`);
}
