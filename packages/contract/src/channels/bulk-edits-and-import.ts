/** Bulk edits of channels, and their export and import as files. */
import { z } from 'zod';
import { boundedRecord } from '../bounded-record.ts';
import { channelId } from '../ids.ts';
import { IMPORT_BODY_MAX_VALUES, LARGE_BODY_BYTES, routes } from '../route.ts';
import { channelStatus } from '../wire-enums.ts';
import { partsChange } from './channel-nested-settings.ts';
import { channel, channelFilter, keysAs, updateChannel } from './channels.ts';

/** Maximum channels of a bulk edit, which are read, checked and written at once. */
export const BULK_EDIT_MAX = 10_000;
export const IMPORT_MAX = 5_000;
/** Maximum size of one file. */
const IMPORT_MAX_BYTES = 8 * 1024 * 1024;
/** Maximum refused channels that a response names; all are counted. */
const NAMED_MAX = 200;

const { shape } = updateChannel;

/** Named channels, or all that match a filter; an empty filter matches all. */
const selection = z
  .object({ ids: z.array(channelId).min(1).max(BULK_EDIT_MAX).optional(), filter: channelFilter.optional() })
  .refine(({ ids, filter }) => (ids === undefined) !== (filter === undefined), 'Set either `ids` or `filter`');
export type ChannelSelection = z.output<typeof selection>;

/** Change of a list. `replace` applies first, and `remove` wins over `add`. */
const listChange = <S extends z.ZodType>(item: S) =>
  z.object({
    replace: z.array(item).max(1000).optional(),
    add: z.array(item).max(1000).optional(),
    remove: z.array(item).max(1000).optional(),
  });

const pairsChange = <S extends z.ZodType>(pairs: S) =>
  z.object({
    replace: pairs.optional(),
    set: pairs.optional(),
    /** Names of entries. */
    remove: z.array(z.string().max(128)).max(1000).optional(),
  });

/** Change of several channels. Absent fields do not change. */
export const channelChange = z.object({
  status: channelStatus.optional(),
  type: shape.type,
  base_url: shape.base_url,
  tag: shape.tag,
  proxy: shape.proxy,
  test_model: shape.test_model,
  priority: shape.priority,
  /** Priority of each channel, by its id; other channels keep theirs. */
  priorities: boundedRecord(z.string().regex(/^\d{1,15}$/), shape.priority.unwrap(), BULK_EDIT_MAX).optional(),
  weight: shape.weight,
  only_chat: shape.only_chat,
  held_prompt: shape.held_prompt,
  models: listChange(shape.models.unwrap().element).optional(),
  group: listChange(shape.group.unwrap().element).optional(),
  lacks: listChange(shape.lacks.unwrap().element).optional(),
  options: pairsChange(shape.options.unwrap()).optional(),
  model_mapping: pairsChange(shape.model_mapping.unwrap()).optional(),
  model_headers: pairsChange(shape.model_headers.unwrap()).optional(),
  ...z.object(partsChange).partial().shape,
});
export type ChannelChange = z.output<typeof channelChange>;

/** Reason why a channel cannot be changed. */
const refusal = z.object({
  path: z.string(),
  rule: z.string(),
  message: z.string(),
  limit: z.number().optional(),
  expected: z.string().optional(),
});
export type ChannelRefusal = z.output<typeof refusal>;

const editResult = z.object({
  matched: z.int(),
  /** Number of channels that changed, or would change in a preview. */
  changed: z.int(),
  refused_count: z.int(),
  /** First refused channels. */
  refused: z.array(refusal.extend({ id: channelId, name: z.string() })).max(NAMED_MAX),
  /** Previous values, present when only the status or only priorities were changed. */
  before: z.array(z.object({ id: channelId, status: channelStatus, priority: channel.shape.priority })),
});
export type EditResult = z.output<typeof editResult>;

const tagSummary = z.object({
  tag: z.string(),
  channels: z.int(),
  enabled: z.int(),
  disabled: z.int(),
  auto_disabled: z.int(),
});
export type TagSummary = z.output<typeof tagSummary>;

const rank = z.object({ priority: channel.shape.priority, ids: z.array(channelId) });
/** The channels of one priority. */
export type PriorityTier = z.output<typeof rank>;

