/** Converts a row of another gateway's channels to a form of this one. */
import { isObject } from '@switchyard/relay/json';
import { type LegacySource, toChannelType } from './foreign-channel-types.ts';
import { readPlugins } from './one-hub-plugins.ts';
import { parseNestedJson } from './parse-nested-json.ts';

export interface ParsedRow {
  /** Unchecked form; contains only fields that the row has. */
  form: Record<string, unknown>;
  /** Fields with values but without an equivalent here. */
  leftOut: string[];
}

type Row = Readonly<Record<string, unknown>>;

const AZURE = 3;
const SPEECH = 24;
const BEDROCK = 32;
const VERTEX = 42;
const DISABLED = 2;
const configTypes = new Set([AZURE, BEDROCK, VERTEX]);

/** Fields that a gateway measures or counts by itself. */
const ownMetrics = new Set([
  'id',
  'created_time',
  'test_time',
  'response_time',
  'balance',
  'balance_updated_time',
  'used_quota',
  'deleted_at',
  'DeletedAt',
]);

/** One Hub's `pre_cost`; rows of its first versions have 0. Other numbers are passed on to be refused. */
const heldPrompts = new Map<unknown, string>([
  [0, 'all'],
  [1, 'all'],
  [2, 'without-images'],
  [3, 'nothing'],
]);

/** Fields with the same meaning and format, or as text. */
const sameFields = ['name', 'tag', 'proxy', 'test_model', 'key'] as const;
const readConfigFields = new Set(['api_version', 'ak', 'sk', 'region', 'vertex_ai_project_id', 'vertex_ai_adc']);
const readSettingFields = new Set(['proxy']);
/**
 * Known fields of `channel_info`: whether there are several keys and how many. Disabled keys are imported as enabled.
 */
const readInfoFields = new Set([
  'is_multi_key',
  'multi_key_size',
  'multi_key_mode',
  'multi_key_polling_index',
  'multi_key_disabled_reason',
  'multi_key_disabled_time',
]);
const nothing = new Set<string>();

