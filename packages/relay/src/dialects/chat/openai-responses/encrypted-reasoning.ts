import {
  decodeSignature,
  encodeSignature,
  type ReasoningSignature,
  type SignatureLabel,
} from '../../../model/reasoning-signature.ts';

const ORIGIN = 'openai-responses';
const own: SignatureLabel = { origin: ORIGIN, kind: 'signature' };

/** The vendor wants a thought back as the item that it was, so that the item's id is part of the proof. */
export function readEncrypted(encrypted: string, itemId: string): ReasoningSignature | undefined {
  const signature = decodeSignature(encrypted, own);
  return signature?.origin === ORIGIN ? { ...signature, value: `${itemId}|${signature.value}` } : signature;
}

interface EncryptedThought {
  /** Absent when another vendor made the proof. */
  itemId?: string;
  encrypted: string;
}

/** Writes a reasoning signature for `encrypted_content`. */
export function writeEncrypted(signature: ReasoningSignature): EncryptedThought {
  if (signature.origin !== ORIGIN) return { encrypted: encodeSignature(signature, ORIGIN) };
  const bar = signature.value.indexOf('|');
  return { itemId: signature.value.slice(0, Math.max(0, bar)), encrypted: signature.value.slice(bar + 1) };
}
