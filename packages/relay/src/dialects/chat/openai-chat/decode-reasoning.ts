import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { ReasoningPart } from '../../../model/conversation.ts';
import { readDetailProof, signsCall } from './reasoning-signatures.ts';

/**
 * The thoughts of an assistant's message: the counterpart of what the answer encoder wrote. Text stands in
 * `reasoning_content`, proofs in `reasoning_details`, with the text that they are about where there is more than one.
 */
export function reasoningParts(message: JsonObject): ReasoningPart[] {
  const thoughts = detailedThoughts(listOf(message['reasoning_details']).map(objectOf));
  const plain = textOf(message['reasoning_content']) ?? textOf(message['reasoning']) ?? '';
  const detailed = thoughts.map((thought) => thought.text).join('');
  if (!plain.endsWith(detailed)) return thoughts;
  const text = plain.slice(0, plain.length - detailed.length);
  if (text === '') return thoughts;
  const first = thoughts.find(({ proof }) => proof?.kind === 'signature' && !signsCall(proof));
  if (first === undefined) return [{ type: 'reasoning', text }, ...thoughts];
  first.text = text + first.text;
  return thoughts;
}

/** Clients keep the pieces of a stream side by side; a proof ends a thought. */
function detailedThoughts(details: readonly JsonObject[]): ReasoningPart[] {
  const thoughts: ReasoningPart[] = [];
  let text = '';
  for (const detail of details) {
    text += textOf(detail['text']) ?? textOf(detail['summary']) ?? '';
    const proof = readDetailProof(detail);
    if (proof === undefined) continue;
    const isAbout = proof.kind === 'signature' && !signsCall(proof);
    if (!isAbout && text !== '') thoughts.push({ type: 'reasoning', text });
    thoughts.push({ type: 'reasoning', text: isAbout ? text : '', proof });
    text = '';
  }
  if (text !== '') thoughts.push({ type: 'reasoning', text });
  return thoughts;
}
