/** Imports tokens, which clients continue to use with the same text. */
import { type ApiKeySetting, apiKeySetting } from '@switchyard/contract/accounts/api-keys';
import { buildKeyColumns, formatKeyPlaceholder, sealKeyText } from '../../accounts/api-keys/api-keys.ts';
import { RATIO_ONE } from '../../ledger/ledger.ts';
import type { ImportRun, ImportTarget } from './import-run-and-map.ts';
import type { SourceKey } from './source-installation.ts';
import type { MapSymbol } from './write-groups.ts';

const REMAINING_MAX = 1_000_000_000_000_000n;
const { shape: limitsShape } = apiKeySetting.shape.limits.unwrap();
const modelName = limitsShape.limit_model_setting.shape.models.element;
const address = limitsShape.limits_ip_setting.shape.whitelist.element;
const MODELS_MAX = 500;
const ADDRESSES_MAX = 200;

export async function writeKeys(run: ImportRun, keys: readonly SourceKey[], symbolOf: MapSymbol): Promise<void> {
  const { map, report } = run;
  for (const key of keys) {
    report.count('key', 'read');
    const which = `${key.id} (${key.name})`;
    const userId = map.find('user', key.userId);
    if (map.find('key', key.id) !== undefined) report.count('key', 'known');
    else if (userId === undefined) report.skip('key', 'its user was not imported', which);
    else {
      const id = await writeKey(run, key, userId, symbolOf);
      if (id === undefined) report.skip('key', 'another token has the same key', which);
      else {
        await map.record('key', key.id, id);
        report.count('key', 'new');
      }
    }
  }
}

async function writeKey(
  run: ImportRun,
  key: SourceKey,
  userId: number,
  symbolOf: MapSymbol,
): Promise<number | undefined> {
  const { trx, moves, target, now } = run;
  const columns =
    'text' in key.secret
      ? buildKeyColumns(target, key.secret.text)
      : { key_hash: fingerprintKey(target, key), key_hint: '…' };
  const row = await trx
    .insertInto('api_key')
    .values({
      user_id: userId,
      name: key.name.slice(0, 30) || `token-${key.id}`.slice(0, 30),
      ...columns,
      key_sealed: '',
      status: key.enabled ? 'enabled' : 'disabled',
      created_time: key.createdTime || now,
      accessed_time: key.accessedTime,
      expired_time: key.expiredTime,
      unlimited_quota: Number(key.unlimited),
      group_symbol: key.group === '' ? '' : symbolOf(key.group),
      backup_group: key.backupGroup === '' ? '' : symbolOf(key.backupGroup),
      api_rate: Math.min(key.requestsPerMinute, 100_000),
      ratio_micros: RATIO_ONE,
      setting: JSON.stringify(buildKeySetting(run, key)),
      deleted_time: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row === undefined) return undefined;
  if ('text' in key.secret)
    await trx
      .updateTable('api_key')
      .set({ key_sealed: await sealKeyText(trx, target, row.id, key.secret.text) })
      .where('id', '=', row.id)
      .execute();
  await moves.openKeyAccount(
    row.id,
    userId,
    clampRemaining(run, key, key.remaining),
    clampRemaining(run, key, key.used),
  );
  return row.id;
}

/** Returns the keyed hash under which the key is stored here. */
export function fingerprintKey({ vault }: Pick<ImportTarget, 'vault'>, { secret }: SourceKey): string {
  return vault.fingerprint('text' in secret ? secret.text : formatKeyPlaceholder(secret.sha256));
}

function clampRemaining({ report }: ImportRun, { id, name }: SourceKey, value: bigint): number {
  const within = value > REMAINING_MAX ? REMAINING_MAX : value < -REMAINING_MAX ? -REMAINING_MAX : value;
  if (within !== value) report.remark('key', 'the quota is limited to the supported range', `${id} (${name})`);
  return Number(within);
}

/** Converts a key's restrictions. Leaves out values that can't be expressed here, which only narrows a list. */
function buildKeySetting({ report }: ImportRun, key: SourceKey): ApiKeySetting {
  const which = `${key.id} (${key.name})`;
  const usable = <T>(values: readonly T[], fits: (value: T) => boolean, most: number): T[] => {
    const some = values.filter(fits).slice(0, most);
    if (some.length < values.length) report.remark('key', 'some of the models or addresses are omitted', which);
    return some;
  };
  return apiKeySetting.parse({
    ...(key.heartbeatSeconds === undefined
      ? {}
      : { heartbeat: { enabled: true, timeout_seconds: key.heartbeatSeconds } }),
    limits: {
      limit_model_setting: {
        enabled: key.models !== undefined,
        models: usable(key.models ?? [], (name) => modelName.safeParse(name).success, MODELS_MAX),
      },
      limits_ip_setting: {
        enabled: key.addresses !== undefined,
        whitelist: usable(key.addresses ?? [], (text) => address.safeParse(text).success, ADDRESSES_MAX),
      },
      concurrency: Math.min(key.concurrency, 100_000),
      tokens_per_minute: Math.min(key.tokensPerMinute, 1_000_000_000),
      ...(key.budgets === undefined ? {} : { budgets: key.budgets }),
    },
  });
}
