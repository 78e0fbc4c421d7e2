/** What a provider's fixture folder says: requests as they must reach the vendor, and its answers as it writes them. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providers } from '@switchyard/relay';
import { z } from 'zod';

const folder = join(import.meta.dirname, '../../../packages/relay/fixtures');

/** How what the vendor answers is known: seen in recorded traffic, documented, or only by the schema of its dialect. */
export const evidenceLevels = ['recorded', 'documented', 'schema'] as const;
const proof = z.enum(evidenceLevels);

const json = z.record(z.string(), z.json());
const headers = z.record(z.string(), z.string());
const channel = z.strictObject({
  key: z.string().default('sample-secret-key'),
  base_url: z.string().default(''),
  options: z.record(z.string(), z.string()).default({}),
  /** What the vendor's sign-in gave for them. */
  access_token: z.string().optional(),
});

/** Counters that are not zero. */
const usage = z.record(z.string(), z.int().positive());

/** Data of an event; an object is written as JSON. */
const event = z.union([json, z.string()]);

const call = z.strictObject({
  /** What it shows, when that is not plain. */
  about: z.string().optional(),
  /** The page that shows it; the provider's where absent. */
  source: z.url().optional(),
  proof: proof.optional(),
  /** Where it differs. */
  options: z.record(z.string(), z.string()).optional(),
  /** Where it differs. */
  base_url: z.string().optional(),
  /** Where it differs; then the channel's access token does not count either. */
  key: z.string().optional(),
  access_token: z.string().optional(),
  client: z.strictObject({
    format: z.string(),
    body: json,
    /** With a file the body goes as a form, of which it is the last field. */
    file: z.strictObject({ field: z.string(), name: z.string(), text: z.string() }).optional(),
    headers: headers.default({}),
    /** Of an order: what its address says. */
    order: z.strictObject({ path: z.string(), mode: z.string().default('fast') }).optional(),
  }),
  /** All of what the vendor is sent; of a form its fields, files by their text. */
  request: z.strictObject({ url: z.url(), headers, body: z.union([json, z.string()]) }),
  /** Names of fields that the vendor cannot be told. */
  drops: z.array(z.string()).default([]),
  answer: z.union([
    z.strictObject({ json: z.json(), headers: headers.optional() }),
    z.strictObject({ events: z.array(event) }),
    /** Messages of AWS's binary framing, by their type; what `chunk` holds is in it as bytes. */
    z.strictObject({ messages: z.array(json) }),
    z.strictObject({ text: z.string(), headers }),
    z.strictObject({ base64: z.base64(), headers }),
  ]),
  /** What the client makes of it. */
  says: z.strictObject({
    text: z.string().optional(),
    toolCalls: z.array(z.strictObject({ name: z.string(), input: z.json() })).optional(),
    /** Of whole JSON answers: these fields, in the client's dialect. */
    fields: json.optional(),
    /** Of answers that are bytes: how many. */
    bytes: z.int().optional(),
    /** Of an order: the vendor's name for it. */
    order: z.string().optional(),
    usage: usage.nullable(),
  }),
});

const failure = z.strictObject({
  status: z.int(),
  headers: headers.default({}),
  body: z.union([json, z.string(), z.array(z.json())]),
  kind: z.string(),
  /** What the person who asked is told. */
  message: z.string().optional(),
});

const list = z.strictObject({
  url: z.url(),
  answer: z.json(),
  /** Where the vendor has several. */
  more: z.array(z.strictObject({ url: z.url(), answer: z.json() })).default([]),
  models: z.array(z.string()),
});

const balance = z.strictObject({ url: z.url(), answer: z.json(), microUsd: z.int() });

const cases = z.strictObject({
  source: z.url(),
  /** The day on which the pages were read. */
  read: z.iso.date(),
  proof,
  channel: channel.prefault({}),
  calls: z.array(call).min(1),
  failures: z.array(failure).min(1),
  list: list.optional(),
  balance: balance.optional(),
});

export type ProviderCases = z.output<typeof cases>;
export type ProviderCall = z.output<typeof call>;
export type ProviderEvent = z.output<typeof event>;

/** Undefined where a provider has none. @throws ZodError when they are not written as they must be */
function readCases(provider: string): ProviderCases | undefined {
  const file = join(folder, provider, 'cases.json');
  return existsSync(file) ? cases.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

export const providerCases = providers.map((provider) => ({ provider, cases: readCases(provider.id) }));
