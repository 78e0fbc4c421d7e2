import { channelEdits, FILE_FORMAT, type ImportedItem } from '@switchyard/contract/channels/bulk-edits-and-import';
import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import { type Channel, channels, createChannel } from '@switchyard/contract/channels/channels';
import { channelStatus } from '@switchyard/contract/wire-enums';
import { findProvider } from '@switchyard/relay';
import { z } from 'zod';
import { joinKeys, splitKeys } from '../../channels/registry/registry.ts';
import { channelSecretsSchema, type FileChannel, fileChannelSchema } from './file-schema.ts';
import { createPlaceholderResolver, type PlaceholderSources } from './placeholders.ts';
import {
  type Api,
  type FieldPath,
  formatAdded,
  formatChanged,
  formatPath,
  formatRemoved,
  type Plan,
  type PlanStep,
  readAllPages,
} from './plan-types-and-formatting.ts';
import type { ParsedConfigFile } from './read-file.ts';

/** Maximum deletions in one call of the server. */
const REMOVED_PER_CALL = 1_000;
/** Fields that are never printed, not even their ends. */
const secretFields: ReadonlySet<string> = new Set(['key', 'model_headers', 'proxy']);

export interface ChannelPlanInput extends PlaceholderSources {
  file: Pick<ParsedConfigFile, 'locate'>;
  wanted: readonly FileChannel[];
  deletesMissing: boolean;
  /** Groups that an earlier step of the plan creates, unknown to the server yet. */
  newGroups: ReadonlySet<string>;
}

/** @throws with a line for each channel that the server or a placeholder rejects */
export async function planChannels(api: Api, input: ChannelPlanInput): Promise<Plan> {
  const { file, wanted, deletesMissing, newGroups } = input;
  const stored = await listChannels(api);
  const byName = new Map(stored.map((channel) => [channel.name, channel]));
  const resolve = createPlaceholderResolver(input);
  const rows = wanted.map((channel, at) => buildImportBody(channel, byName.get(channel.name), at, { file, resolve }));
  throwErrors(rows.flatMap(({ errors }) => errors));
  const bodies = rows.map(({ body }) => body);
  const ask = (asked: readonly ImportBody[]): Promise<ImportedItem[]> =>
    importRows(
      api,
      asked.map((body) => replaceNewGroups(body, newGroups)),
      true,
    );
  const several = new Set((await ask(bodies)).filter(hasOtherKeys).map(({ index }) => index));
  const sent = bodies.map((body, at) => (several.has(at) ? { ...body, key: splitKeys(body.key)[0] } : body));
  const items = await ask(sent);
  throwItemErrors(items, file);
  const lines = items.flatMap((item) => {
    const [body, known] = [sent[item.index], byName.get(item.name)];
    return body === undefined ? [] : describeChanges(item, body, known, several.has(item.index), newGroups);
  });
  const run = async (): Promise<void> => {
    throwItemErrors(await importRows(api, sent, false), file);
    for (const at of several) await addKeys(api, bodies[at], byName);
  };
  const names = new Set(wanted.map(({ name }) => name));
  const left = stored.filter(({ name }) => deletesMissing && !names.has(name));
  return { steps: [...(lines.length > 0 ? [{ lines, run }] : []), ...planRemovals(api, left)], notes: [] };
}

const importedRow = createChannel.extend({ status: channelStatus.optional() });
type ImportBody = z.output<typeof importedRow>;

/** Returns the body of the import, with the secrets that the file only names. */
function buildImportBody(
  channel: FileChannel,
  known: Channel | undefined,
  index: number,
  { file, resolve }: Pick<ChannelPlanInput, 'file'> & { resolve: (text: string) => string },
): { body: ImportBody; errors: string[] } {
  const errors: string[] = [];
  const fill = (text: string, ...fieldPath: FieldPath): string => {
    try {
      return resolve(text);
    } catch (error) {
      errors.push(`${file.locate(['channels', index, ...fieldPath])}: ${error instanceof Error ? error.message : ''}`);
      return '';
    }
  };
  const { provider, status, key, model_headers: headers, proxy, ...form } = channel;
  const secrets = {
    key: joinKeys(splitKeys(fill(key, 'key'))),
    proxy: fill(proxy, 'proxy'),
    model_headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fill(value, 'model_headers', name)]),
    ),
  };
  const checked = channelSecretsSchema.safeParse(secrets);
  for (const { path } of checked.error?.issues ?? [])
    errors.push(`${file.locate(['channels', index, ...path])}: The value of its placeholder is invalid`);
  // The gateway enables auto-disabled channels again itself; the file does not change them.
  const isLeft = known?.status === 'auto-disabled' && status === 'enabled';
  return {
    errors,
    body: {
      ...form,
      ...secrets,
      type: findProvider(provider)?.channelType ?? 0,
      keys_as: 'one-channel',
      ...(isLeft ? {} : { status }),
    },
  };
}

