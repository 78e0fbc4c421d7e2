import type { ChannelChange } from '@switchyard/contract/channels/channel-edits';
import { type Channel, updateChannel } from '@switchyard/contract/channels/channels';
import { AppError } from '../../platform/http/app-error.ts';
import type { UpdateChannel } from '../registry/plan-update.ts';

/**
 * Expands a bulk change into the update of one channel: the form's fields as they are to be, unchanged secrets as
 * masks.
 * @throws AppError when the result breaks a rule of the form, for instance with no model left
 */
export function expandChange(channel: Channel, change: ChannelChange): UpdateChannel {
  const { models, group, lacks, options, model_mapping, model_headers, cost, deadlines, ...plain } = change;
  const { request_changes, priorities, ...fields } = plain;
  const priority = priorities?.[channel.id];
  const expanded = {
    id: channel.id,
    ...fields,
    ...(priority !== undefined && { priority }),
    ...(models && { models: listAfter(channel.models, models) }),
    ...(group && { group: listAfter(channel.group, group) }),
    ...(lacks && { lacks: listAfter(channel.lacks, lacks) }),
    ...(options && { options: pairsAfter(channel.options, options) }),
    ...(model_mapping && { model_mapping: pairsAfter(channel.model_mapping, model_mapping) }),
    ...(model_headers && { model_headers: pairsAfter(channel.model_headers, model_headers, lowerCase) }),
    ...(cost && { cost: { ...channel.cost, ...cost } }),
    ...(deadlines && { deadlines: { ...channel.deadlines, ...deadlines } }),
    ...(request_changes && { request_changes: { ...channel.request_changes, ...request_changes } }),
  };
  const { status, ...form } = expanded;
  const parsed = updateChannel.safeParse(form);
  if (parsed.success) return { ...parsed.data, status };
  throw new AppError(
    'invalid-input',
    parsed.error.issues[0]?.message ?? 'The change is not valid for this channel',
    {
      fields: parsed.error.issues.map(({ path, code, message }) => ({
        path: path.join('.'),
        rule: code,
        message,
      })),
    },
  );
}

interface ListChange<T> {
  replace?: T[] | undefined;
  add?: T[] | undefined;
  remove?: T[] | undefined;
}

function listAfter<T>(list: readonly T[], { replace, add = [], remove = [] }: ListChange<T>): T[] {
  const gone = new Set(remove);
  return [...new Set([...(replace ?? list), ...add])].filter((item) => !gone.has(item));
}

interface PairsChange {
  replace?: Record<string, string> | undefined;
  set?: Record<string, string> | undefined;
  remove?: string[] | undefined;
}

const asItIs = (name: string): string => name;
const lowerCase = (name: string): string => name.toLowerCase();

/** @param same what two names have in common that mean one entry; headers differ in nothing by their case */
function pairsAfter(
  pairs: Readonly<Record<string, string>>,
  { replace, set = {}, remove = [] }: PairsChange,
  same: (name: string) => string = asItIs,
): Record<string, string> {
  const after = new Map<string, readonly [string, string]>();
  for (const [name, value] of [...Object.entries(replace ?? pairs), ...Object.entries(set)])
    after.set(same(name), [name, value]);
  for (const name of remove) after.delete(same(name));
  return Object.fromEntries(after.values());
}
