import { type JsonObject, objectOf, textOf } from '../../../json/json.ts';
import { decodeSignature, type ReasoningSignature, type SignatureLabel } from '../../../model/reasoning-signature.ts';

/** Labels of signatures in `reasoning_details` without a label, which the upstream of this dialect created. */
const signed: SignatureLabel = { origin: 'openai-chat', kind: 'signature' };
const redacted: SignatureLabel = { origin: 'openai-chat', kind: 'redacted' };
const signedByGemini: SignatureLabel = { origin: 'gemini', kind: 'signature' };

/** Reads the reasoning signature of one entry in `reasoning_details`. */
export function readDetailSignature(detail: JsonObject): ReasoningSignature | undefined {
  const signature = textOf(detail['signature']);
  if (signature !== undefined) return decodeSignature(signature, signed);
  const data = detail['type'] === 'reasoning.encrypted' ? textOf(detail['data']) : undefined;
  return data === undefined ? undefined : decodeSignature(data, redacted);
}

/**
 * Reads Gemini's signature of a tool call, which is in the call itself in this dialect.
 * Source: Google's guide "Thought signatures", section on OpenAI compatibility.
 */
export function readCallSignature(call: JsonObject): ReasoningSignature | undefined {
  const signature = textOf(objectOf(objectOf(call['extra_content'])['google'])['thought_signature']);
  return signature === undefined ? undefined : decodeSignature(signature, signedByGemini);
}

export function signsCall(signature: ReasoningSignature | undefined): boolean {
  return signature?.origin === 'gemini' && signature.kind === 'signature';
}

/** Writes the fields that `readCallSignature` reads, to be spread into the call. */
export function encodeCallSignature(signature: string | undefined): Record<string, unknown> {
  if (signature === undefined) return {};
  return { extra_content: { google: { thought_signature: signature } } };
}
