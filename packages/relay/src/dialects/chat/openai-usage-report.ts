import { type JsonObject, listOf, objectOf } from '../../json/json.ts';
import { mergeReports, type Usage } from '../../model/usage.ts';
import { findOpenaiUsage } from '../openai/openai-usage.ts';

/**
 * Usage over the chunks of one answer; a whole answer is one chunk. Several vendors repeat a growing usage on every
 * chunk, and some report its parts in different chunks: the most that they report counts.
 */
export class OpenaiUsageReport {
  #usage: Usage | undefined;
  #citesWeb = false;

  /** @returns whether this chunk reports usage */
  add(chunk: JsonObject): boolean {
    this.#citesWeb ||= citesWeb(chunk);
    const usage = findOpenaiUsage(chunk);
    if (usage === undefined) return false;
    this.#usage = mergeReports(this.#usage, usage);
    return true;
  }

  /**
   * OpenAI's search models search once for an answer, and say so by `url_citation` annotations only; vendors that
   * count their searches win. Source: OpenAI's guide "Web search", Chat Completions.
   */
  get usage(): Usage | undefined {
    if (this.#usage === undefined || !this.#citesWeb || this.#usage.webSearch > 0) return this.#usage;
    return { ...this.#usage, webSearch: 1 };
  }
}

function citesWeb(chunk: JsonObject): boolean {
  return listOf(chunk['choices'])
    .map(objectOf)
    .flatMap((choice) => listOf(objectOf(choice['message'] ?? choice['delta'])['annotations']))
    .some((annotation) => objectOf(annotation)['type'] === 'url_citation');
}
