import { type JsonObject, textOf } from '../../../json/json.ts';
import { type Proof, type ProofLabel, readProof } from '../../../model/proof.ts';

/** What Anthropic's proofs are unless they say otherwise. */
const signed: ProofLabel = { origin: 'anthropic-messages', kind: 'signature' };
const redacted: ProofLabel = { origin: 'anthropic-messages', kind: 'redacted' };

/** Of a `thinking` block, or a piece of one. */
export function readSignature(block: JsonObject): Proof | undefined {
  return proofIn(block['signature'], signed);
}

/** Of a `redacted_thinking` block. */
export function readRedacted(block: JsonObject): Proof | undefined {
  return proofIn(block['data'], redacted);
}

function proofIn(value: unknown, own: ProofLabel): Proof | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : readProof(text, own);
}
