import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent } from '../../../model/conversation.ts';
import type { Proof } from '../../../model/reasoning-signature.ts';
import { readCallProof, readDetailProof, signsCall } from './reasoning-signatures.ts';

/**
 * Reasoning has no place in OpenAI's own chat dialect; vendors put it in `reasoning_content` (DeepSeek, Qwen,
 * Moonshot, …), `reasoning` (Groq, OpenRouter, vLLM) or `reasoning_details` (OpenRouter, with signatures).
 */
export class ReasoningReader {
  /** Then the texts in the details are the same again. */
  #isPlain = false;
  #lastCallProof = '';

  read(delta: JsonObject, events: AnswerEvent[]): void {
    const plain = textOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
    if (plain !== undefined) {
      this.#isPlain = true;
      events.push({ type: 'reasoning', text: plain });
    }
    const details = listOf(delta['reasoning_details']).map(objectOf);
    if (details.length === 0) return;
    const signedCalls = new Set(
      listOf(delta['tool_calls']).map((call) => readCallProof(objectOf(call))?.value),
    );
    for (const detail of details) {
      const text = this.#isPlain ? undefined : (textOf(detail['text']) ?? textOf(detail['summary']));
      if (text !== undefined) events.push({ type: 'reasoning', text });
      const proof = readDetailProof(detail);
      if (proof === undefined || (signsCall(proof) && signedCalls.has(proof.value))) continue;
      this.#push(proof, events);
    }
  }

  /** The proof of a call goes in front of it, unless it stood among the details just before. */
  readCall(call: JsonObject, events: AnswerEvent[]): void {
    const proof = readCallProof(call);
    if (proof !== undefined && proof.value !== this.#lastCallProof) this.#push(proof, events);
  }

  #push(proof: Proof, events: AnswerEvent[]): void {
    if (signsCall(proof)) this.#lastCallProof = proof.value;
    events.push({ type: 'reasoning-proof', proof });
  }
}
