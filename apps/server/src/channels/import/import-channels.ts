/** Imports channels from a file: matched by name, checked like forms. */
import { setImmediate } from 'node:timers/promises';
import {
  BULK_EDIT_MAX,
  type ChannelRefusal,
  type channelEdits,
  type ImportedItem,
} from '@switchyard/contract/channels/bulk-edits-and-import';
import { type CreateChannel, createChannel, SECRET_MASK } from '@switchyard/contract/channels/channels';
import { channelId } from '@switchyard/contract/ids';
import type { RouteInput, RouteResponse } from '@switchyard/contract/route';
import type { ChannelStatus } from '@switchyard/contract/wire-enums';
import type { Context } from '../../context.ts';
import { diffRecords } from '../../operations/audit/audit.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError, tooManyEntries } from '../../platform/http/app-error.ts';
import { secretHint } from '../../platform/secrets/redact-secrets.ts';
import { toChannelRefusal } from '../bulk-edit/edit-channels.ts';
import { getChannelHealth } from '../health/channel-health.ts';
import { type ChannelSecrets, mergeSecrets, noSecrets, openSecrets } from '../registry/channel-secrets.ts';
import {
  cacheLookups,
  checkForm,
  checkGroups,
  checkKey,
  createFormLookups,
  type FormLookups,
  getProviderByType,
} from '../registry/check-channel-form.ts';
import { splitKeys, splitSecrets } from '../registry/parse-key-lines.ts';
import { insertChannel, planUpdate } from '../registry/plan-channel-update.ts';
import { presentChannel } from '../registry/present-channel.ts';
import { type ChannelRow, selectChannels } from '../registry/queries.ts';
import {
  CHANGED_MEANWHILE,
  CHANNELS_PER_CHUNK,
  hasChanges,
  NOT_WRITTEN,
  type PlannedUpdate,
  writeInChunks,
  writeUpdates,
} from '../registry/write-channel-updates.ts';
import { type ImportedRow, readImport } from './parse-import-file.ts';

type Import = RouteInput<(typeof channelEdits)['import']>['body'];

interface PlannedChannel {
  form: Omit<CreateChannel, 'key'>;
  status: ChannelStatus;
  secrets: ChannelSecrets;
}

interface Plan {
  item: ImportedItem;
  update?: PlannedUpdate;
  created: PlannedChannel[];
}

/**
 * @returns the result of each row; for a dry run, the expected result
 * @throws AppError when the content is not a list of channels, or has too many
 */
export async function importChannels(
  ctx: Context,
  { content, source: requestedSource, known, dry_run }: Import,
  userId: number,
): Promise<RouteResponse<(typeof channelEdits)['import']>> {
  const { source, rows } = await readImport(content, requestedSource);
  const stored = await findChannelsByName(ctx, rows);
  const questions = cacheLookups(createFormLookups(ctx));
  const plans: Plan[] = [];
  const names = new Set<string>();
  let created = 0;
  for (const [index, row] of rows.entries()) {
    if (index % CHANNELS_PER_CHUNK === 0) await setImmediate();
    const plan = await planRow(ctx, row, stored.get(row.name) ?? [], known, questions);
    created += plan.created.length;
    if (created > BULK_EDIT_MAX)
      throw tooManyEntries('content', BULK_EDIT_MAX, `The file would create more than ${BULK_EDIT_MAX} channels`);
    // The second one's checks would no longer hold after the first is written.
    plans.push(names.has(row.name) ? { item: duplicateItem(plan.item), created: [] } : plan);
    names.add(row.name);
  }
  if (!dry_run) await writePlans(ctx, plans, userId);
  return { source, items: plans.map(({ item }) => item) };
}

function duplicateItem(item: ImportedItem): ImportedItem {
  const refusal = toChannelRefusal(new AppError('conflict', 'The file contains this name more than once'));
  return { ...item, outcome: 'refused', changes: [], refusals: [refusal] };
}

async function findChannelsByName(ctx: Context, rows: readonly ImportedRow[]): Promise<Map<string, ChannelRow[]>> {
  const names = [...new Set(rows.map(({ name }) => name))];
  const found = await selectChannels(ctx.db.writer).where('channel.name', 'in', names).execute();
  return Map.groupBy(found, ({ name }) => name);
}

