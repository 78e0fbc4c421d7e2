import { type JsonObject, textOf } from '../../../json/json.ts';
import { type Proof, type ProofLabel, readProof } from '../../../model/reasoning-signature.ts';

/** Label of Anthropic's reasoning signatures that carry no label of their own. */
const signed: ProofLabel = { origin: 'anthropic-messages', kind: 'signature' };
const redacted: ProofLabel = { origin: 'anthropic-messages', kind: 'redacted' };

/** Reads the reasoning signature of a `thinking` block, or of a piece of one. */
export function readSignature(block: JsonObject): Proof | undefined {
  return proofIn(block['signature'], signed);
}

/** Reads the reasoning signature of a `redacted_thinking` block. */
export function readRedacted(block: JsonObject): Proof | undefined {
  return proofIn(block['data'], redacted);
}

function proofIn(value: unknown, own: ProofLabel): Proof | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : readProof(text, own);
}
