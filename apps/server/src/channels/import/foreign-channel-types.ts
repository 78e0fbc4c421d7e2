/** Converts channel types: related gateways number the same vendors differently. */
import type { ImportSource } from '@switchyard/contract/channels/bulk-edits-and-import';
import { isObject } from '@switchyard/relay/json';

export type KnownSource = Exclude<ImportSource, 'auto'>;
/** Done Hub's rows are One Hub's, with additional vendors. */
export type LegacySource = KnownSource | 'done-hub';

const CUSTOM = 8;

/** Resellers with an OpenAI-compatible API at an address of their own. */
const resellers = [0, 2, 4, 5, 6, 7, 9, 10, 12, 13, 21, 22].map((type) => [type, CUSTOM] as const);

/** First of Done Hub's own types, which are personal accounts without an API key of the vendor. */
const DONE_HUB_OWN = 57;

/** One Hub's numbers are the same as this gateway's. */
const oneHub = new Map<number, number>(resellers);

/** https://github.com/songquanpeng/one-api, relay/channeltype/define.go */
const oneApi = new Map<number, number>([
  ...resellers,
  [24, 25],
  [25, 29],
  [28, 30],
  [29, 31],
  [30, 39],
  [31, 33],
  [32, 1103],
  [33, 32],
  [34, 38],
  [35, 36],
  [36, 28],
  [37, 35],
  [39, 1002],
  [40, 1101],
  [41, 1013],
  [44, 45],
  [45, 56],
  [46, 52],
  [47, 15],
  [48, 18],
  [49, 17],
  [50, CUSTOM],
  [51, 25],
]);
const oneApiUnknown = new Set([23, 38, 43]);

/** https://github.com/QuantumNous/new-api, constant/channel.go */
const newApi = new Map<number, number>([
  ...[0, 6, 7, 9, 10, 12, 13, 21, 22].map((type) => [type, CUSTOM] as const),
  [2, 34],
  [4, 39],
  [5, 34],
  [24, 25],
  [25, 29],
  [26, 16],
  [27, 1001],
  [31, 33],
  [33, 32],
  [34, 36],
  [35, 27],
  [37, 1206],
  [38, 47],
  [39, 35],
  [40, 45],
  [41, 42],
  [42, 30],
  [43, 28],
  [45, 1101],
  [46, 15],
  [47, 1028],
  [48, 56],
  [49, 38],
  [50, 53],
  [56, 52],
]);
const newApiUnknown = new Set([11, 23, 36, 44, 51, 52, 53, 54, 55, 57, 58]);

/** @returns this gateway's number; undefined for an unsupported vendor */
export function toChannelType(source: LegacySource, type: number): number | undefined {
  if (source === 'done-hub' && type >= DONE_HUB_OWN) return undefined;
  if (source === 'switchyard') return type;
  if (source === 'one-api') return oneApiUnknown.has(type) ? undefined : (oneApi.get(type) ?? type);
  if (source === 'new-api') return newApiUnknown.has(type) ? undefined : (newApi.get(type) ?? type);
  return oneHub.get(type) ?? type;
}

const distinguishingFields: readonly [KnownSource, readonly string[]][] = [
  ['switchyard', ['request_changes', 'lacks', 'key_hint']],
  ['new-api', ['channel_info', 'auto_ban', 'status_code_mapping', 'param_override', 'openai_organization']],
  ['one-hub', ['plugin', 'pre_cost', 'only_chat', 'model_headers', 'custom_parameter', 'disabled_stream']],
];

/** Detects the gateway that exported the rows, by fields that only that gateway has. */
export function detectSource(rows: readonly unknown[]): KnownSource {
  const names = new Set(rows.flatMap((row) => (isObject(row) ? Object.keys(row) : [])));
  return distinguishingFields.find(([, fields]) => fields.some((field) => names.has(field)))?.[0] ?? 'one-api';
}
