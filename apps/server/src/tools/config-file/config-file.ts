/** Compares a configuration file with an installation, applies it, and exports it. */
import { isDeepStrictEqual } from 'node:util';
import { type Price, prices } from '@switchyard/contract/catalog/prices';
import { type Channel, SECRET_MASK } from '@switchyard/contract/channels/channels';
import { createClient } from '@switchyard/contract/client';
import { ApiError, type Send } from '@switchyard/contract/http-exchange';
import { settings } from '@switchyard/contract/operations/settings';
import { isObject } from '@switchyard/relay/json';
import { Document, isMap, isScalar, visit } from 'yaml';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import { getErrorMessage } from '../../platform/log.ts';
import { createOutbound, LARGE_ANSWER_BYTES, type Outbound } from '../../platform/outbound/outbound.ts';
import { type FilePrice, fileChannelSchema, fileGroupSchema, filePriceSchema } from './file-schema.ts';
import { formatPlaceholder } from './placeholders.ts';
import { listChannels, planChannels } from './plan-channels.ts';
import { listGroups, planGroups } from './plan-groups.ts';
import { planSettings, readChangedSettings } from './plan-settings.ts';
import {
  type Api,
  formatAdded,
  formatChanged,
  formatRemoved,
  listDifferingFields,
  type Plan,
  type PlanStep,
} from './plan-types-and-formatting.ts';
import type { ParsedConfigFile } from './read-file.ts';

/** Timeout in milliseconds; checking thousands of channels takes a while. */
const ANSWER_TIMEOUT_MS = 120_000;

interface Connection {
  api: Api;
  close: () => Promise<void>;
}

/** @param serverUrl the server's address; undefined: the address of this configuration */
export function connectToServer(config: Config, serverUrl: string | undefined): Connection {
  const token = config.accessToken;
  if (token === undefined) throw new Error('Set SWITCHYARD_TOKEN to an access token of the server');
  const url = parseServerAddress(serverUrl ?? localAddress(config), serverUrl === undefined || config.plainHttpStaff);
  // The operator chose the server, so its address may be internal.
  const outbound = createOutbound([url.hostname]);
  const send = createSend(outbound, url.href.replace(/\/+$/, ''), token);
  return { api: (routes) => createClient(routes, send), close: () => outbound.close() };
}

