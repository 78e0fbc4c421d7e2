/** Imports a channel of another installation unchanged, whether or not its vendor can be reached from here. */
import { createChannel } from '@switchyard/contract/channels/channels';
import type { Transaction } from 'kysely';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import type { Schema } from '../../schema.ts';
import { mergeSecrets, noSecrets } from '../registry/channel-secrets.ts';
import { checkForm, checkKey, getProviderByType } from '../registry/check-channel-form.ts';
import { splitKeys, splitSecrets } from '../registry/parse-key-lines.ts';
import { insertChannel } from '../registry/plan-channel-update.ts';
import { readLegacyRow } from './foreign-channel-rows.ts';
import type { LegacySource } from './foreign-channel-types.ts';

export type ImportedChannel =
  | { id: number; name: string; leftOut: readonly string[]; clamped: readonly ClampedField[] }
  /** Reason why it cannot become a channel. */
  | { id: undefined; name: string; refusal: string };

/** Number outside the range here, and the nearest one that replaces it. */
interface ClampedField {
  field: 'priority' | 'weight';
  from: number;
  to: number;
}

const ENABLED = 1;
const PRIORITY_MAX = 1_000_000;
const NAME_MAX = 64;

/** Accepts any address: it is checked on each call, where a private one needs `OUTBOUND_ALLOW`. */
const acceptAnyAddress = { address: async () => {} };

/**
 * @param row row of the other installation's table, without null values
 * @param groups symbols of the groups here
 */
export async function importChannelRow(
  ctx: Pick<Context, 'vault' | 'clock'>,
  trx: Transaction<Schema>,
  row: Readonly<Record<string, unknown>>,
  { source, groups }: { source: LegacySource; groups: readonly string[] },
): Promise<ImportedChannel> {
  const { form, leftOut } = readLegacyRow(row, source);
  const { status, ...fields } = form;
  const name = chooseName(fields['name'], row['id']);
  try {
    if (fields['type'] === undefined)
      throw new AppError('invalid-input', `its provider (type ${String(row['type'])}) is not supported`);
    const priority = clampNumber(fields['priority'], 0);
    const weight = clampNumber(fields['weight'], 1);
    const parsed = createChannel.safeParse({
      ...fields,
      name,
      group: groups,
      priority,
      weight,
      keys_as: 'one-channel',
    });
    if (!parsed.success) throw new AppError('invalid-input', formatIssues(parsed.error.issues));
    const input = parsed.data;
    const provider = getProviderByType(input.type);
    await checkForm(acceptAnyAddress, provider, input);
    for (const key of splitKeys(input.key)) checkKey(provider, key);
    const secrets = { ...mergeSecrets(noSecrets, input), key: splitSecrets(input)[0] ?? '' };
    const id = await insertChannel(ctx, trx, provider, input, secrets, status === ENABLED ? 'enabled' : 'disabled');
    const clamped = [listClamped('priority', fields, priority), listClamped('weight', fields, weight)].flat();
    return { id, name, leftOut, clamped };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { id: undefined, name, refusal: error.message };
  }
}

function chooseName(name: unknown, id: unknown): string {
  const text = typeof name === 'string' ? name.trim() : '';
  return (text === '' ? `channel-${String(id)}` : text).slice(0, NAME_MAX);
}

/** Clamps a number to the range here: other gateways allow any number. Numbers outside the range become equal. */
function clampNumber(value: unknown, least: number): number {
  const number = typeof value === 'number' && Number.isFinite(value) ? Math.trunc(value) : least;
  return Math.min(Math.max(number, least), PRIORITY_MAX);
}

function listClamped(
  field: ClampedField['field'],
  fields: Readonly<Record<string, unknown>>,
  to: number,
): ClampedField[] {
  const from = fields[field];
  return typeof from === 'number' && from !== to ? [{ field, from, to }] : [];
}

/** Formats rules only, never values, which may be secrets. */
function formatIssues(issues: readonly { path: readonly PropertyKey[]; message: string }[]): string {
  return issues
    .slice(0, 5)
    .map(({ path, message }) => `${path.map(String).join('.')}: ${message}`)
    .join('; ');
}
