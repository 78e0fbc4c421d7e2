/** Content of a provider's fixture folder: upstream requests that must be sent, and the vendor's responses. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { providers } from '@switchyard/relay';
import { z } from 'zod';

const folder = join(import.meta.dirname, '../../../packages/relay/fixtures');

/** Source of the vendor's response: recorded traffic, documentation, or only the schema of its dialect. */
export const evidenceLevels = ['recorded', 'documented', 'schema'] as const;
const proof = z.enum(evidenceLevels);

const json = z.record(z.string(), z.json());
const headers = z.record(z.string(), z.string());
const channel = z.strictObject({
  key: z.string().default('sample-secret-key'),
  base_url: z.string().default(''),
  options: z.record(z.string(), z.string()).default({}),
  /** Credentials that the vendor's sign-in returned. */
  access_token: z.string().optional(),
});

/** Counters that are not zero. */
const usage = z.record(z.string(), z.int().positive());

/** Data of an event; an object is written as JSON. */
const event = z.union([json, z.string()]);

const call = z.strictObject({
  /** Reason, if it is not obvious. */
  about: z.string().optional(),
  /** Page that documents it; default: the provider's. */
  source: z.url().optional(),
  proof: proof.optional(),
  /** Overrides the default. */
  options: z.record(z.string(), z.string()).optional(),
  /** Overrides the default. */
  base_url: z.string().optional(),
  /** Overrides the default; then the channel's access token does not count either. */
  key: z.string().optional(),
  access_token: z.string().optional(),
  client: z.strictObject({
    format: z.string(),
    body: json,
    /** With a file the body is sent as a form, of which it is the last field. */
    file: z.strictObject({ field: z.string(), name: z.string(), text: z.string() }).optional(),
    headers: headers.default({}),
    /** Query parameters of a task submission's path. */
    order: z.strictObject({ path: z.string(), mode: z.string().default('fast') }).optional(),
  }),
  /** The complete upstream request; of a form its fields, files by their text. */
  request: z.strictObject({ url: z.url(), headers, body: z.union([json, z.string()]) }),
  /** Names of unsupported fields. */
  drops: z.array(z.string()).default([]),
  answer: z.union([
    z.strictObject({ json: z.json(), headers: headers.optional() }),
    z.strictObject({ events: z.array(event) }),
    /** Messages of AWS's binary framing, by their type; the content of `chunk` is in it as bytes. */
    z.strictObject({ messages: z.array(json) }),
    z.strictObject({ text: z.string(), headers }),
    z.strictObject({ base64: z.base64(), headers }),
  ]),
  /** Response for the client. */
  says: z.strictObject({
    text: z.string().optional(),
    toolCalls: z.array(z.strictObject({ name: z.string(), input: z.json() })).optional(),
    /** Fields of a non-streaming JSON response, in the client's dialect. */
    fields: json.optional(),
    /** Number of bytes of a binary response. */
    bytes: z.int().optional(),
    /** The vendor's id of a task. */
    order: z.string().optional(),
    usage: usage.nullable(),
  }),
});

const failure = z.strictObject({
  status: z.int(),
  headers: headers.default({}),
  body: z.union([json, z.string(), z.array(z.json())]),
  kind: z.string(),
  /** Message for the client. */
  message: z.string().optional(),
});

const list = z.strictObject({
  url: z.url(),
  answer: z.json(),
  /** Subtype, if the vendor has several. */
  more: z.array(z.strictObject({ url: z.url(), answer: z.json() })).default([]),
  models: z.array(z.string()),
});

const balance = z.strictObject({ url: z.url(), answer: z.json(), microUsd: z.int() });

const cases = z.strictObject({
  source: z.url(),
  /** Day on which the pages were read. */
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

/** Undefined if a provider has none. @throws ZodError for an invalid file */
function readCases(provider: string): ProviderCases | undefined {
  const file = join(folder, provider, 'cases.json');
  return existsSync(file) ? cases.parse(JSON.parse(readFileSync(file, 'utf8'))) : undefined;
}

export const providerCases = providers.map((provider) => ({ provider, cases: readCases(provider.id) }));
