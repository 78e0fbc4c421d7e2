/** Detects by users and tokens whether the source is the installation that its name identifies. */
import type { ImportRun } from './import-run-and-map.ts';
import type { Installation, SourceKey, SourceUser } from './source-installation.ts';
import { fingerprintKey } from './write-keys.ts';
import { listNameCandidates } from './write-users.ts';

/** Number of users, and of tokens, that are compared. */
const COMPARED_MAX = 500;

/** @throws if the name belongs to another installation, or the installation was imported under another name */
export async function requireSameInstallation(run: ImportRun, { users, keys }: Installation): Promise<void> {
  await rejectOtherInstallation(run, users);
  await rejectOtherName(run, users, keys);
}

/**
 * Rejects another installation under a known name. Ids are unique only within an installation, so users of two would
 * get each other's tokens.
 * @throws if most users of the source with imported ids are different users here
 */
async function rejectOtherInstallation(run: ImportRun, users: readonly SourceUser[]): Promise<void> {
  const { map } = run;
  let same = 0;
  let others = 0;
  const known = listCompared(users, ({ id }) => map.find('user', id) !== undefined);
  for (const user of known) {
    const here = await findUser(run, map.find('user', user.id));
    if (here === undefined) continue;
    const isSame =
      listNameCandidates(user).some((name) => here.username.toLowerCase() === name.toLowerCase()) ||
      (user.email !== '' && here.email === user.email) ||
      hasSameSecret(user, here);
    if (isSame) same += 1;
    else others += 1;
  }
  if (others > 0 && others >= same)
    throw new Error(
      `Most users that were imported from “${map.source}” before are different users in this source. If it is another installation, give it its own --name.`,
    );
}

/**
 * Rejects an installation that was imported under another name, or as another product. All its users would be new, and
 * their balances would be credited a second time.
 * @throws if another run imported most of the new users or of the new tokens
 */
async function rejectOtherName(
  run: ImportRun,
  users: readonly SourceUser[],
  keys: readonly SourceKey[],
): Promise<void> {
  const { trx, map } = run;
  const newUsers = listCompared(users, ({ id }) => map.find('user', id) === undefined);
  const newKeys = keys.filter(({ id }) => map.find('key', id) === undefined).slice(0, COMPARED_MAX);
  const imported = trx.selectFrom('import_map').select(['source', 'target_id']).where('source', '<>', map.source);
  const names: string[] = [];
  let sameUsers = 0;
  for (const user of newUsers) {
    const rows = await imported.where('kind', '=', 'user').where('source_id', '=', user.id).execute();
    for (const { source, target_id } of rows) {
      const here = await findUser(run, target_id);
      if (here === undefined || !hasSameSecret(user, here)) continue;
      sameUsers += 1;
      names.push(source);
      break;
    }
  }
  let sameKeys = 0;
  for (const key of newKeys) {
    const row = await imported
      .innerJoin('api_key', 'api_key.id', 'import_map.target_id')
      .where('kind', '=', 'key')
      .where('key_hash', '=', fingerprintKey(run.target, key))
      .executeTakeFirst();
    if (row === undefined) continue;
    sameKeys += 1;
    names.push(row.source);
  }
  if (sameUsers * 2 <= newUsers.length && sameKeys * 2 <= newKeys.length) return;
  throw new Error(
    `This installation was imported as “${names[0]}” before, and its balances would be credited again. To import what is new there, use --name ${names[0]}.`,
  );
}

/** Lists users to compare. The root users of all installations are similar. */
function listCompared(users: readonly SourceUser[], isCompared: (user: SourceUser) => boolean): SourceUser[] {
  return users.filter((user) => user.role !== 'root' && isCompared(user)).slice(0, COMPARED_MAX);
}

function findUser({ trx }: ImportRun, id = 0) {
  return trx
    .selectFrom('user')
    .select(['username', 'email', 'aff_code', 'password_hash'])
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .executeTakeFirst();
}

/** Returns whether both have the same random text. */
function hasSameSecret(user: SourceUser, here: { aff_code: string | null; password_hash: string }): boolean {
  return (
    (user.affCode !== '' && here.aff_code === user.affCode) ||
    (user.passwordHash !== '' && here.password_hash === user.passwordHash)
  );
}
