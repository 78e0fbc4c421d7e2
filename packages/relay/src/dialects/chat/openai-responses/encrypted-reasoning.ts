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
  const proof = decodeSignature(encrypted, own);
  return proof?.origin === ORIGIN ? { ...proof, value: `${itemId}|${proof.value}` } : proof;
}

interface EncryptedThought {
  /** Absent when another vendor made the proof. */
  itemId?: string;
  encrypted: string;
}

/** Writes a reasoning signature for `encrypted_content`. */
export function writeEncrypted(proof: ReasoningSignature): EncryptedThought {
  if (proof.origin !== ORIGIN) return { encrypted: encodeSignature(proof, ORIGIN) };
  const bar = proof.value.indexOf('|');
  return { itemId: proof.value.slice(0, Math.max(0, bar)), encrypted: proof.value.slice(bar + 1) };
}
