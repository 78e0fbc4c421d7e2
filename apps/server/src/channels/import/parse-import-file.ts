/** Finds the channels in a file, and reads each as a form that is not yet checked against the database. */
import { setImmediate } from 'node:timers/promises';
import {
  type ChannelRefusal,
  FILE_FORMAT,
  IMPORT_MAX,
  type ImportSource,
} from '@switchyard/contract/channels/bulk-edits-and-import';
import { createChannel, updateChannel } from '@switchyard/contract/channels/channels';
import { type ChannelStatus, channelStatus } from '@switchyard/contract/wire-enums';
import { isObject } from '@switchyard/relay/json';
import type { z } from 'zod';
import { fieldError, tooManyEntries } from '../../platform/http/app-error.ts';
import { issueContext, toFieldErrors } from '../../platform/http/field-errors.ts';
import { describeUnknownField, findUnknownField } from '../../platform/http/unknown-fields.ts';
import { CHANNELS_PER_CHUNK } from '../registry/write-channel-updates.ts';
import { hasValue, type ParsedRow, readLegacyRow } from './foreign-channel-rows.ts';
import { detectSource, type KnownSource } from './foreign-channel-types.ts';

export interface ImportedRow {
  index: number;
  name: string;
  /** 0 for an unknown vendor. */
  type: number;
  /** Form of a new channel: the input of `createChannel`, if nothing is refused. */
  form: Record<string, unknown>;
  /** Update of an existing channel: only the fields that the row sets, if nothing is refused. */
  update: Omit<Partial<z.output<typeof updateChannel>>, 'id' | 'status'>;
  status: ChannelStatus | undefined;
  leftOut: string[];
  refusals: ChannelRefusal[];
  /** Further refusals for an existing channel, whose update has stricter rules. */
  updateRefusals: ChannelRefusal[];
}

const NAME_SHOWN = 64;
const REFUSALS_MAX = 20;

/** @throws AppError for the field `content` */
export async function readImport(
  content: unknown,
  requestedSource: ImportSource,
): Promise<{ source: KnownSource; rows: ImportedRow[] }> {
  const list = findRows(content);
  if (list === undefined || list.length === 0)
    throw fieldError('content', 'no-channels', 'The file contains no list of channels');
  if (list.length > IMPORT_MAX)
    throw tooManyEntries('content', IMPORT_MAX, `A file can have at most ${IMPORT_MAX} channels, not ${list.length}`);
  const isOwn = isObject(content) && content['format'] === FILE_FORMAT;
  const source = requestedSource === 'auto' ? (isOwn ? 'switchyard' : detectSource(list)) : requestedSource;
  const rows: ImportedRow[] = [];
  for (const [index, row] of list.entries()) {
    // Yields to other requests: checking thousands takes a second.
    if (index % CHANNELS_PER_CHUNK === 0) await setImmediate();
    rows.push(readRow(row, index, source));
  }
  return { source, rows };
}

/** Finds the list: the content itself, a single row, or a list as the APIs of these gateways wrap it. */
function findRows(content: unknown): unknown[] | undefined {
  if (Array.isArray(content)) return content;
  if (!isObject(content)) return undefined;
  for (const name of ['channels', 'data', 'items']) {
    const found = findRows(content[name]);
    if (found !== undefined) return found;
  }
  return 'models' in content && 'type' in content ? [content] : undefined;
}

function readRow(row: unknown, index: number, source: KnownSource): ImportedRow {
  const { form, leftOut } = isObject(row)
    ? source === 'switchyard'
      ? readOwnRow(row)
      : readLegacyRow(row, source)
    : { form: {}, leftOut: [] };
  const { status, ...fields } = form;
  const parsed = createChannel.safeParse(fields, issueContext);
  const parsedStatus = status === undefined ? undefined : channelStatus.safeParse(status, issueContext);
  // Whether a row makes a valid new channel is checked only if no channel has its name.
  const update = rowUpdate.safeParse(fields, issueContext);
  const refusals = [
    ...toRefusals(parsed.error?.issues ?? [], fields),
    ...toRefusals(parsedStatus?.error?.issues ?? [], status).map((refusal) => ({ ...refusal, path: 'status' })),
    ...(source === 'switchyard' ? refuseUnknownFields(fields) : []),
  ];
  const refusedPaths = new Set(refusals.map(({ path }) => path));
  return {
    index,
    name: typeof fields['name'] === 'string' ? fields['name'].trim().slice(0, NAME_SHOWN) : '',
    type: typeof fields['type'] === 'number' ? fields['type'] : 0,
    form: fields,
    update: update.data ?? {},
    status: parsedStatus?.data,
    leftOut: leftOut.slice(0, REFUSALS_MAX * 5).map((name) => name.slice(0, 128)),
    refusals,
    updateRefusals: toRefusals(update.error?.issues ?? [], fields).filter(({ path }) => !refusedPaths.has(path)),
  };
}

const rowUpdate = updateChannel.omit({ id: true, status: true });

/** Refuses an unknown field inside a known one, which would be dropped silently: it might be a misspelt limit. */
function refuseUnknownFields(fields: Record<string, unknown>): ChannelRefusal[] {
  const unknown = findUnknownField(createChannel, fields);
  if (unknown === undefined) return [];
  const path = unknown.path.join('.').slice(0, 128);
  return [{ path, rule: 'unrecognized_keys', message: describeUnknownField(unknown) }];
}

const ownMetrics = new Set([
  'id',
  'provider',
  'key_hint',
  'created_time',
  'test_time',
  'response_time',
  'balance',
  'balance_updated_time',
  'used_quota',
  'disabled_reason',
  'cooldown_until',
]);

function readOwnRow(row: Record<string, unknown>): ParsedRow {
  const known = new Set(['status', ...Object.keys(createChannel.shape)]);
  const entries = Object.entries(row);
  return {
    form: Object.fromEntries(entries.filter(([name]) => known.has(name))),
    leftOut: entries.flatMap(([name, value]) =>
      known.has(name) || ownMetrics.has(name) || !hasValue(value) ? [] : [name],
    ),
  };
}

function toRefusals(issues: readonly z.core.$ZodIssue[], given: unknown): ChannelRefusal[] {
  const fields = toFieldErrors(issues.slice(0, REFUSALS_MAX), given);
  return fields.map((field) => ({ ...field, path: field.path.slice(0, 128) }));
}
