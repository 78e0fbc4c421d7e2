/** Writes the state of an installation as a configuration file, with placeholders for its secrets. */
import { isDeepStrictEqual } from 'node:util';
import { prices } from '@switchyard/contract/catalog/prices';
import { type Channel, SECRET_MASK } from '@switchyard/contract/channels/channels';
import { isObject } from '@switchyard/relay/json';
import { Document, isMap, isScalar, visit } from 'yaml';
import { z } from 'zod';
import { fileChannel, fileGroup, filePrice } from './file-schema.ts';
import { placeholderOf } from './placeholders.ts';
import type { Api } from './plan.ts';
import { listChannels } from './plan-channels.ts';
import { listGroups } from './plan-groups.ts';
import { readSettings } from './plan-settings.ts';

const HEAD = `# Channels, prices, user groups and settings. "switchyard config diff" compares it with the installation,
# "switchyard config apply" applies it to the installation. Secrets are not part of it: a key, header or proxy may be
# \${env:NAME} or \${file:/path}.
`;

/** @param withSettings false where the token may not read them */
export async function writeConfigFile(api: Api, withSettings: boolean): Promise<string> {
  const settings = withSettings ? await readSettings(api) : undefined;
  const groups = (await listGroups(api)).map((group): [string, unknown] => [
    group.symbol,
    withoutDefaults(fileGroup, fileGroup.parse(group)),
  ]);
  const list = (await api(prices).all()).map((price): [string, unknown] => [
    price.model,
    withoutDefaults(filePrice, filePrice.parse(price)),
  ]);
  const name = variableNames();
  const channels = (await listChannels(api)).map((channel) =>
    withoutDefaults(fileChannel, ofChannel(channel, name)),
  );
  const content = {
    version: 1,
    ...(settings === undefined ? {} : { settings }),
    groups: Object.fromEntries(groups),
    prices: Object.fromEntries(list),
    channels,
  };
  // Prices are read by the hundred: their rates have a line each.
  const document = new Document(content, { aliasDuplicateObjects: false });
  visit(document, {
    Pair: (_, { key, value }) => {
      if (isScalar(key) && key.value === 'rates' && isMap(value)) value.flow = true;
    },
  });
  return HEAD + document.toString({ lineWidth: 0 });
}

type Named = (kind: string, ...of: string[]) => string;

function ofChannel(channel: Channel, name: Named): z.output<typeof fileChannel> {
  const masked = (value: string, ...of: [string, ...string[]]): string =>
    value.startsWith(SECRET_MASK) ? placeholderOf(name(...of)) : value;
  const headers = Object.entries(channel.model_headers);
  return fileChannel.parse({
    ...channel,
    status: channel.status === 'disabled' ? 'disabled' : 'enabled',
    key: channel.key_count === 0 ? '' : placeholderOf(name('KEY', channel.name)),
    proxy: masked(channel.proxy, 'PROXY', channel.name),
    model_headers: Object.fromEntries(
      headers.map(([header, value]) => [header, masked(value, 'HEADER', channel.name, header)]),
    ),
  });
}

/** Names of variables, each once: two channels may differ in nothing that a variable's name can have. */
function variableNames(): Named {
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
function withoutDefaults(
  schema: z.ZodObject,
  value: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, field]) => {
      const own = schema.shape[name];
      return own === undefined || readsAs(own, undefined, field) ? [] : [[name, brief(own, field)]];
    }),
  );
}

/** Nulls that are read back from nothing. */
function brief(schema: z.core.$ZodType, field: unknown): unknown {
  const without = withoutNulls(field);
  return readsAs(schema, without, field) ? without : field;
}

function readsAs(schema: z.core.$ZodType, written: unknown, field: unknown): boolean {
  const read = z.safeParse(schema, written);
  return read.success && isDeepStrictEqual(read.data, field);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(entries.map(([name, field]) => [name, withoutNulls(field)]));
}
