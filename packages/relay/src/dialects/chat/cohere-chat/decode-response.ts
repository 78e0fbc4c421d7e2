import { UpstreamError } from '../../../errors/upstream-error.ts';
import { isObject, type JsonObject, listOf, numberOf, objectOf, textOf } from '../../../json/json.ts';
import type { CitedSource, FinishReason, ResponseEvent } from '../../../model/conversation.ts';
import type { StreamDecoder, UnsupportedFields } from '../../../model/dialect.ts';
import { createId, startEvent } from '../../../model/task-and-call-ids.ts';
import { emptyUsage, toCallCount, toTokenCount, type Usage } from '../../../model/usage.ts';
import { readArguments } from '../../../translate/tool-input.ts';

export function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new CohereDecoder(lost);
}

/** Decodes a non-streaming response as the equivalent stream. */
export function decodeResponse(answer: JsonObject, lost: UnsupportedFields): ResponseEvent[] {
  const decoder = new CohereDecoder(lost);
  const { content, tool_plan, tool_calls, citations } = objectOf(answer['message']);
  const { finish_reason, usage } = answer;
  const pieces: JsonObject[] = [
    { type: 'message-start', id: answer['id'] },
    { type: 'tool-plan-delta', delta: { message: { tool_plan } } },
    ...listOf(content).flatMap((block) => [
      { type: 'content-start' },
      { type: 'content-delta', delta: { message: { content: block } } },
    ]),
    ...listOf(tool_calls).flatMap((call, index) => [
      { type: 'tool-call-start', index, delta: { message: { tool_calls: call } } },
      { type: 'tool-call-end', index },
    ]),
    ...listOf(citations).map((one) => ({ type: 'citation-start', delta: { message: { citations: one } } })),
    { type: 'message-end', delta: { finish_reason: finish_reason ?? 'COMPLETE', usage } },
  ];
  const events: ResponseEvent[] = [];
  for (const piece of pieces) for (const event of decoder.push(piece)) events.push(event);
  return events;
}

const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['COMPLETE', 'stop'],
  ['STOP_SEQUENCE', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['TOOL_CALL', 'tool-calls'],
]);
const failures: ReadonlySet<string> = new Set(['ERROR', 'TIMEOUT']);

/** https://docs.cohere.com/docs/streaming */
class CohereDecoder implements StreamDecoder {
  usage: Usage | undefined;
  #calls = 0;
  /** Open call, with the start of its arguments while they may still turn out to be `null`. */
  #open: { index: number; held: string | undefined } | undefined;
  #length = 0;
  /** Position in the response's text where the open text block begins. */
  #blockStart = 0;
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  push(event: JsonObject): ResponseEvent[] {
    const delta = objectOf(event['delta']);
    const message = objectOf(delta['message']);
    switch (event['type']) {
      case 'message-start':
        return [startEvent(event['id'])];
      case 'tool-plan-delta':
        return reasoning(message['tool_plan']);
      case 'content-start':
        this.#blockStart = this.#length;
        return this.#content(objectOf(message['content']));
      case 'content-delta':
        return this.#content(objectOf(message['content']));
      case 'tool-call-start':
        return this.#startCall(objectOf(message['tool_calls']));
      case 'tool-call-delta':
        return this.#arguments(objectOf(message['tool_calls']));
      case 'tool-call-end':
        return this.#endCall();
      case 'citation-start':
        return readCitation(objectOf(message['citations']), this.#blockStart, this.#length, this.#lost);
      case 'message-end':
        return this.#finish(delta);
      default:
        return [];
    }
  }

  /** True after the finish event. */
  end(): ResponseEvent[] {
    return [];
  }

  #content({ text, thinking }: JsonObject): ResponseEvent[] {
    const said = textOf(text);
    this.#length += said?.length ?? 0;
    return [...reasoning(thinking), ...(said === undefined ? [] : [{ type: 'text' as const, text: said }])];
  }

  #startCall(call: JsonObject): ResponseEvent[] {
    const ended = this.#endCall();
    const index = this.#calls++;
    this.#open = { index, held: '' };
    const name = textOf(objectOf(call['function'])['name']) ?? '';
    const callId = textOf(call['id']) ?? createId('call_');
    return [...ended, { type: 'tool-call', index, callId, name }, ...this.#arguments(call)];
  }

  /** Decodes arguments. A call without arguments has none, or `null`. */
  #arguments(call: JsonObject): ResponseEvent[] {
    const piece = readArguments(objectOf(call['function'])['arguments']);
    const open = this.#open;
    if (piece === undefined || open === undefined) return [];
    const text = (open.held ?? '') + piece;
    open.held = open.held !== undefined && 'null'.startsWith(text) ? text : undefined;
    return open.held === undefined ? [{ type: 'tool-arguments', index: open.index, text }] : [];
  }

  #endCall(): ResponseEvent[] {
    const open = this.#open;
    this.#open = undefined;
    return open?.held === undefined ? [] : [{ type: 'tool-arguments', index: open.index, text: '{}' }];
  }

  /** @throws UpstreamError when the vendor failed during the response */
  #finish({ finish_reason, usage }: JsonObject): ResponseEvent[] {
    const reason = textOf(finish_reason) ?? '';
    const report = readUsage(usage);
    this.usage = report ?? this.usage;
    if (failures.has(reason))
      throw new UpstreamError('overloaded', 'The upstream failed during its response.', { status: 200, code: reason });
    return [
      ...this.#endCall(),
      ...(report === undefined ? [] : [{ type: 'usage' as const, usage: report }]),
      { type: 'finish', reason: reasons.get(reason) ?? 'other' },
    ];
  }
}

function reasoning(value: unknown): ResponseEvent[] {
  const text = textOf(value);
  return text === undefined ? [] : [{ type: 'reasoning', text }];
}

/**
 * Reads the billed usage if it is reported: `tokens` includes the vendor's own template, and so does the count of
 * cached tokens. https://docs.cohere.com/reference/chat#response.body.usage
 */
function readUsage(report: unknown): Usage | undefined {
  const { billed_units: billed, tokens } = objectOf(report);
  if (!isObject(billed) && !isObject(tokens)) return undefined;
  const counted = objectOf(billed ?? tokens);
  return {
    ...emptyUsage(),
    input: toTokenCount(counted['input_tokens']),
    output: toTokenCount(counted['output_tokens']),
    search: toCallCount(counted['search_units']),
  };
}

/** Maximum sources of a citation. */
const SOURCES_MAX = 20;

/**
 * Reads a citation. Its position is relative to its block; citations in thoughts and plans are unsupported.
 * @param blockStart position where the block begins. @param length length of all text so far
 */
function readCitation(
  citation: JsonObject,
  blockStart: number,
  length: number,
  lost: UnsupportedFields,
): ResponseEvent[] {
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
    .map((source) => ({ type: 'citation', citation: { ...readSource(objectOf(source)), start, end } }));
}

/** Reads a source: a document of the request, or a tool's result. */
function readSource({ id, document, tool_output: output }: JsonObject): CitedSource {
  const source = objectOf(document ?? output);
  return {
    url: textOf(source['url']),
    title: textOf(source['title']) ?? textOf(id),
    quote: textOf(source['text']) ?? textOf(source['snippet']),
  };
}