export function readLegacyRow(row: Row, source: LegacySource): ParsedRow {
  const type = toChannelType(source, Number(row['type'] ?? 0));
  const setting = parseObject(row['setting']);
  const config = parseObject(row['config']);
  const form: Record<string, unknown> = { type };
  const info = parseObject(row['channel_info']);
  const used = new Set<string>(['type', 'setting', 'config', 'plugin', 'channel_info']);
  const take = (field: string, from: string, value: unknown): void => {
    used.add(from);
    if (value !== undefined && value !== null) form[field] = value;
  };
  for (const name of sameFields) if (name in row) take(name, name, row[name]);
  if ('only_chat' in row) take('only_chat', 'only_chat', Boolean(row['only_chat']));
  take(
    'base_url',
    'base_url',
    toText(row['base_url'])
      ?.trim()
      // Credentials in an address are never sent, so they are removed.
      .replace(/^(https?:\/\/)[^/?#]*@/i, '$1')
      .replace(/(?<!\/)\/+$/, ''),
  );
  take('models', 'models', parseNames(row['models']));
  take('group', 'group', parseNames(row['group']));
  take('model_mapping', 'model_mapping', parseTextObject(row['model_mapping']));
  for (const name of ['model_headers', 'headers', 'header_override'])
    if (parseTextObject(row[name]) !== undefined) take('model_headers', name, parseTextObject(row[name]));
  take('priority', 'priority', row['priority']);
  // These gateways store zero when no weight was set.
  take('weight', 'weight', row['weight'] === 0 ? 1 : row['weight']);
  if (row['pre_cost'] !== undefined)
    take('held_prompt', 'pre_cost', heldPrompts.get(row['pre_cost']) ?? row['pre_cost']);
  if (row['status'] !== undefined) take('status', 'status', row['status'] === 1 ? 1 : DISABLED);
  if (hasValue(setting['proxy'])) take('proxy', 'setting', setting['proxy']);
  const other = toText(row['other']) ?? '';
  const plugins = readPlugins(type, row['plugin']);
  const options = { ...readOptions(type, other, row, config), ...plugins.options };
  if (Object.keys(options).length > 0) form['options'] = options;
  const headers = form['model_headers'] ?? {};
  if (Object.keys(plugins.headers).length > 0 && isObject(headers))
    form['model_headers'] = { ...plugins.headers, ...headers };
  if (plugins.bodies.length > 0) form['request_changes'] = { bodies: plugins.bodies };
  if (type === BEDROCK) form['key'] = bedrockKey(source, toText(row['key']) ?? '', config);
  if (info['is_multi_key'] === true) {
    form['keys_as'] = 'one-channel';
    if (type !== BEDROCK) form['key'] = joinKeyLines(row['key']);
  }
  if (type === VERTEX && form['key'] === '') form['key'] = toText(config['vertex_ai_adc']) ?? '';
  const placed = new Set(Object.values(options));
  const isLeft = (name: string): boolean =>
    !used.has(name) && !ownMetrics.has(name) && hasValue(row[name]) && !isUsedElsewhere(row[name], placed);
  return {
    form,
    leftOut: [
      ...Object.keys(row).filter(isLeft),
      ...plugins.leftOut,
      ...listUnusedFields('setting', setting, readSettingFields),
      ...listUnusedFields('channel_info', info, readInfoFields),
      ...listUnusedFields('config', config, type !== undefined && configTypes.has(type) ? readConfigFields : nothing),
    ],
  };
}

function readOptions(type: number | undefined, other: string, row: Row, config: Row): Record<string, string> {
  const [first = '', second = ''] = other.split('|');
  const texts = (values: Record<string, unknown>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).flatMap(([name, value]) =>
        typeof value === 'string' && value !== '' ? [[name, value] as const] : [],
      ),
    );
  if (type === AZURE) return texts({ apiVersion: other || config['api_version'] });
  if (type === SPEECH) return texts({ region: other });
  if (type === VERTEX)
    return texts({
      location: first.startsWith('{') ? parseObject(other)['default'] : first || config['region'],
      project: second || config['vertex_ai_project_id'],
    });
  return type === 1 ? texts({ organization: row['openai_organization'] }) : {};
}

/** Returns the key with the region first, as One Hub formats it. */
function bedrockKey(source: LegacySource, key: string, config: Row): string {
  const { ak, sk, region } = config;
  if (typeof ak === 'string' && typeof sk === 'string' && ak !== '') return [region, ak, sk].join('|');
  if (source !== 'new-api') return key;
  const lines = key.split('\n').map((line) => {
    const parts = line.trim().split('|');
    return parts.length > 1 ? [parts.at(-1), ...parts.slice(0, -1)].join('|') : line.trim();
  });
  return lines.join('\n');
}

/** Returns one key per line. New API stores several Google accounts as a list of objects, or of their texts. */
function joinKeyLines(key: unknown): unknown {
  const accounts = typeof key === 'string' && key.trimStart().startsWith('[') ? parseNestedJson(key) : undefined;
  if (!Array.isArray(accounts)) return key;
  const lines = accounts.map((account) => {
    const parsed = typeof account === 'string' ? (parseNestedJson(account) ?? account) : account;
    return typeof parsed === 'string' ? parsed : JSON.stringify(parsed);
  });
  return lines.join('\n');
}

function isUsedElsewhere(value: unknown, placed: ReadonlySet<string>): boolean {
  return typeof value === 'string' && value.split('|').every((part) => placed.has(part));
}

function listUnusedFields(field: string, object: Row, used: ReadonlySet<string>): string[] {
  return Object.keys(object).flatMap((name) => (used.has(name) || !hasValue(object[name]) ? [] : [`${field}.${name}`]));
}

/** Returns whether a field was set: unset fields contain empty texts, zero, false or null. */
export function hasValue(value: unknown): boolean {
  if (typeof value === 'string') return !['', '{}', '[]', 'null'].includes(value.trim());
  if (Array.isArray(value)) return value.length > 0;
  if (isObject(value)) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== 0 && value !== false;
}

function toText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Parses an object, or the text of one. */
function parseObject(value: unknown): Row {
  const object = typeof value === 'string' ? parseNestedJson(value) : value;
  return isObject(object) ? object : {};
}

/** Parses `a,b` or a list; undefined without either. */
function parseNames(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  const names = value.split(',').map((name) => name.trim());
  return names.filter((name) => name !== '');
}

/** Parses an object of texts. Returns anything else unchanged, for the form's own rules to refuse. */
function parseTextObject(value: unknown): unknown {
  if (!hasValue(value)) return undefined;
  return typeof value === 'string' ? (parseNestedJson(value) ?? value) : value;
}
