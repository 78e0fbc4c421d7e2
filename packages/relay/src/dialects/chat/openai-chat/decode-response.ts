import { ITEMS_MAX } from '../../../errors/response-limits.ts';
import { type JsonObject, listOf, objectOf } from '../../../json/json.ts';
import type { CitedSource, ResponseEvent } from '../../../model/conversation.ts';
import type { StreamDecoder, UnsupportedFields } from '../../../model/dialect.ts';
import { startEvent } from '../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../model/usage.ts';
import { CHOICES_MAX } from '../../../translate/response-choices.ts';
import { OpenaiUsageReport } from '../openai-usage-extractor.ts';
import { ChoiceDecoder } from './choice-decoder.ts';
import { readTopLevelCitations } from './read-content.ts';

export function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new ChunkDecoder(lost);
}

/** Decodes a non-streaming response as a stream of one chunk whose deltas are the messages. */
export function decodeResponse(body: unknown, lost: UnsupportedFields): ResponseEvent[] {
  return decodeWithUsage(objectOf(body), lost).events;
}

/** Does the same, and returns the usage, which includes searches that the response does not report as usage. */
export function decodeWithUsage(
  body: JsonObject,
  lost: UnsupportedFields,
): { events: ResponseEvent[]; usage: Usage | undefined } {
  const decoder = new ChunkDecoder(lost);
  const events = decoder.read(body, 'message');
  return { events: [...events, ...decoder.end(true)], usage: decoder.usage };
}

class ChunkDecoder implements StreamDecoder {
  #id: string | undefined;
  #sentFinish = false;
  #citations: CitedSource[] = [];
  readonly #choices = new Map<number, ChoiceDecoder>();
  readonly #report = new OpenaiUsageReport();
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  push(chunk: JsonObject): ResponseEvent[] {
    return this.read(chunk, 'delta');
  }

  read(chunk: JsonObject, deltaField: 'delta' | 'message'): ResponseEvent[] {
    this.#report.add(chunk);
    const citations = readTopLevelCitations(chunk);
    if (citations.length > 0) this.#citations = citations;
    const events: ResponseEvent[] = [];
    for (const [position, value] of listOf(chunk['choices']).entries()) {
      const choice = objectOf(value);
      const index = choice['index'] ?? position;
      if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= CHOICES_MAX) continue;
      // Azure's first chunk reports on the prompt without an id and choices.
      if (this.#id === undefined) {
        const start = startEvent(chunk['id'], chunk['model']);
        this.#id = start.id;
        events.push(start);
      }
      const decoder = this.#choices.get(index) ?? new ChoiceDecoder(index, this.#id, this.#lost);
      this.#choices.set(index, decoder);
      for (const event of decoder.read(choice, deltaField)) events.push(event);
    }
    return events;
  }

  /** Returns the finish events, which wait for the usage. */
  end(isMarked: boolean): ResponseEvent[] {
    const choices = [...this.#choices.values()];
    // An end mark alone is not a complete response without content or a finish reason.
    const isWhole = isMarked && choices.some((choice) => choice.hasReason || choice.hasEvents);
    const ended = choices.filter((choice) => isWhole || choice.hasReason);
    if (this.#sentFinish || ended.length === 0) return [];
    this.#sentFinish = true;
    // Zeros would tell the client that there were no tokens.
    const usage = this.#report.isReported ? this.usage : undefined;
    return [
      ...choices.flatMap((choice) => this.#citationsOf(choice, Math.floor(ITEMS_MAX / choices.length))),
      ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
      ...ended.map((choice) => choice.finish()),
    ];
  }

  /** Returns a choice's citations. Citations beside the choices apply to the whole text of each. @param most of these */
  #citationsOf(choice: ChoiceDecoder, most: number): ResponseEvent[] {
    if (choice.hasCitations) return choice.heldCitations();
    if (this.#citations.length > most) this.#lost.add('citations');
    return this.#citations
      .slice(0, most)
      .map((source) => choice.withChoice({ type: 'citation', citation: { ...source, start: 0, end: choice.length } }));
  }
}
