import { type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { ResponseEvent } from '../../../model/conversation.ts';

/** Content is a string, or with Mistral and Databricks a list of text and thinking parts. */
export function readText(content: unknown, events: ResponseEvent[]): void {
  const text = textOf(content);
  if (text !== undefined) events.push({ type: 'text', text });
  for (const part of listOf(content).map(objectOf)) {
    const partText = textOf(part['text']);
    if (part['type'] === 'text' && partText !== undefined) events.push({ type: 'text', text: partText });
    for (const text of readThoughts(part)) events.push({ type: 'reasoning', text });
  }
}

/** The texts of Mistral's part, whose type is `thinking`, or of Databricks', `reasoning`. */
export function readThoughts(part: JsonObject): string[] {
  if (part['type'] !== 'thinking' && part['type'] !== 'reasoning') return [];
  const texts = listOf(part['type'] === 'thinking' ? part['thinking'] : part['summary']);
  return texts.flatMap((thought) => textOf(objectOf(thought)['text']) ?? []);
}
