import {
  decodeSignature,
  encodeSignature,
  type ReasoningSignature,
  type SignatureLabel,
} from '../../../model/reasoning-signature.ts';

const signed: SignatureLabel = { origin: 'gemini', kind: 'signature' };

/** Base64 of the prefix of every foreign reasoning signature, see `reasoning-signature.ts`. */
const FOREIGN = 'c3dpdGNoeWFyZC';

/**
 * Signatures are bytes here, and some of Google's client libraries decode and encode them again: what is somebody
 * else's has to be base64 as well.
 */
export function writeSignature(signature: ReasoningSignature): string {
  const written = encodeSignature(signature, 'gemini');
  return signature.origin === 'gemini' ? written : Buffer.from(written).toString('base64');
}

export function readSignature(text: string): ReasoningSignature | undefined {
  return decodeSignature(text.startsWith(FOREIGN) ? Buffer.from(text, 'base64').toString() : text, signed);
}
