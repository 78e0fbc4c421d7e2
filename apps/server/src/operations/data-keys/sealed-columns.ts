import { type RawBuilder, sql } from 'kysely';
import type { Purpose } from '../../platform/secrets/vault.ts';

export interface SealedColumn {
  table: string;
  column: string;
  purpose: Purpose;
  /** Column whose value tells rows apart; a row's name is `named:<value>`. */
  key: string;
  named: string;
  /** Condition for the sealed texts of the column; absent: all that are not empty. */
  where?: RawBuilder<boolean>;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-';

/** Every place where sealed texts are stored. A test compares it with the tables. */
export const sealedColumns: readonly SealedColumn[] = [
  { table: 'channel', column: 'key_sealed', purpose: 'channel-key', key: 'id', named: 'channel' },
  { table: 'channel', column: 'headers_sealed', purpose: 'channel-header', key: 'id', named: 'channel' },
  { table: 'channel', column: 'proxy_sealed', purpose: 'channel-proxy', key: 'id', named: 'channel' },
  { table: 'api_key', column: 'key_sealed', purpose: 'api-key', key: 'id', named: 'api_key' },
  { table: 'one_time', column: 'data_sealed', purpose: 'one-time', key: 'value_hash', named: 'one_time' },
  { table: 'totp', column: 'secret_sealed', purpose: 'totp', key: 'user_id', named: 'totp' },
  { table: 'mail', column: 'values_sealed', purpose: 'mail', key: 'id', named: 'mail' },
  { table: 'processor', column: 'secrets_sealed', purpose: 'processor', key: 'id', named: 'processor' },
  { table: 'destination', column: 'config_sealed', purpose: 'destination', key: 'id', named: 'destination' },
  { table: 'safety_rule', column: 'secret_sealed', purpose: 'safety-rule', key: 'id', named: 'safety_rule' },
  {
    table: 'redemption_code',
    column: 'code_sealed',
    purpose: 'redemption-code',
    key: 'code_hash',
    named: 'redemption_code',
  },
  { table: 'audit_head', column: 'head_sealed', purpose: 'audit-head', key: 'id', named: 'audit_head' },
  {
    table: 'telegram_webhook',
    column: 'secret_sealed',
    purpose: 'telegram-webhook',
    key: 'bot',
    named: 'telegram_webhook',
  },
  {
    table: 'setting',
    column: 'value',
    purpose: 'setting',
    key: 'name',
    named: 'setting',
    // Most settings are no secrets, and could begin like one: a sealed text is long and of one alphabet.
    where: sql<boolean>`substr(value, 1, 3) in ('v1.', 'v2.') and length(value) > 40 and trim(value, ${ALPHABET}) = ''`,
  },
];
