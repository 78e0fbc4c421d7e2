import { type JsonObject, textOf } from '../../../json/json.ts';
import {
  decodeSignature,
  type ReasoningSignature,
  type SignatureLabel,
} from '../../../model/reasoning-signature.ts';

/** Label of Anthropic's reasoning signatures that carry no label of their own. */
const signed: SignatureLabel = { origin: 'anthropic-messages', kind: 'signature' };
const redacted: SignatureLabel = { origin: 'anthropic-messages', kind: 'redacted' };

/** Reads the reasoning signature of a `thinking` block, or of a piece of one. */
export function readSignature(block: JsonObject): ReasoningSignature | undefined {
  return readLabeledSignature(block['signature'], signed);
}

/** Reads the reasoning signature of a `redacted_thinking` block. */
export function readRedacted(block: JsonObject): ReasoningSignature | undefined {
  return readLabeledSignature(block['data'], redacted);
}

function readLabeledSignature(value: unknown, own: SignatureLabel): ReasoningSignature | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : decodeSignature(text, own);
}
