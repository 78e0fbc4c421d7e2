import type { AnswerEvent } from '../../conversation.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../../json.ts';

/** Content is a string, or with Mistral a list of text and thinking parts. */
export function readText(content: unknown, events: AnswerEvent[]): void {
  const text = textOf(content);
  if (text !== undefined) events.push({ type: 'text', text });
  for (const part of listOf(content).map(objectOf)) {
    const partText = textOf(part['text']);
    if (part['type'] === 'text' && partText !== undefined) events.push({ type: 'text', text: partText });
    if (part['type'] === 'thinking')
      for (const text of thoughtsIn(part)) events.push({ type: 'reasoning', text });
  }
}

/** The texts of Mistral's thinking part. */
export function thoughtsIn(part: JsonObject): string[] {
  return listOf(part['thinking']).flatMap((thought) => textOf(objectOf(thought)['text']) ?? []);
}