function localAddress({ host, port }: Config): string {
  const own = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${own.includes(':') ? `[${own}]` : own}:${port}`;
}

/** Parses the server's address. Plain HTTP is rejected for other machines, because it would reveal the token. */
function parseServerAddress(text: string, allowsPlain: boolean): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '')
    throw new Error('--server must be a URL that begins with https:// or http://');
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (url.protocol === 'http:' && !isLocal && !allowsPlain)
    throw new Error(
      'Over plain HTTP the access token is sent only to this machine. Use https://, or set PLAIN_HTTP_STAFF=true.',
    );
  return url;
}

function createSend(outbound: Outbound, address: string, token: string): Send {
  return async ({ method, path, body, signal }) => {
    const headers = {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    };
    try {
      const { status, text } = await outbound.fetchJson({
        method: parseMethod(method),
        url: `${address}${path}`,
        headers,
        body,
        proxy: '',
        timeoutMs: ANSWER_TIMEOUT_MS,
        signal,
        maxBytes: LARGE_ANSWER_BYTES,
      });
      return { status, text };
    } catch (error) {
      throw new Error(`The server at ${address} does not respond: ${getErrorMessage(error)}`, { cause: error });
    }
  };
}

const methods = ['GET', 'POST', 'PUT', 'DELETE'] as const;

function parseMethod(text: string): (typeof methods)[number] {
  const method = methods.find((one) => one === text);
  if (method === undefined) throw new Error(`Unsupported HTTP method ${text}`);
  return method;
}

/** Converts a failed call into an error for the person who runs the command. */
export function explainError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const sentence = errorSentences[error.code] ?? error.message;
  const fields = error.fields.map(({ path, message }) => `\n${path}: ${message}`).join('');
  return new Error(`${sentence}${fields}`, { cause: error });
}

const errorSentences: Partial<Record<ApiError['code'], string>> = {
  'not-signed-in': 'The server rejected the access token in SWITCHYARD_TOKEN',
  'not-allowed':
    'The access token lacks a permission: it needs channels.write, groups.write and prices.write, root for settings, and must not be read-only',
};

export type { Api, Plan } from './plan-types-and-formatting.ts';
export { type ParsedConfigFile, readConfigFile } from './read-file.ts';

export interface PlanOptions {
  /** Deletes entries that the file's sections lack. A section that the file doesn't have stays unchanged. */
  deletesMissing: boolean;
  /** Returns the value that a placeholder names. */
  readVariable: (name: string) => string | undefined;
  /** The server's data folder, whose files no placeholder may read. */
  dataDir: string;
}

/** Plans the steps that apply a file, ordered by their dependencies. */
export async function planFile(
  api: Api,
  file: ParsedConfigFile,
  { deletesMissing, readVariable, dataDir }: PlanOptions,
): Promise<Plan> {
  const { settings: options, groups, prices, channels } = file.content;
  const none: Plan = { steps: [], notes: [] };
  const ofSettings = options === undefined ? none : await planSettings(api, options, deletesMissing);
  const ofGroups =
    groups === undefined
      ? { ...none, removals: [], created: new Set<string>() }
      : await planGroups(api, groups, deletesMissing);
  const ofPrices = prices === undefined ? none : await planPrices(api, prices, deletesMissing);
  const ofChannels =
    channels === undefined
      ? none
      : await planChannels(api, {
          file,
          wanted: channels,
          deletesMissing,
          newGroups: ofGroups.created,
          readVariable,
          dataDir,
        });
  const plans = [ofSettings, ofGroups, ofPrices, ofChannels];
  const steps: PlanStep[] = [...plans.flatMap((plan) => plan.steps), ...ofGroups.removals];
  return { steps, notes: plans.flatMap(({ notes }) => notes) };
}

/** @returns the file's text, and whether the token may read settings; without, they are not in it */
export async function exportFile(api: Api): Promise<{ text: string; withSettings: boolean }> {
  const withSettings = await canReadSettings(api);
  return { text: await writeConfigFile(api, withSettings), withSettings };
}

async function canReadSettings(api: Api): Promise<boolean> {
  try {
    await api(settings).list();
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not-allowed') return false;
    throw error;
  }
}

/** Maximum deletions in one call of the server. */
const REMOVED_PER_CALL = 1_000;

async function planPrices(api: Api, wanted: Readonly<Record<string, FilePrice>>, deleting: boolean): Promise<Plan> {
  const stored = new Map((await api(prices).all()).map((price) => [price.model, price]));
  const steps: PlanStep[] = [];
  for (const [model, given] of Object.entries(wanted)) {
    const price = { ...given, tiers: given.tiers.toSorted((a, b) => a.above - b.above) };
    const known = stored.get(model);
    if (known !== undefined) steps.push(...planPriceUpdate(api, known, price));
    else
      steps.push({
        lines: [formatAdded(['prices', model])],
        run: async () => void (await api(prices).create({ body: { ...price, model } })),
      });
  }
  const left = [...stored.keys()].filter((model) => deleting && !Object.hasOwn(wanted, model));
  for (let at = 0; at < left.length; at += REMOVED_PER_CALL) {
    const models = left.slice(at, at + REMOVED_PER_CALL);
    steps.push({
      lines: models.map((model) => formatRemoved(['prices', model])),
      run: async () => void (await api(prices).removeMany({ body: { models } })),
    });
  }
  return { steps, notes: [] };
}

/** Plans the update of a price. A price that was changed after it was read is not overwritten. */
function planPriceUpdate(api: Api, { model, version, ...known }: Price, price: FilePrice): PlanStep[] {
  const before = filePriceSchema.parse(known);
  const names = listDifferingFields(before, price);
  if (names.length === 0) return [];
  const lines = names.flatMap((name) =>
    name === 'rates'
      ? listDifferingFields(before.rates, price.rates).map((rate) =>
          formatChanged(['prices', model, name, rate], before.rates[rate], price.rates[rate]),
        )
      : [formatChanged(['prices', model, name], before[name], price[name])],
  );
  const body = { ...price, model, version };
  return [{ lines, run: async () => void (await api(prices).update({ params: { model }, body })) }];
}

/** Comment at the beginning of an exported file, which has placeholders for its secrets. */

const HEAD = `# Channels, prices, user groups and settings. "switchyard config diff" compares it with the installation,
# "switchyard config apply" applies it to the installation. Secrets are not part of it: a key, header or proxy may be
# \${env:NAME} or \${file:/path}.
`;

/** @param withSettings false if the token may not read them */
async function writeConfigFile(api: Api, withSettings: boolean): Promise<string> {
  const settings = withSettings ? await readChangedSettings(api) : undefined;
  const groups = (await listGroups(api)).map((group): [string, unknown] => [
    group.symbol,
    omitDefaults(fileGroupSchema, fileGroupSchema.parse(group)),
  ]);
  const list = (await api(prices).all()).map((price): [string, unknown] => [
    price.model,
    omitDefaults(filePriceSchema, filePriceSchema.parse(price)),
  ]);
  const name = createVariableNamer();
  const channels = (await listChannels(api)).map((channel) =>
    omitDefaults(fileChannelSchema, toFileChannel(channel, name)),
  );
  const content = {
    version: 1,
    ...(settings === undefined ? {} : { settings }),
    groups: Object.fromEntries(groups),
    prices: Object.fromEntries(list),
    channels,
  };
  // The rates of each price are written on one line, because files contain hundreds of prices.
  const document = new Document(content, { aliasDuplicateObjects: false });
  visit(document, {
    Pair: (_, { key, value }) => {
      if (isScalar(key) && key.value === 'rates' && isMap(value)) value.flow = true;
    },
  });
  return HEAD + document.toString({ lineWidth: 0 });
}

type NameVariable = (kind: string, ...of: string[]) => string;

function toFileChannel(channel: Channel, name: NameVariable): z.output<typeof fileChannelSchema> {
  const masked = (value: string, ...of: [string, ...string[]]): string =>
    value.startsWith(SECRET_MASK) ? formatPlaceholder(name(...of)) : value;
  const headers = Object.entries(channel.model_headers);
  return fileChannelSchema.parse({
    ...channel,
    status: channel.status === 'disabled' ? 'disabled' : 'enabled',
    key: channel.key_count === 0 ? '' : formatPlaceholder(name('KEY', channel.name)),
    proxy: masked(channel.proxy, 'PROXY', channel.name),
    model_headers: Object.fromEntries(
      headers.map(([header, value]) => [header, masked(value, 'HEADER', channel.name, header)]),
    ),
  });
}

/**
 * Returns a function that names variables uniquely, because two channels can differ only in characters that a
 * variable's name cannot contain.
 */
function createVariableNamer(): NameVariable {
  const taken = new Set<string>();
  return (...parts) => {
    const words = parts.map((part) =>
      part
        .toUpperCase()
        .replace(/[^A-Z0-9]+/g, '_')
        .replace(/^_|_$/g, ''),
    );
    const name = ['SWITCHYARD', ...words.filter((word) => word !== '')].join('_');
    let free = name;
    for (let number = 2; taken.has(free); number += 1) free = `${name}_${number}`;
    taken.add(free);
    return free;
  };
}

/** Removes fields whose defaults a reader would fill in again. */
function omitDefaults(schema: z.ZodObject, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const own = schema.shape[name];
      return own === undefined || parsesTo(own, undefined, field) ? [] : [[name, omitNullDefaults(own, field)]];
    }),
  );
}

/** Removes nulls that a reader would fill in again. */
function omitNullDefaults(schema: z.core.$ZodType, field: unknown): unknown {
  const without = omitNulls(field);
  return parsesTo(schema, without, field) ? without : field;
}

function parsesTo(schema: z.core.$ZodType, written: unknown, field: unknown): boolean {
  const read = z.safeParse(schema, written);
  return read.success && isDeepStrictEqual(read.data, field);
}

function omitNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(omitNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(entries.map(([name, field]) => [name, omitNulls(field)]));
}