/** Returns whether a channel has further keys. A key in the import replaces all; the others are then added. */
const hasOtherKeys = ({ refusals }: ImportedItem): boolean => refusals.some(({ rule }) => rule === 'one-line');

async function addKeys(api: Api, body: ImportBody | undefined, byName: ReadonlyMap<string, Channel>): Promise<void> {
  const known = body === undefined ? undefined : byName.get(body.name);
  if (body === undefined || known === undefined) return;
  const [, ...others] = splitKeys(body.key);
  await api(channelKeys).add({ params: { id: known.id }, body: { key: joinKeys(others) } });
}

function replaceNewGroups(body: ImportBody, newGroups: ReadonlySet<string>): ImportBody {
  const group = body.group.filter((symbol) => !newGroups.has(symbol));
  return { ...body, group: group.length === 0 ? ['default'] : group };
}

async function importRows(api: Api, rows: readonly ImportBody[], dryRun: boolean): Promise<ImportedItem[]> {
  if (rows.length === 0) return [];
  const written = rows.map((row) => z.encode(importedRow, row));
  const content = JSON.parse(JSON.stringify({ format: FILE_FORMAT, version: 1, channels: written }));
  const body = { content, source: 'switchyard' as const, dry_run: dryRun };
  return (await api(channelEdits).import({ body })).items;
}

function describeChanges(
  item: ImportedItem,
  body: ImportBody,
  known: Channel | undefined,
  hasSeveral: boolean,
  newGroups: ReadonlySet<string>,
): string[] {
  const fieldPath: FieldPath = ['channels', item.name];
  if (item.outcome === 'new' || known === undefined) return [formatAdded(fieldPath)];
  const isRegrouped = body.group.some((symbol) => newGroups.has(symbol));
  const regrouped = isRegrouped ? [formatChanged([...fieldPath, 'group'], known.group, body.group)] : [];
  const keyed = hasSeveral ? [`~ ${formatPath([...fieldPath, 'key'])}: changed`] : [];
  if (item.outcome === 'same') return [...regrouped, ...keyed];
  const changes = item.changes.flatMap(({ path, before, after }) => {
    if ((path === 'group' && isRegrouped) || (path === 'key' && hasSeveral)) return [];
    if (secretFields.has(path)) return [`~ ${formatPath([...fieldPath, path])}: changed`];
    return path === 'type' || Object.hasOwn(fileChannelSchema.shape, path)
      ? [formatChanged([...fieldPath, path === 'type' ? 'provider' : path], before, after)]
      : [];
  });
  const lines = [...regrouped, ...keyed, ...changes];
  // Two secrets with the same end look alike to a reader without access to secrets.
  return lines.length > 0 ? lines : [`~ ${formatPath(fieldPath)}: secret changed`];
}

function planRemovals(api: Api, left: readonly Channel[]): PlanStep[] {
  const steps: PlanStep[] = [];
  for (let at = 0; at < left.length; at += REMOVED_PER_CALL) {
    const some = left.slice(at, at + REMOVED_PER_CALL);
    steps.push({
      lines: some.map(({ name }) => formatRemoved(['channels', name])),
      run: async () => void (await api(channels).removeMany({ body: { ids: some.map(({ id }) => id) } })),
    });
  }
  return steps;
}

function throwItemErrors(items: readonly ImportedItem[], { locate }: Pick<ParsedConfigFile, 'locate'>): void {
  throwErrors(
    items.flatMap(({ index, refusals }) =>
      refusals.map(({ path, message }) => {
        const fieldPath = path === '' ? [] : path.split('.');
        return `${locate(['channels', index, ...fieldPath])}: ${message}`;
      }),
    ),
  );
}

function throwErrors(errors: readonly string[]): void {
  if (errors.length > 0) throw new Error(errors.join('\n'));
}

export function listChannels(api: Api): Promise<Channel[]> {
  return readAllPages<Channel>((query) => api(channels).list({ query }));
}
