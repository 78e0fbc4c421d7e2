import { isObject, type JsonObject, listOf, objectOf, objectsIn, textOf } from '../../../json/json.ts';
import type { CitedSource, FinishReason, ResponseEvent } from '../../../model/conversation.ts';
import type { StreamDecoder, UnsupportedFields } from '../../../model/dialect.ts';
import type { ReasoningSignature } from '../../../model/reasoning-signature.ts';
import { reconcileTokens } from '../../../model/reconcile-tokens.ts';
import { createId } from '../../../model/task-and-call-ids.ts';
import { emptyUsage, toTokenCount, type Usage } from '../../../model/usage.ts';
import { readArguments } from '../../../translate/tool-input.ts';

export function createStreamDecoder(lost: UnsupportedFields): StreamDecoder {
  return new ConverseDecoder(lost);
}

/** Decodes a non-streaming response as the equivalent stream. */
export function decodeResponse(answer: JsonObject, lost: UnsupportedFields): ResponseEvent[] {
  const decoder = new ConverseDecoder(lost);
  const { message } = objectOf(answer['output']);
  const events: ResponseEvent[] = [];
  for (const [contentBlockIndex, block] of objectsIn(objectOf(message)['content']).entries()) {
    const isCall = block['toolUse'] !== undefined;
    const pieces = [
      ...(isCall ? [{ contentBlockStart: { contentBlockIndex, start: block } }] : []),
      ...toDeltas(block).map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
      { contentBlockStop: { contentBlockIndex } },
    ];
    for (const piece of pieces) for (const event of decoder.push(piece)) events.push(event);
  }
  const stopReason = textOf(answer['stopReason']) ?? (events.length === 0 ? undefined : 'end_turn');
  const end = stopReason === undefined ? {} : { messageStop: { stopReason } };
  return [...events, ...decoder.push({ metadata: { usage: answer['usage'] } }), ...decoder.push(end), ...decoder.end()];
}

/** Converts a block of a non-streaming response to stream deltas. */
function toDeltas(block: JsonObject): JsonObject[] {
  const { citationsContent, reasoningContent, toolUse } = block;
  if (toolUse !== undefined) return [{ toolUse: { input: readArguments(objectOf(toolUse)['input']) ?? '{}' } }];
  if (citationsContent !== undefined) {
    const { content, citations } = objectOf(citationsContent);
    return [...objectsIn(content), ...listOf(citations).map((citation) => ({ citation }))];
  }
  if (reasoningContent === undefined) return [block];
  const { reasoningText, ...others } = objectOf(reasoningContent);
  const { text, signature } = objectOf(reasoningText);
  return [{ reasoningContent: { text } }, { reasoningContent: { signature } }, { reasoningContent: others }];
}

interface OpenCall {
  index: number;
  hasArguments: boolean;
}

class ConverseDecoder implements StreamDecoder {
  usage: Usage | undefined;
  /** Open tool calls by block index. */
  readonly #calls = new Map<unknown, OpenCall>();
  readonly #citations: OpenCitations;
  #callCount = 0;
  #finish: ResponseEvent | undefined;
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
    this.#citations = new OpenCitations(lost);
  }

  push(event: JsonObject): ResponseEvent[] {
    const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = event;
    if (contentBlockStart !== undefined) return this.#start(objectOf(contentBlockStart));
    if (contentBlockDelta !== undefined) return this.#delta(objectOf(contentBlockDelta));
    if (contentBlockStop !== undefined) return this.#stopBlock(objectOf(contentBlockStop)['contentBlockIndex']);
    if (messageStop !== undefined) {
      const reason = readStopReason(textOf(objectOf(messageStop)['stopReason']) ?? 'end_turn');
      this.#finish = { type: 'finish', reason };
    }
    const usage = metadata === undefined ? undefined : readUsage(objectOf(metadata)['usage']);
    if (usage === undefined) return [];
    this.usage = usage;
    return [{ type: 'usage', usage }];
  }

  /**
   * Returns the finish event, which is held back because the usage may arrive before or after the vendor's stop
   * event.
   */
  end(): ResponseEvent[] {
    return this.#finish === undefined ? [] : [...this.#citations.stop(), this.#finish];
  }

  #start({ contentBlockIndex, start }: JsonObject): ResponseEvent[] {
    const { toolUse } = objectOf(start);
    if (toolUse === undefined) return [];
    const { toolUseId, name, type } = objectOf(toolUse);
    if (type === 'server_tool_use') {
      this.#lost.add('toolUse.server_tool_use');
      return [];
    }
    const index = this.#callCount++;
    this.#calls.set(contentBlockIndex, { index, hasArguments: false });
    return [{ type: 'tool-call', index, callId: textOf(toolUseId) ?? createId('tooluse_'), name: textOf(name) ?? '' }];
  }

  #delta({ contentBlockIndex, delta }: JsonObject): ResponseEvent[] {
    const { text, toolUse, reasoningContent, citation, ...others } = objectOf(delta);
    for (const [name, value] of Object.entries(others)) if (isObject(value)) this.#lost.add(`content.${name}`);
    const said = textOf(text);
    if (said !== undefined) {
      this.#citations.addText(said);
      return [{ type: 'text', text: said }];
    }
    if (citation !== undefined) this.#citations.cite(objectOf(citation));
    if (reasoningContent !== undefined) return reasoning(objectOf(reasoningContent));
    const call = this.#calls.get(contentBlockIndex);
    const input = readArguments(objectOf(toolUse)['input']);
    if (call === undefined || input === undefined) return [];
    call.hasArguments = true;
    return [{ type: 'tool-arguments', index: call.index, text: input }];
  }

  #stopBlock(index: unknown): ResponseEvent[] {
    const call = this.#calls.get(index);
    this.#calls.delete(index);
    if (call === undefined) return this.#citations.stop();
    // A call without arguments may arrive without any fragment; other dialects require an empty object.
    return call.hasArguments ? [] : [{ type: 'tool-arguments', index: call.index, text: '{}' }];
  }
}

