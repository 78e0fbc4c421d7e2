import { isObject, type JsonObject } from '../json/json.ts';
import type { ClientRequest } from './client-request.ts';
import { isCarriedSignature, SIGNATURE_PREFIX } from './reasoning-signature.ts';

/** Members that hold a reasoning signature of a thought; without it, the thought is useless. */
const ofThoughts = ['signature', 'data', 'encrypted_content'] as const;
const ofOtherParts: ReadonlySet<string> = new Set(['thoughtSignature', 'thought_signature']);

/**
 * Removes reasoning signatures of other vendors, from turns that other channels answered; a vendor refuses foreign
 * ones. Returns the same object if there are none.
 */
export function removeForeignSignatures({ body, json }: ClientRequest, dropped: string[]): JsonObject {
  if (!body.includes(SIGNATURE_PREFIX)) return json;
  const own = removeSignatures(json);
  if (!isObject(own) || JSON.stringify(own) === JSON.stringify(json)) return json;
  dropped.push('reasoning');
  return own;
}

function removeSignatures(value: unknown): unknown {
  if (Array.isArray(value)) return value.flatMap((item) => (isForeignThought(item) ? [] : [removeSignatures(item)]));
  if (!isObject(value)) return value;
  const fields = Object.entries(value).filter(
    ([name, field]) => !(ofOtherParts.has(name) && isCarriedSignature(field)),
  );
  return Object.fromEntries(fields.map(([name, field]) => [name, removeSignatures(field)]));
}

function isForeignThought(item: unknown): boolean {
  return isObject(item) && ofThoughts.some((name) => isCarriedSignature(item[name]));
}
