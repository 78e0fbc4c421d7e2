import { type Proof, type ProofLabel, readProof, writeProof } from '../../../model/reasoning-signature.ts';

const ORIGIN = 'openai-responses';
const own: ProofLabel = { origin: ORIGIN, kind: 'signature' };

/** The vendor wants a thought back as the item that it was, so that the item's id is part of the proof. */
export function readEncrypted(encrypted: string, itemId: string): Proof | undefined {
  const proof = readProof(encrypted, own);
  return proof?.origin === ORIGIN ? { ...proof, value: `${itemId}|${proof.value}` } : proof;
}

interface EncryptedThought {
  /** Absent when another vendor made the proof. */
  itemId?: string;
  encrypted: string;
}

/** Writes a reasoning signature for `encrypted_content`. */
export function writeEncrypted(proof: Proof): EncryptedThought {
  if (proof.origin !== ORIGIN) return { encrypted: writeProof(proof, ORIGIN) };
  const bar = proof.value.indexOf('|');
  return { itemId: proof.value.slice(0, Math.max(0, bar)), encrypted: proof.value.slice(bar + 1) };
}