function reasoning({ text, signature, redactedContent }: JsonObject): ResponseEvent[] {
  const [thought, signed, redacted] = [textOf(text), textOf(signature), textOf(redactedContent)];
  const origin = 'bedrock-converse';
  return [
    ...(thought === undefined ? [] : [{ type: 'reasoning' as const, text: thought }]),
    ...(signed === undefined ? [] : [signatureEvent({ origin, kind: 'signature', value: signed })]),
    ...(redacted === undefined ? [] : [signatureEvent({ origin, kind: 'redacted', value: redacted })]),
  ];
}

function signatureEvent(signature: ReasoningSignature): ResponseEvent {
  return { type: 'reasoning-proof', signature };
}

/** Finish reasons by Bedrock's stop reason. Any other value is read as `other`. */
const reasons: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content-filter'],
  ['content_filtered', 'content-filter'],
  ['malformed_tool_use', 'malformed-call'],
  ['malformed_model_output', 'invalid-output'],
]);

function readStopReason(reason: string): FinishReason {
  return reasons.get(reason) ?? 'other';
}

/**
 * Reads usage. `inputTokens` excludes cached tokens; `outputTokens` includes reasoning without a separate count. Cache
 * writes without details last five minutes, because requests to Converse are sent without a lifetime.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
function readUsage(report: unknown): Usage | undefined {
  if (!isObject(report) || (report['inputTokens'] == null && report['outputTokens'] == null)) return undefined;
  const details = objectsIn(report['cacheDetails']);
  const write1h = details
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, { inputTokens }) => toTokenCount(sum + toTokenCount(inputTokens)), 0);
  const written = Math.max(toTokenCount(report['cacheWriteInputTokens']), write1h);
  const cachedRead = toTokenCount(report['cacheReadInputTokens']);
  const tokens = reconcileTokens({
    prompt: toTokenCount(report['inputTokens']),
    completion: report['outputTokens'],
    total: toTokenCount(report['totalTokens']) - cachedRead - written,
    parts: {},
  });
  return { ...emptyUsage(), ...tokens, cachedRead, cacheWrite5m: written - write1h, cacheWrite1h: write1h };
}

/** Maximum citations of a block; paragraphs have far fewer. */
const CITATIONS_MAX = 1_000;

/** Collector of the citations for the open text block; each one applies to the whole block. */
class OpenCitations {
  #sources: CitedSource[] = [];
  #start = 0;
  #end = 0;
  readonly #lost: UnsupportedFields;

  constructor(lost: UnsupportedFields) {
    this.#lost = lost;
  }

  addText(text: string): void {
    this.#end += text.length;
  }

  /** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Citation.html */
  cite({ title, location, sourceContent }: JsonObject): void {
    if (this.#sources.length >= CITATIONS_MAX) {
      this.#lost.add('citation');
      return;
    }
    const quotes = listOf(sourceContent).flatMap((piece) => textOf(objectOf(piece)['text']) ?? []);
    this.#sources.push({
      url: textOf(objectOf(objectOf(location)['web'])['url']),
      title: textOf(title),
      quote: quotes.length > 0 ? quotes.join('') : undefined,
    });
  }

  stop(): ResponseEvent[] {
    const place = { start: this.#start, end: this.#end };
    const citations = this.#sources.map((source) => ({ ...source, ...place }));
    this.#sources = [];
    this.#start = this.#end;
    return citations.map((citation) => ({ type: 'citation', citation }));
  }
}
