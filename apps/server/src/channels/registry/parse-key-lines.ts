/** Parses a channel's secret: one key, or several on separate lines. */
import type { CreateChannel } from '@switchyard/contract/channels/channels';
import { isObject, parseJson } from '@switchyard/relay/json';
import { tooManyEntries } from '../../platform/http/app-error.ts';
import type { Vault } from '../../platform/secrets/vault.ts';

/** Bounded, because each request scans the keys. */
const KEYS_MAX = 500;
const ID_LENGTH = 16;

/**
 * Returns the keys in a secret: at least one, which is empty for an empty secret. A JSON object, such as a service
 * account, counts as one key on any number of lines.
 */
export function splitKeys(secret: string): readonly [string, ...string[]] {
  // Parsing thousands of plain keys would cost more than decrypting them.
  if (secret.trimStart().startsWith('{') && isObject(parseJson(secret))) return [secret.trim()];
  const [first = '', ...others] = new Set(
    secret
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
  );
  return [first, ...others];
}

/** Returns the secret that contains these keys. */
export function joinKeys(keys: readonly string[]): string {
  return keys.length === 1 ? (keys[0] ?? '') : keys.map(toSingleLine).join('\n');
}

/**
 * Returns the secrets of the channels to create: one with all keys, or one for each key.
 * @throws AppError for the field `key`
 */
export function splitSecrets({ key, keys_as }: Pick<CreateChannel, 'key' | 'keys_as'>): readonly string[] {
  const keys = splitKeys(key);
  if (keys_as === 'channels') return keys;
  checkKeyCount(keys);
  return [joinKeys(keys)];
}

/** @throws AppError for the field `key` */
export function checkKeyCount(keys: readonly string[]): void {
  if (keys.length > KEYS_MAX)
    throw tooManyEntries('key', KEYS_MAX, `A channel can have at most ${KEYS_MAX} keys, not ${keys.length}`);
}

/**
 * Derives the id of a channel's key. Without the vault it reveals neither the key nor that another channel has it.
 */
export function deriveKeyId(vault: Vault, channelId: number, key: string): string {
  return vault.fingerprint(`channel-key ${channelId} ${toSingleLine(key)}`).slice(0, ID_LENGTH);
}

function toSingleLine(key: string): string {
  return key.includes('\n') ? JSON.stringify(parseJson(key)) : key;
}
