/** Reads a token of One API's family with its limits. */

import type { ImportReport } from './report.ts';
import {
  isInvalidJson,
  type Row,
  readBoolean,
  readInteger,
  readList,
  readNames,
  readNumber,
  readObject,
  readText,
  readTime,
} from './row-values.ts';
import type { SourceKey } from './source-installation.ts';

const ENABLED = 1n;
const EXPIRED = 3n;
const EXHAUSTED = 4n;
const NEVER = -1;
/** New API's name for the first group with a channel. */
const ANY_GROUP = 'auto';

/** Returns the key; undefined if its text has an unsupported format. */
export function readKey(row: Row, report: ImportReport): SourceKey | undefined {
  const text = readText(row['key']).replace(/^sk-/, '');
  const id = readText(row['id']);
  if (!/^[\w.~+/=-]{16,200}$/.test(text)) {
    report.count('key', 'read');
    report.skip('key', 'its key has an unsupported format', id);
    return undefined;
  }
  const status = readInteger(row['status']);
  const remaining = readInteger(row['remain_quota']) ?? 0n;
  const unlimited = readBoolean(row['unlimited_quota']);
  const expiredTime = readExpiry(row['expired_time']);
  // The automatic states follow from time and quota. Any other key with such a state was rejected there, too.
  const isOut =
    (status === EXPIRED && expiredTime !== NEVER) || (status === EXHAUSTED && !unlimited && remaining <= 0n);
  const setting = readText(row['setting'] ?? '');
  const isReadable = setting === 'null' || !isInvalidJson(setting);
  if (!isReadable) report.remark('key', 'its limits cannot be read; the token is disabled', id);
  const group = readText(row['group'] ?? '');
  if (group === ANY_GROUP) report.remark('key', 'the group auto is replaced by the owner’s group', id);
  return {
    id,
    userId: readText(row['user_id']),
    name: readText(row['name']),
    secret: { text: `sk-${text}` },
    enabled: isReadable && (status === ENABLED || isOut),
    createdTime: readTime(row['created_time']),
    accessedTime: readTime(row['accessed_time']),
    expiredTime,
    remaining,
    unlimited,
    used: readInteger(row['used_quota']) ?? 0n,
    group: group === ANY_GROUP ? '' : group,
    backupGroup: readText(row['backup_group'] ?? ''),
    ...readLimits(row),
    requestsPerMinute: 0,
    tokensPerMinute: 0,
    concurrency: 0,
  };
}

/** Returns the expiry. Only -1 is unlimited; an unreadable or negative value has expired, as in the source. */
function readExpiry(value: unknown): number {
  return readInteger(value) === -1n ? NEVER : Math.max(1, readTime(value));
}

function readLimits(row: Row): Pick<SourceKey, 'models' | 'addresses' | 'heartbeatSeconds'> {
  const setting = readObject(row['setting']);
  const limits = readObject(setting['limits']);
  const byModel = readObject(limits['limit_model_setting']);
  const byAddress = readObject(limits['limits_ip_setting']);
  const heartbeat = readObject(setting['heartbeat']);
  const names = (value: unknown): string[] => readList(value).map((name) => readText(name));
  return {
    models: readBoolean(byModel['enabled'] ?? false)
      ? names(byModel['models'])
      : readBoolean(row['model_limits_enabled'] ?? false)
        ? readNames(row['model_limits'])
        : readNamesOrAll(row['models']),
    addresses: readBoolean(byAddress['enabled'] ?? false)
      ? names(byAddress['whitelist'])
      : readNamesOrAll(row['allow_ips'] ?? row['subnet']),
    heartbeatSeconds: readBoolean(heartbeat['enabled'] ?? false)
      ? Math.min(90, Math.max(30, readNumber(heartbeat['timeout_seconds'], 30)))
      : undefined,
  };
}

/** Returns undefined for an empty text, which the source treats as no limit. A text without names allows nothing. */
function readNamesOrAll(value: unknown): readonly string[] | undefined {
  return readText(value) === '' ? undefined : readNames(value);
}
