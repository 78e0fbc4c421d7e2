/**
 * Opaque proofs of reasoning: what a vendor wants back unchanged with the next request, and nobody else can read.
 * A client of another dialect keeps one in the place that its own dialect has for such things; a prefix says whose it
 * is, so that it is never sent to a vendor that did not make it.
 */
import type { UpstreamDialectId } from './dialect-id.ts';

export interface ReasoningSignature {
  /** The dialect of the vendor that made it. */
  origin: UpstreamDialectId;
  /** `redacted`: it stands for a thought that the vendor does not show. */
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
 * Stands for the proof of a thought that nobody signed. A client sends such a thought back like any other, and a vendor
 * would refuse it.
 */
export const UNSIGNED_THOUGHT = `${SIGNATURE_PREFIX}none.signature.`;

/** Returns true if a text is a signature carried in the field of another dialect. */
export function isCarriedSignature(text: unknown): boolean {
  return typeof text === 'string' && carried.test(text);
}

/**
 * Returns undefined for what stands for no proof.
 * @param own what it is unless it says otherwise
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
