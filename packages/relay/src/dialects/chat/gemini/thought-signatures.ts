import { type Proof, type ProofLabel, readProof, writeProof } from '../../../model/reasoning-signature.ts';

const signed: ProofLabel = { origin: 'gemini', kind: 'signature' };

/** Base64 of the prefix of every foreign reasoning signature, see `reasoning-signature.ts`. */
const FOREIGN = 'c3dpdGNoeWFyZC';

/**
 * Signatures are bytes here, and some of Google's client libraries decode and encode them again: what is somebody
 * else's has to be base64 as well.
 */
export function writeSignature(proof: Proof): string {
  const written = writeProof(proof, 'gemini');
  return proof.origin === 'gemini' ? written : Buffer.from(written).toString('base64');
}

export function readSignature(text: string): Proof | undefined {
  return readProof(text.startsWith(FOREIGN) ? Buffer.from(text, 'base64').toString() : text, signed);
}
