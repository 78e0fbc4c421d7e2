import { channelEdits, FILE_FORMAT, type ImportedItem } from '@switchyard/contract/channels/channel-edits';
import { channelKeys } from '@switchyard/contract/channels/channel-keys';
import { type Channel, channels, createChannel } from '@switchyard/contract/channels/channels';
import { channelStatus } from '@switchyard/contract/codes';
import { findProvider } from '@switchyard/relay';
import { z } from 'zod';
import { joinKeys, keysOf } from '../../channels/registry/registry.ts';
import { type FieldPath, formatPath } from './field-path.ts';
import { channelSecrets, type FileChannel, fileChannel } from './file-schema.ts';
import { fillIn } from './placeholders.ts';
import { type Api, added, allPages, changed, type Plan, removed, type Step } from './plan.ts';
import type { ReadFile } from './read-file.ts';

/** The server deletes no more at once. */
const REMOVED_AT_ONCE = 1_000;
/** Nobody needs to see even the end of one. */
const secretFields: ReadonlySet<string> = new Set(['key', 'model_headers', 'proxy']);

export interface ChannelPlanInput {
  file: Pick<ReadFile, 'at'>;
  wanted: readonly FileChannel[];
  deleting: boolean;
  /** Groups that this plan makes before: the server does not know them yet. */
  newGroups: ReadonlySet<string>;
  variable: (name: string) => string | undefined;
}

/** @throws with a line for each channel that the server, or a placeholder, refuses */
export async function planChannels(api: Api, input: ChannelPlanInput): Promise<Plan> {
  const { file, wanted, deleting, newGroups } = input;
  const stored = await listChannels(api);
  const byName = new Map(stored.map((channel) => [channel.name, channel]));
  const rows = wanted.map((channel, at) => rowOf(channel, byName.get(channel.name), at, input));
  refuseErrors(rows.flatMap(({ errors }) => errors));
  const bodies = rows.map(({ body }) => body);
  const ask = (asked: readonly Body[]): Promise<ImportedItem[]> =>
    importRows(
      api,
      asked.map((body) => withKnownGroups(body, newGroups)),
      true,
    );
  const several = new Set((await ask(bodies)).filter(hasOtherKeys).map(({ index }) => index));
  const sent = bodies.map((body, at) => (several.has(at) ? { ...body, key: keysOf(body.key)[0] } : body));
  const items = await ask(sent);
  refuseItems(items, file);
  const lines = items.flatMap((item) => {
    const [body, known] = [sent[item.index], byName.get(item.name)];
    return body === undefined ? [] : linesOf(item, body, known, several.has(item.index), newGroups);
  });
  const run = async (): Promise<void> => {
    refuseItems(await importRows(api, sent, false), file);
    for (const at of several) await addKeys(api, bodies[at], byName);
  };
  const names = new Set(wanted.map(({ name }) => name));
  const left = stored.filter(({ name }) => deleting && !names.has(name));
  return { steps: [...(lines.length > 0 ? [{ lines, run }] : []), ...removalsOf(api, left)], notes: [] };
}

const importedRow = createChannel.extend({ status: channelStatus.optional() });
type Body = z.output<typeof importedRow>;

/** Returns the body of the import, with the secrets that the file only names. */
function rowOf(
  channel: FileChannel,
  known: Channel | undefined,
  index: number,
  { file, variable }: ChannelPlanInput,
): { body: Body; errors: string[] } {
  const errors: string[] = [];
  const fill = (text: string, ...place: FieldPath): string => {
    try {
      return fillIn(text, variable);
    } catch (error) {
      errors.push(
        `${file.at(['channels', index, ...place])}: ${error instanceof Error ? error.message : ''}`,
      );
      return '';
    }
  };
  const { provider, status, key, model_headers: headers, proxy, ...form } = channel;
  const secrets = {
    key: joinKeys(keysOf(fill(key, 'key'))),
    proxy: fill(proxy, 'proxy'),
    model_headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, fill(value, 'model_headers', name)]),
    ),
  };
  const checked = channelSecrets.safeParse(secrets);
  for (const { path } of checked.error?.issues ?? [])
    errors.push(`${file.at(['channels', index, ...path])}: The value of its placeholder is invalid`);
  // What the gateway takes out, it brings back; the file is not about that.
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

