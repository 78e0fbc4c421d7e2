/** A token of One API's family, with what its products limit it by. */
import type { SourceKey } from './installation.ts';
import type { Report } from './report.ts';
import {
  isTrue,
  listIn,
  momentIn,
  namesIn,
  numberIn,
  objectIn,
  type Row,
  textIn,
  wholeIn,
} from './row-values.ts';

const ENABLED = 1n;
const EXPIRED = 3n;
const EXHAUSTED = 4n;
const NEVER = -1;
/** New API's word for the first group that serves. */
const ANY_GROUP = 'auto';

/** Undefined where its text can be none. */
export function keyOf(row: Row, report: Report): SourceKey | undefined {
  const text = textIn(row['key']).replace(/^sk-/, '');
  const id = textIn(row['id']);
  if (!/^[\w.~+/=-]{16,200}$/.test(text)) {
    report.count('key', 'read');
    report.skip('key', 'its key has an unsupported format', id);
    return undefined;
  }
  const status = wholeIn(row['status']);
  const remaining = wholeIn(row['remain_quota']) ?? 0n;
  const unlimited = isTrue(row['unlimited_quota']);
  const expiredTime = expiryOf(row['expired_time']);
  // What the products noted by themselves follows from time and quota; where it does not, it was refused all the same.
  const isOut =
    (status === EXPIRED && expiredTime !== NEVER) || (status === EXHAUSTED && !unlimited && remaining <= 0n);
  const group = textIn(row['group'] ?? '');
  if (group === ANY_GROUP) report.remark('key', 'the group auto is replaced by the owner’s group', id);
  return {
    id,
    userId: textIn(row['user_id']),
    name: textIn(row['name']),
    secret: { text: `sk-${text}` },
    enabled: status === ENABLED || isOut,
    createdTime: momentIn(row['created_time']),
    accessedTime: momentIn(row['accessed_time']),
    expiredTime,
    remaining,
    unlimited,
    used: wholeIn(row['used_quota']) ?? 0n,
    group: group === ANY_GROUP ? '' : group,
    backupGroup: textIn(row['backup_group'] ?? ''),
    ...limitsOf(row),
    requestsPerMinute: 0,
    tokensPerMinute: 0,
  };
}

/** Only -1 is never: what nobody can read has expired, as it has there, and as what is before all moments. */
function expiryOf(value: unknown): number {
  return wholeIn(value) === -1n ? NEVER : Math.max(1, momentIn(value));
}

function limitsOf(row: Row): Pick<SourceKey, 'models' | 'addresses' | 'heartbeatSeconds'> {
  const setting = objectIn(row['setting']);
  const limits = objectIn(setting['limits']);
  const byModel = objectIn(limits['limit_model_setting']);
  const byAddress = objectIn(limits['limits_ip_setting']);
  const heartbeat = objectIn(setting['heartbeat']);
  const names = (value: unknown): string[] => listIn(value).map((name) => textIn(name));
  return {
    models: isTrue(byModel['enabled'] ?? false)
      ? names(byModel['models'])
      : isTrue(row['model_limits_enabled'] ?? false)
        ? namesIn(row['model_limits'])
        : someOf(namesIn(row['models'])),
    addresses: isTrue(byAddress['enabled'] ?? false)
      ? names(byAddress['whitelist'])
      : someOf(namesIn(row['allow_ips'] ?? row['subnet'] ?? '')),
    heartbeatSeconds: isTrue(heartbeat['enabled'] ?? false)
      ? Math.min(90, Math.max(30, numberIn(heartbeat['timeout_seconds'], 30)))
      : undefined,
  };
}

/** An empty list limits nothing there. */
function someOf(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names;
}
