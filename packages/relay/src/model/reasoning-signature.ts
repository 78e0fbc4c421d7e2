/**
 * Reasoning signatures: opaque values that a vendor requires unchanged in the next request, and that only the vendor
 * can read. A client of another dialect keeps one in its own dialect's field; a prefix names its origin, so that it
 * is never sent to another vendor.
 */

import { isObject, type JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import type { UpstreamDialectId } from './dialect-id.ts';

/** Members that hold a reasoning signature of a thought; without it, the thought is useless. */
const ofThoughts = ['signature', 'data', 'encrypted_content'] as const;
const ofOtherParts: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

export interface ReasoningSignature {
  /** Dialect of the vendor that created it. */
  origin: UpstreamDialectId;
  /** `redacted`: it replaces a thought that the vendor doesn't show. */
  kind: 'signature' | 'redacted';
  value: string;
}

/** Origin and kind of a reasoning signature. */
export type SignatureLabel = Omit<ReasoningSignature, 'value'>;

const SIGNATURE_PREFIX = 'switchyard.';
const prefixBytes = Buffer.from(SIGNATURE_PREFIX);
const carried = /^switchyard\.([a-z-]+)\.(signature|redacted)\./;

/** Writes a reasoning signature for a dialect's field. */
export function encodeSignature({ origin, kind, value }: ReasoningSignature, dialect: UpstreamDialectId): string {
  return origin === dialect ? value : `${SIGNATURE_PREFIX}${origin}.${kind}.${value}`;
}

/**
 * Placeholder for the signature of an unsigned thought. Clients return such thoughts, and a vendor would refuse them.
 */
export const UNSIGNED_THOUGHT = `${SIGNATURE_PREFIX}none.signature.`;

/** Returns whether a text is a signature carried in the field of another dialect. */
function isCarriedSignature(text: unknown): boolean {
  return typeof text === 'string' && carried.test(text);
}

/**
 * Decodes a signature; returns undefined for the placeholder.
 * @param own label of a signature without one
 */
export function decodeSignature(text: string, own: SignatureLabel): ReasoningSignature | undefined {
  if (text === UNSIGNED_THOUGHT) return undefined;
  const [head = '', origin, kind] = carried.exec(text) ?? [];
  if (head === '' || (kind !== 'signature' && kind !== 'redacted')) return { ...own, value: text };
  const known = origins.find((format) => format === origin);
  return known === undefined ? { ...own, value: text } : { origin: known, kind, value: text.slice(head.length) };
}

const origins: readonly UpstreamDialectId[] = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'gemini',
  'bedrock-converse',
];

/**
 * Removes reasoning signatures of other vendors, from turns that other channels answered; a vendor refuses foreign
 * ones. Returns the same object if there are none.
 */
export function removeForeignSignatures({ body, json }: ClientRequest, dropped: string[]): JsonObject {
  if (!body.includes(prefixBytes)) return json;
  const own = removeSignatures(json);
  if (!isObject(own) || JSON.stringify(own) === JSON.stringify(json)) return json;
  dropped.push('reasoning');
  return own;
}

function removeSignatures(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => (isForeignThought(item) ? [] : [removeSignatures(item)]));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(
    ([name, field]) => !(ofOtherParts.has(name) && isCarriedSignature(field)),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, removeSignatures(field)]));
}

function isForeignThought(item: unknown): boolean {
  return isObject(item) && ofThoughts.some((name) => isCarriedSignature(item[name]));
}