/** One key takes the place of all; the others are then added to it. */
const hasOtherKeys = ({ refusals }: ImportedItem): boolean =>
  refusals.some(({ rule }) => rule === 'one-line');

async function addKeys(
  api: Api,
  body: Body | undefined,
  byName: ReadonlyMap<string, Channel>,
): Promise<void> {
  const known = body === undefined ? undefined : byName.get(body.name);
  if (body === undefined || known === undefined) return;
  const [, ...others] = keysOf(body.key);
  await api(channelKeys).add({ params: { id: known.id }, body: { key: joinKeys(others) } });
}

function withKnownGroups(body: Body, newGroups: ReadonlySet<string>): Body {
  const group = body.group.filter((symbol) => !newGroups.has(symbol));
  return { ...body, group: group.length === 0 ? ['default'] : group };
}

async function importRows(api: Api, rows: readonly Body[], dryRun: boolean): Promise<ImportedItem[]> {
  if (rows.length === 0) return [];
  const written = rows.map((row) => z.encode(importedRow, row));
  const content = JSON.parse(JSON.stringify({ format: FILE_FORMAT, version: 1, channels: written }));
  const body = { content, source: 'switchyard' as const, dry_run: dryRun };
  return (await api(channelEdits).import({ body })).items;
}

function linesOf(
  item: ImportedItem,
  body: Body,
  known: Channel | undefined,
  hasSeveral: boolean,
  newGroups: ReadonlySet<string>,
): string[] {
  const place: FieldPath = ['channels', item.name];
  if (item.outcome === 'new' || known === undefined) return [added(place)];
  const isRegrouped = body.group.some((symbol) => newGroups.has(symbol));
  const regrouped = isRegrouped ? [changed([...place, 'group'], known.group, body.group)] : [];
  const keyed = hasSeveral ? [`~ ${formatPath([...place, 'key'])}: changed`] : [];
  if (item.outcome === 'same') return [...regrouped, ...keyed];
  const changes = item.changes.flatMap(({ path, before, after }) => {
    if ((path === 'group' && isRegrouped) || (path === 'key' && hasSeveral)) return [];
    if (secretFields.has(path)) return [`~ ${formatPath([...place, path])}: changed`];
    return path === 'type' || Object.hasOwn(fileChannel.shape, path)
      ? [changed([...place, path === 'type' ? 'provider' : path], before, after)]
      : [];
  });
  const lines = [...regrouped, ...keyed, ...changes];
  // Two secrets with the same end look alike to whoever may not see them.
  return lines.length > 0 ? lines : [`~ ${formatPath(place)}: secret changed`];
}

function removalsOf(api: Api, left: readonly Channel[]): Step[] {
  const steps: Step[] = [];
  for (let at = 0; at < left.length; at += REMOVED_AT_ONCE) {
    const some = left.slice(at, at + REMOVED_AT_ONCE);
    steps.push({
      lines: some.map(({ name }) => removed(['channels', name])),
      run: async () => void (await api(channels).removeMany({ body: { ids: some.map(({ id }) => id) } })),
    });
  }
  return steps;
}

function refuseItems(items: readonly ImportedItem[], { at }: Pick<ReadFile, 'at'>): void {
  refuseErrors(
    items.flatMap(({ index, refusals }) =>
      refusals.map(({ path, message }) => {
        const place = path === '' ? [] : path.split('.');
        return `${at(['channels', index, ...place])}: ${message}`;
      }),
    ),
  );
}

function refuseErrors(errors: readonly string[]): void {
  if (errors.length > 0) throw new Error(errors.join('\n'));
}

export function listChannels(api: Api): Promise<Channel[]> {
  return allPages((query) => api(channels).list({ query }));
}
