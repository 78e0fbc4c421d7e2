import type { AnswerEvent } from '../../conversation.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';
import { readProof } from '../../proof.ts';
import { redacted, signed } from './proofs.ts';

/**
 * Reasoning has no place in OpenAI's own chat dialect; vendors put it in `reasoning_content` (DeepSeek, Qwen,
 * Moonshot, …), `reasoning` (Groq, OpenRouter, vLLM) or `reasoning_details` (OpenRouter, with signatures).
 */
export function readReasoning(delta: JsonObject, events: AnswerEvent[]): void {
  const plain = textOf(delta['reasoning_content']) ?? textOf(delta['reasoning']);
  if (plain !== undefined) events.push({ type: 'reasoning', text: plain });
  for (const detail of listOf(delta['reasoning_details']).map(objectOf)) {
    const text = plain === undefined ? (textOf(detail['text']) ?? textOf(detail['summary'])) : undefined;
    if (text !== undefined) events.push({ type: 'reasoning', text });
    const signature = textOf(detail['signature']);
    if (signature !== undefined)
      events.push({ type: 'reasoning-proof', proof: readProof(signature, signed) });
    const data = detail['type'] === 'reasoning.encrypted' ? textOf(detail['data']) : undefined;
    if (data !== undefined) events.push({ type: 'reasoning-proof', proof: readProof(data, redacted) });
  }
}

/** Content is a string, or with Mistral a list of text and thinking parts. */
export function readText(content: unknown, events: AnswerEvent[]): void {
  const text = textOf(content);
  if (text !== undefined) events.push({ type: 'text', text });
  for (const part of listOf(content).map(objectOf)) {
    const partText = textOf(part['text']);
    if (part['type'] === 'text' && partText !== undefined) events.push({ type: 'text', text: partText });
    if (part['type'] !== 'thinking') continue;
    for (const thought of listOf(part['thinking']).map(objectOf)) {
      const thoughtText = textOf(thought['text']);
      if (thoughtText !== undefined) events.push({ type: 'reasoning', text: thoughtText });
    }
  }
}
