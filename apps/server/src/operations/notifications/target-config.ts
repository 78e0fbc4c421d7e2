/** Configuration of a notification channel: all fields are sealed, and shown as hints. */
import { mailAddress } from '@switchyard/contract/operations/mail';
import {
  listTargetFields,
  type NotificationTargetField,
  type NotificationTargetType,
} from '@switchyard/contract/operations/notification-target-types';
import { z } from 'zod';
import { fieldError } from '../../platform/http/app-error.ts';
import { hintOrBullets, secretHint } from '../../platform/secrets/redact-secrets.ts';
import type { Vault } from '../../platform/secrets/vault.ts';
import { parseWebhookKey, type TargetConfig } from './send-notification.ts';

const pairs = z.record(z.string(), z.string());
const httpAddress = z.url({ protocol: /^https?$/ });

const buildSealName = (id: number): string => `destination:${id}`;

/** @throws when the row was sealed with another master key */
export function openConfig(vault: Vault, row: { id: number; config_sealed: string }): TargetConfig {
  return pairs.parse(JSON.parse(vault.open('destination', buildSealName(row.id), row.config_sealed)));
}

export function sealConfig(vault: Vault, id: number, config: TargetConfig): string {
  return vault.seal('destination', buildSealName(id), JSON.stringify(config));
}

/** Returns hints by which the owner recognizes each field. */
export function buildHints(type: NotificationTargetType, isOwn: boolean, config: TargetConfig) {
  const hints: Record<string, string> = {};
  for (const { name, kind } of listTargetFields(type, isOwn)) {
    const value = config[name] ?? '';
    if (value !== '') hints[name] = buildHint(kind, value);
  }
  return hints;
}

function buildHint(kind: NotificationTargetField['kind'], value: string): string {
  if (kind === 'text') return value;
  if (kind === 'secret') return hintOrBullets(value);
  const { origin, pathname, search } = new URL(value);
  const rest = `${pathname}${search}`;
  return rest === '/' ? origin : `${origin}/…${secretHint(rest)}`;
}

/**
 * Merges a form into the stored configuration; an empty field keeps its value. Secrets of one address are never sent
 * to another, so a new address requires them again.
 * @throws AppError that names a field that is unknown, missing or malformed
 */
export function mergeConfig(
  type: NotificationTargetType,
  isOwn: boolean,
  stored: TargetConfig,
  sent: TargetConfig,
): TargetConfig {
  const fields = listTargetFields(type, isOwn);
  const unknown = Object.keys(sent).find((name) => fields.every((field) => field.name !== name));
  if (unknown !== undefined) throw fieldError(`config.${unknown}`, 'unknown-field', `There is no field ${unknown}`);
  const address = sent['address'] ?? '';
  const isMoved = address !== '' && (stored['address'] ?? address) !== address;
  const merged: Record<string, string> = {};
  for (const field of fields) {
    const { name, required, usual = '' } = field;
    const known = stored[name] ?? '';
    const value = (sent[name] ?? '') || (isMoved ? '' : known) || usual;
    // Only the site has the field `chat`, and requires it.
    if (value === '' && (required || name === 'chat'))
      throw fieldError(`config.${name}`, known === '' ? 'required' : 'needed-again', 'This field is required');
    if (value === '') continue;
    checkForm(type, field, value);
    merged[name] = value;
  }
  return merged;
}

function checkForm(type: NotificationTargetType, { name, kind }: NotificationTargetField, value: string): void {
  const path = `config.${name}`;
  if (kind === 'address') {
    const url = httpAddress.safeParse(value).success ? new URL(value) : undefined;
    if (url === undefined || url.username !== '' || url.password !== '')
      throw fieldError(path, 'invalid_format', 'Enter a URL such as https://example.com', 'invalid-input', {
        expected: 'url',
      });
  }
  if (type === 'mail' && !mailAddress.safeParse(value).success)
    throw fieldError(path, 'invalid_format', 'This is not a valid email address', 'invalid-input', {
      expected: 'email',
    });
  if (type === 'webhook' && name === 'secret' && parseWebhookKey(value) === undefined)
    throw fieldError(path, 'invalid_format', 'Enter whsec_ followed by 24 to 64 bytes as base64');
}
