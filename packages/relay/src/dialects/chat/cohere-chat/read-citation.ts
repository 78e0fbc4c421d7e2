import { type JsonObject, listOf, numberOf, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent, CitedSource } from '../../../model/conversation.ts';
import type { Lost } from '../../../model/format.ts';

/** More than a sentence rests on. */
const SOURCES_MAX = 20;

/**
 * Places are told from the beginning of their block; those in thoughts and plans cannot be said.
 * @param blockStart where the block begins. @param length of all text so far
 */
export function readCitation(
  citation: JsonObject,
  blockStart: number,
  length: number,
  lost: Lost,
): AnswerEvent[] {
  if ((textOf(citation['type']) ?? 'TEXT_CONTENT') !== 'TEXT_CONTENT') {
    lost.add('citations');
    return [];
  }
  const place = (value: unknown): number =>
    Math.min(length, blockStart + Math.max(0, Math.floor(numberOf(value) ?? 0)));
  const start = place(citation['start']);
  const end = Math.max(start, place(citation['end']));
  return listOf(citation['sources'])
    .slice(0, SOURCES_MAX)
    .map((source) => ({ type: 'citation', citation: { ...sourceOf(objectOf(source)), start, end } }));
}

/** A document that the request held, or what a tool answered. */
function sourceOf({ id, document, tool_output: output }: JsonObject): CitedSource {
  const source = objectOf(document ?? output);
  return {
    url: textOf(source['url']),
    title: textOf(source['title']) ?? textOf(id),
    quote: textOf(source['text']) ?? textOf(source['snippet']),
  };
}