async function planRow(
  ctx: Context,
  row: ImportedRow,
  stored: readonly ChannelRow[],
  known: Import['known'],
  questions: FormLookups,
): Promise<Plan> {
  const item: ImportedItem = {
    index: row.index,
    name: row.name,
    type: row.type,
    outcome: 'refused',
    changes: [],
    left_out: row.leftOut,
    refusals: row.refusals,
  };
  const [only, second] = stored;
  if (only !== undefined && known === 'skip') return { item: { ...item, outcome: 'skipped' }, created: [] };
  const refusals = only === undefined ? row.refusals : [...row.refusals, ...row.updateRefusals];
  if (refusals.length > 0) return { item: { ...item, refusals }, created: [] };
  try {
    if (second !== undefined) throw new AppError('conflict', 'Several existing channels have this name');
    return only === undefined
      ? await planNew(row, item, questions)
      : await planExisting(ctx, only, row, item, questions);
  } catch (error) {
    return { item: { ...item, refusals: [toChannelRefusal(error)] }, created: [] };
  }
}

async function planNew(row: ImportedRow, item: ImportedItem, questions: FormLookups): Promise<Plan> {
  const form = createChannel.parse(row.form);
  const provider = getProviderByType(form.type);
  await checkForm(questions, provider, form);
  await checkGroups(questions, form.group);
  for (const key of splitKeys(form.key)) checkKey(provider, key);
  const secrets = mergeSecrets(noSecrets, form);
  const status = row.status === 'auto-disabled' ? 'disabled' : (row.status ?? 'enabled');
  const created = splitSecrets(form).map((key, at) => ({
    form: { ...form, name: at === 0 ? form.name : `${form.name}_${at + 1}` },
    status,
    secrets: { ...secrets, key },
  }));
  return { item: { ...item, outcome: 'new' }, created };
}

async function planExisting(
  ctx: Context,
  stored: ChannelRow,
  row: ImportedRow,
  item: ImportedItem,
  questions: FormLookups,
): Promise<Plan> {
  // `auto-disabled` is the gateway's decision, so an import doesn't change it.
  const isStatusChanged = row.status !== undefined && row.status !== 'auto-disabled' && row.status !== stored.status;
  const status = isStatusChanged ? { status: row.status } : {};
  const input = { ...row.update, ...status, id: channelId.parse(stored.id) };
  const update = { row: stored, ...(await planUpdate(ctx, stored, input, questions)) };
  if (!hasChanges(update)) return { item: { ...item, outcome: 'same' }, created: [] };
  const after = { ...stored, ...update.columns };
  const shown = { ...presentChannel(ctx, stored), key: openKey(ctx, stored) };
  const changes = diffRecords(shown, { ...presentChannel(ctx, after), key: openKey(ctx, after) });
  return {
    item: {
      ...item,
      outcome: 'changed',
      changes: Object.entries(changes).flatMap(([path, { before, after: now }]) =>
        path === 'provider' || path === 'key_hint'
          ? []
          : [{ path, before: toJsonValue(before), after: toJsonValue(now) }],
      ),
    },
    update,
    created: [],
  };
}

/** Returns the masked key, to show a change. Another key with the same end differs as well. */
function openKey(ctx: Context, row: ChannelRow): string {
  const { key } = openSecrets(ctx.vault, row);
  return key === '' ? '' : `${SECRET_MASK}${secretHint(key)}`;
}

function toJsonValue(value: unknown): ImportedItem['changes'][number]['before'] {
  return JSON.parse(JSON.stringify(value ?? null));
}

/** Channel to write, with the item that reports its row. */
type Planned = { item: ImportedItem } & ({ update: PlannedUpdate } | { created: PlannedChannel });

async function writePlans(ctx: Context, plans: readonly Plan[], userId: number): Promise<void> {
  const event = { created_at: nowSeconds(ctx.clock), user_id: userId };
  const planned = plans.flatMap(({ item, update, created }): Planned[] =>
    update === undefined ? created.map((one) => ({ item, created: one })) : [{ item, update }],
  );
  const left = await writeInChunks(ctx, planned, async (trx, some) => {
    const updates = some.flatMap((plan) => ('update' in plan ? [plan] : []));
    const late = await writeUpdates(
      trx,
      updates.map(({ update }) => update),
      event,
    );
    for (const { item, update } of updates) if (late.includes(update)) addRefusal(item, CHANGED_MEANWHILE);
    for (const plan of some)
      if ('created' in plan) {
        const { form, status, secrets } = plan.created;
        await insertChannel(ctx, trx, getProviderByType(form.type), form, secrets, status);
      }
  });
  for (const { item } of left) addRefusal(item, NOT_WRITTEN);
  for (const plan of planned)
    if ('update' in plan && plan.update.columns.status === 'enabled') getChannelHealth(ctx).reset(plan.update.row.id);
  await ctx.changes.publish({ topic: 'channels' });
}

function addRefusal(item: ImportedItem, refusal: ChannelRefusal): void {
  item.outcome = 'refused';
  item.refusals = [refusal];
}
