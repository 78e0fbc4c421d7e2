import type { StreamTap, TapFactory } from '../format.ts';
import { type JsonObject, listOf, objectOf, textOf } from '../json.ts';
import type { Usage } from '../usage.ts';
import { OpenaiUsageReport } from './openai-usage-report.ts';

/** For streams of chunks with `choices`, as chat and completions have them. */
export function openaiTap(content: readonly string[]): TapFactory {
  return {
    watch: { content, notable: ['usage', 'error', 'finish_reason', 'annotations'], notableValues: [] },
    endsWithDone: true,
    create: (request) => new OpenaiStreamTap(asksForUsage(request)),
  };
}

export function asksForUsage(request: JsonObject): boolean {
  return objectOf(request['stream_options'])['include_usage'] === true;
}

/** Without asking, OpenAI streams report no usage. */
export function askForUsage(request: JsonObject): JsonObject {
  if (request['stream'] !== true || asksForUsage(request)) return request;
  return { ...request, stream_options: { ...objectOf(request['stream_options']), include_usage: true } };
}

class OpenaiStreamTap implements StreamTap {
  finished = false;
  readonly #report = new OpenaiUsageReport();
  readonly #clientWantsUsage: boolean;

  constructor(clientWantsUsage: boolean) {
    this.#clientWantsUsage = clientWantsUsage;
  }

  get usage(): Usage | undefined {
    return this.#report.usage;
  }

  note(chunk: JsonObject): boolean {
    const reportsUsage = this.#report.add(chunk);
    const choices = listOf(chunk['choices']);
    if (choices.some((choice) => textOf(objectOf(choice)['finish_reason']) !== undefined))
      this.finished = true;
    const isUsageOnly = reportsUsage && choices.length === 0;
    return this.#clientWantsUsage || !isUsageOnly;
  }
}
