import { type JsonObject, numberOf, objectOf, textOf } from '../../../../json/json.ts';
import type { AnswerEvent, Citation } from '../../../../model/conversation.ts';
import type { Lost } from '../../../../model/format.ts';

/**
 * @param base where the part begins in the answer's text
 * @param end where the text ends so far: the place of what has none of its own (xAI)
 */
export function readAnnotation(value: unknown, base: number, end: number, lost: Lost): AnswerEvent[] {
  const annotation = objectOf(value);
  const citation = citationOf(annotation, base, end);
  if (citation !== undefined) return [{ type: 'citation', citation }];
  lost.add(`annotations.${textOf(annotation['type']) ?? 'unknown'}`);
  return [];
}

function citationOf(annotation: JsonObject, base: number, end: number): Citation | undefined {
  const start = numberOf(annotation['start_index']) ?? numberOf(annotation['index']);
  const stop = numberOf(annotation['end_index']) ?? start;
  const place = {
    start: start === undefined ? end : base + start,
    end: stop === undefined ? end : base + stop,
  };
  switch (annotation['type']) {
    case 'url_citation':
      return { url: textOf(annotation['url']), title: textOf(annotation['title']), ...place };
    case 'file_citation':
    case 'container_file_citation':
      return { title: textOf(annotation['filename']), ...place };
    default:
      return undefined;
  }
}
