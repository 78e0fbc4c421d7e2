/**
 * Reasoning signatures: opaque values that a vendor requires unchanged in the next request, and that only the vendor
 * can read. A client of another dialect keeps one in its own dialect's field; a prefix names its origin, so that it
 * is never sent to another vendor.
 */
import type { UpstreamDialectId } from './dialect-id.ts';

export interface ReasoningSignature {
  /** Dialect of the vendor that created it. */
  origin: UpstreamDialectId;
  /** `redacted`: it replaces a thought that the vendor doesn't show. */
  kind: 'signature' | 'redacted';
  value: string;
}

/** Origin and kind of a reasoning signature. */
export type SignatureLabel = Omit<ReasoningSignature, 'value'>;

export const SIGNATURE_PREFIX = 'switchyard.';
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
export function isCarriedSignature(text: unknown): boolean {
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
