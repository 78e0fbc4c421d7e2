import type { UpstreamError } from '../../../errors/upstream-error.ts';
import { endReasonError } from '../../../exchange/response-end-check.ts';
import { countJson, type JsonObject, listOf, objectOf, objectsIn, textOf } from '../../../json/json.ts';
import type { UsageExtractor } from '../../../model/dialect.ts';
import type { Usage } from '../../../model/usage.ts';
import { readFinishReason } from './finish-reasons.ts';
import { readField } from './snake-and-camel-case-fields.ts';
import { UsageReport } from './usage-report.ts';

/** Usage extractor. A stream ends with a finish reason for each candidate; it has no other end mark. */
export class GeminiUsageExtractor implements UsageExtractor {
  /** Characters of the calls: their names, and their arguments, which are an object. */
  characters = 0;
  readonly #report = new UsageReport();
  readonly #ended = new Set<unknown>();
  readonly #choices: number;
  #isBlocked = false;
  /** Finish reason of the last candidate. */
  #finishReason: string | undefined;

  constructor(choices: number) {
    this.#choices = choices;
  }

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  get finished(): boolean {
    return this.#isBlocked || this.#ended.size >= this.#choices;
  }

  get endedChoices(): number {
    return this.#ended.size;
  }

  readEvent(chunk: JsonObject): boolean {
    this.#report.add(chunk);
    this.#isBlocked ||= readBlockReason(chunk) !== undefined;
    for (const candidate of objectsIn(chunk['candidates'])) {
      const reason = textOf(readField(candidate, 'finishReason'));
      if (reason !== undefined && !this.finished) this.#ended.add(candidate['index'] ?? 0);
      this.#finishReason = reason ?? this.#finishReason;
      for (const part of listOf(objectOf(candidate['content'])['parts'])) {
        const call = objectOf(readField(objectOf(part), 'functionCall'));
        this.characters += (textOf(call['name'])?.length ?? 0) + countJson(call['args']);
      }
    }
    return true;
  }

  emptyStreamError(): UpstreamError | undefined {
    return this.#isBlocked ? undefined : endReasonError(readFinishReason(this.#finishReason, false), 'gemini');
  }
}

/** Returns the reason why the whole response was blocked. */
export function readBlockReason(chunk: JsonObject): string | undefined {
  return textOf(readField(objectOf(readField(chunk, 'promptFeedback')), 'blockReason'));
}