/** Channel without what the gateway measures and counts. */
const channelForm = channel.omit({
  id: true,
  provider: true,
  key_hint: true,
  created_time: true,
  test_time: true,
  response_time: true,
  balance: true,
  balance_updated_time: true,
  used_quota: true,
  disabled_reason: true,
  cooldown_until: true,
  key_count: true,
  keys_out: true,
  spent: true,
  capped_until: true,
});
/** Fields of a channel in a file, besides its key. */
export const exportedFields = channelForm.keyof().options;
/** Channel in a file: the fields of its form, with masks or secrets. */
const exportedChannel = channelForm.extend({
  model_headers: z.record(z.string(), z.string()),
  key: z.string().optional(),
  keys_as: keysAs.optional(),
});
export type ExportedChannel = z.output<typeof exportedChannel>;

export const FILE_FORMAT = 'switchyard-channels';
const exportFile = z.object({
  format: z.literal(FILE_FORMAT),
  version: z.literal(1),
  with_secrets: z.boolean(),
  channels: z.array(exportedChannel),
});
export type ExportFile = z.output<typeof exportFile>;

/** Gateways whose vendor numbers `type` may use; related gateways number vendors differently. */
export const importSources = ['auto', 'switchyard', 'one-hub', 'one-api', 'new-api'] as const;
export type ImportSource = (typeof importSources)[number];

const importedItem = z.object({
  /** Position in the file, from 0. */
  index: z.int(),
  name: z.string(),
  /** The provider's integer; 0 when unknown. */
  type: z.int(),
  outcome: z.enum(['new', 'changed', 'same', 'skipped', 'refused']),
  /** Differences by field, with masked secrets. */
  changes: z.array(z.object({ path: z.string(), before: z.json(), after: z.json() })),
  /** Fields of the row that have no equivalent here, or not in this form. */
  left_out: z.array(z.string()),
  refusals: z.array(refusal),
});
export type ImportedItem = z.output<typeof importedItem>;

const importResult = z.object({ source: z.enum(importSources).exclude(['auto']), items: z.array(importedItem) });
export type ImportResult = z.output<typeof importResult>;

export const channelEdits = routes({
  edit: {
    method: 'POST',
    path: '/api/channel/edit',
    access: 'channels.write',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary:
      'Update many channels at once, except those for which the change is invalid; `dry_run` only reports the result',
    body: z.object({ where: selection, change: channelChange, dry_run: z.boolean().default(false) }),
    answer: editResult,
  },
  tags: {
    method: 'GET',
    path: '/api/channel/tags',
    access: 'channels.read',
    summary: 'List the tags with their number of channels',
    answer: z.array(tagSummary),
  },
  ranks: {
    method: 'GET',
    path: '/api/channel/ranks',
    access: 'channels.read',
    summary: 'List all channels by priority, highest first',
    answer: z.array(rank),
  },
  export: {
    method: 'POST',
    path: '/api/channel/export',
    access: 'channels.read',
    bodyMaxBytes: LARGE_BODY_BYTES,
    summary: 'Export channels as a file, without secrets',
    body: z.object({ where: selection }),
    answer: exportFile,
  },
  exportWithSecrets: {
    method: 'POST',
    path: '/api/channel/export_secrets',
    access: 'root',
    bodyMaxBytes: LARGE_BODY_BYTES,
    stepUp: true,
    summary: 'Export channels as a file, with keys, headers and proxies',
    body: z.object({ where: selection }),
    answer: exportFile,
  },
  import: {
    method: 'POST',
    path: '/api/channel/import',
    access: 'channels.write',
    bodyMaxValues: IMPORT_BODY_MAX_VALUES,
    bodyMaxBytes: IMPORT_MAX_BYTES,
    summary: 'Create or update channels from a file of this gateway, One Hub, One API or New API',
    body: z.object({
      /** The file's JSON. */
      content: z.json(),
      source: z.enum(importSources).default('auto'),
      /** Treatment of a channel whose name already exists. */
      known: z.enum(['update', 'skip']).default('update'),
      dry_run: z.boolean().default(false),
    }),
    answer: importResult,
  },
});
