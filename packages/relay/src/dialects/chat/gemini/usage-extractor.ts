import type { UpstreamError } from '../../../errors/upstream-error.ts';
import { endReasonError } from '../../../exchange/response-end.ts';
import { DEPTH_MAX, isDeeperThan, isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { UsageExtractor } from '../../../model/dialect.ts';
import type { Usage } from '../../../model/usage.ts';
import { readField } from './field.ts';
import { readFinishReason } from './finish-reasons.ts';
import { UsageReport } from './usage-report.ts';

/** Nothing marks the end of a stream but that each candidate gives the reason for its own. */
export class GeminiUsageExtractor implements UsageExtractor {
  characters = 0;
  readonly #report = new UsageReport();
  readonly #ended = new Set<unknown>();
  readonly #choices: number;
  #isBlocked = false;
  #calls = 0;
  /** Why the last candidate ended. */
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

  readEvent(chunk: JsonObject): boolean {
    this.#report.add(chunk);
    this.#isBlocked ||= readBlockReason(chunk) !== undefined;
    for (const candidate of listOf(chunk['candidates']).map(objectOf)) {
      const reason = textOf(readField(candidate, 'finishReason'));
      if (reason !== undefined && !this.finished) this.#ended.add(candidate['index'] ?? 0);
      this.#finishReason = reason ?? this.#finishReason;
      for (const part of listOf(objectOf(candidate['content'])['parts'])) {
        const call = objectOf(readField(objectOf(part), 'functionCall'));
        if (textOf(call['name']) !== undefined) this.#calls += 1;
        this.characters += countArguments(call['args']);
      }
    }
    return true;
  }

  emptyStreamError(): UpstreamError | undefined {
    const isExplained = this.#isBlocked || this.#calls > 0;
    return isExplained ? undefined : endReasonError(readFinishReason(this.#finishReason, false), 'gemini');
  }
}

/** Why there is no answer at all. */
export function readBlockReason(chunk: JsonObject): string | undefined {
  return textOf(readField(objectOf(readField(chunk, 'promptFeedback')), 'blockReason'));
}

/** Arguments are an object, in which the scan for content strings finds nothing. */
function countArguments(value: unknown): number {
  return isObject(value) && !isDeeperThan(DEPTH_MAX, value) ? JSON.stringify(value).length : 0;
}
