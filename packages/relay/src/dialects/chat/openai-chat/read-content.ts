import { type JsonObject, listOf, numberOf, objectOf, objectsIn, textOf } from '../../../json/json.ts';
import type { CitedSource, ResponseEvent } from '../../../model/conversation.ts';
import type { UnsupportedFields } from '../../../model/dialect.ts';
import { detectAudioType } from '../openai-content-audio-logprobs.ts';

/** Reads content: a string, or a list of text and thinking parts (Mistral, Databricks). */
export function readText(content: unknown, events: ResponseEvent[]): void {
  const text = textOf(content);
  if (text !== undefined) events.push({ type: 'text', text });
  for (const part of objectsIn(content)) {
    const partText = textOf(part['text']);
    if (part['type'] === 'text' && partText !== undefined) events.push({ type: 'text', text: partText });
    for (const text of readThoughts(part)) events.push({ type: 'reasoning', text });
  }
}

/** Returns the texts of Mistral's part of type `thinking`, or of Databricks' `reasoning`. */
export function readThoughts(part: JsonObject): string[] {
  if (part['type'] !== 'thinking' && part['type'] !== 'reasoning') return [];
  const texts = listOf(part['type'] === 'thinking' ? part['thinking'] : part['summary']);
  return texts.flatMap((thought) => textOf(objectOf(thought)['text']) ?? []);
}

/** Reads the annotations of a message. Some vendors omit the inner object. */
export function readAnnotations(value: unknown, events: ResponseEvent[], lost: UnsupportedFields): void {
  for (const annotation of objectsIn(value)) {
    if (annotation['type'] !== 'url_citation') {
      lost.add(`annotations.${textOf(annotation['type']) ?? 'unknown'}`);
      continue;
    }
    const details = objectOf(annotation['url_citation'] ?? annotation);
    const start = readOffset(details['start_index']);
    const citation = {
      url: textOf(details['url']),
      title: textOf(details['title']),
      quote: textOf(details['content']),
      start,
      end: Math.max(start, readOffset(details['end_index'])),
    };
    events.push({ type: 'citation', citation });
  }
}

function readOffset(value: unknown): number {
  const offset = numberOf(value) ?? 0;
  return Number.isSafeInteger(offset) && offset > 0 ? offset : 0;
}

/** Reads Perplexity's sources, which are beside the choices of every chunk; the text only contains their numbers. */
export function readTopLevelCitations(chunk: JsonObject): CitedSource[] {
  const results = objectsIn(chunk['search_results']);
  const found = results.flatMap((result) => {
    const url = textOf(result['url']);
    return url === undefined ? [] : [{ url, title: textOf(result['title']) }];
  });
  if (found.length > 0) return found;
  return listOf(chunk['citations']).flatMap((url) => (typeof url === 'string' ? [{ url }] : []));
}

/** Reads images in the form of OpenRouter and its imitators: data URLs. */
export function readImages(value: unknown, events: ResponseEvent[], lost: UnsupportedFields): void {
  for (const image of objectsIn(value)) {
    const url = textOf(objectOf(image['image_url'])['url']) ?? '';
    const comma = url.indexOf(',');
    const [, mediaType] = /^data:([^;,]{1,100});base64$/.exec(url.slice(0, Math.max(0, comma))) ?? [];
    if (mediaType === undefined) lost.add('images.url');
    else events.push({ type: 'image', mediaType, data: url.slice(comma + 1) });
  }
}

/** Reads the audio and its transcript. */
export function readAudio(value: unknown, events: ResponseEvent[]): void {
  const audio = objectOf(value);
  const transcript = textOf(audio['transcript']);
  if (transcript !== undefined) events.push({ type: 'text', text: transcript });
  const data = textOf(audio['data']);
  if (data !== undefined) events.push({ type: 'audio', mediaType: detectAudioType(data), data });
}
