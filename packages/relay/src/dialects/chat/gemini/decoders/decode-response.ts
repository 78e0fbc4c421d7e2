import { type JsonObject, objectOf, objectsIn } from '../../../../json/json.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { StreamDecoder, UnsupportedFields } from '../../../../model/dialect.ts';
import { startEvent } from '../../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { CHOICES_MAX } from '../../../../translate/response-choices.ts';
import { readFinishReason } from '../finish-reasons.ts';
import { readField } from '../snake-and-camel-case-fields.ts';
import { readBlockReason } from '../usage-extractor.ts';
import { UsageReport } from '../usage-report.ts';
import { CandidateReader } from './candidate-and-arguments-reader.ts';

export function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new ChunkDecoder(lost);
}

/** Decodes a non-streaming response as a stream of one chunk. */
export function decodeResponse(body: unknown, lost: UnsupportedFields): ResponseEvent[] {
  const decoder = new ChunkDecoder(lost);
  return [...decoder.push(objectOf(body)), ...decoder.end(), ...decoder.fallback()];
}

class ChunkDecoder implements StreamDecoder {
  #isStarted = false;
  #answerId = '';
  #isBlocked = false;
  #sentFinish = false;
  readonly #candidates = new Map<number, CandidateReader>();
  readonly #report = new UsageReport();
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  push(chunk: JsonObject): ResponseEvent[] {
    this.#report.add(chunk);
    this.#isBlocked ||= readBlockReason(chunk) !== undefined;
    const events = this.#start(chunk);
    for (const candidate of objectsIn(chunk['candidates'])) {
      const choice = readChoiceIndex(candidate['index']);
      const reader = this.#candidates.get(choice) ?? this.#newReader(choice);
      this.#candidates.set(choice, reader);
      for (const event of withChoice(choice, reader.read(candidate))) events.push(event);
    }
    return events;
  }

  #newReader(choice: number): CandidateReader {
    const id = this.#answerId;
    return new CandidateReader(choice === 0 || id === '' ? id : `${id}_${choice}`, this.#lost);
  }

  /** Returns the held events. One candidate may end before the next begins, and usage is complete only at the end. */
  end(): ResponseEvent[] {
    const candidates = [...this.#candidates];
    const isWhole = candidates.length > 0 && candidates.every(([, reader]) => reader.finishReason !== undefined);
    return isWhole || this.#isBlocked ? this.#finish() : [];
  }

  /** Ends a non-streaming response, which is complete even without a finish reason. */
  fallback(): ResponseEvent[] {
    return this.#sentFinish ? [] : this.#finish();
  }

  #start(chunk: JsonObject): ResponseEvent[] {
    if (this.#isStarted) return [];
    this.#isStarted = true;
    const start = startEvent(readField(chunk, 'responseId'), readField(chunk, 'modelVersion'));
    this.#answerId = start.id;
    return [start];
  }

  #finish(): ResponseEvent[] {
    if (this.#sentFinish) return [];
    this.#sentFinish = true;
    const { usage } = this;
    const rest = [...this.#candidates].flatMap(([choice, reader]) => withChoice(choice, reader.finish()));
    const ends = [...this.#candidates].flatMap(([choice, reader]) =>
      withChoice(choice, [{ type: 'finish', reason: readFinishReason(reader.finishReason, reader.calls > 0) }]),
    );
    const blocked: ResponseEvent = { type: 'finish', reason: this.#isBlocked ? 'content-filter' : 'other' };
    return [
      ...rest,
      ...(usage === undefined ? [] : [{ type: 'usage' as const, usage }]),
      ...(ends.length > 0 ? ends : [blocked]),
    ];
  }
}

function readChoiceIndex(index: unknown): number {
  return typeof index === 'number' && Number.isInteger(index) && index > 0 && index < CHOICES_MAX ? index : 0;
}

function withChoice(choice: number, events: ResponseEvent[]): ResponseEvent[] {
  return choice === 0 ? events : events.map((event) => ({ ...event, choice }));
}
