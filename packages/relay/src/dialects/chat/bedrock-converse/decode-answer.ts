import { isObject, type JsonObject, listOf, objectOf, textOf } from '../../../json/json.ts';
import type { AnswerEvent } from '../../../model/conversation.ts';
import type { Lost, StreamDecoder } from '../../../model/format.ts';
import { newId } from '../../../model/new-id.ts';
import type { Proof } from '../../../model/reasoning-signature.ts';
import type { Usage } from '../../../model/usage.ts';
import { writtenArguments } from '../../../translate/tool-input.ts';
import { OpenCitations } from './open-citations.ts';
import { readStopReason } from './stop-reasons.ts';
import { readUsage } from './usage-report.ts';

export function createStreamDecoder(lost: Lost): StreamDecoder {
  return new ConverseDecoder(lost);
}

/** A whole answer is read as the stream that would have built it. */
export function decodeAnswer(answer: JsonObject, lost: Lost): AnswerEvent[] {
  const decoder = new ConverseDecoder(lost);
  const { message } = objectOf(answer['output']);
  const events: AnswerEvent[] = [];
  for (const [contentBlockIndex, block] of listOf(objectOf(message)['content']).map(objectOf).entries()) {
    const isCall = block['toolUse'] !== undefined;
    const pieces = [
      ...(isCall ? [{ contentBlockStart: { contentBlockIndex, start: block } }] : []),
      ...piecesOf(block).map((delta) => ({ contentBlockDelta: { contentBlockIndex, delta } })),
      { contentBlockStop: { contentBlockIndex } },
    ];
    for (const piece of pieces) for (const event of decoder.push(piece)) events.push(event);
  }
  const stopReason = textOf(answer['stopReason']) ?? (events.length === 0 ? undefined : 'end_turn');
  const end = stopReason === undefined ? {} : { messageStop: { stopReason } };
  return [
    ...events,
    ...decoder.push({ metadata: { usage: answer['usage'] } }),
    ...decoder.push(end),
    ...decoder.end(),
  ];
}

/** A block of a whole answer as the deltas of a stream. */
function piecesOf(block: JsonObject): JsonObject[] {
  const { citationsContent, reasoningContent, toolUse } = block;
  if (toolUse !== undefined)
    return [{ toolUse: { input: writtenArguments(objectOf(toolUse)['input']) ?? '{}' } }];
  if (citationsContent !== undefined) {
    const { content, citations } = objectOf(citationsContent);
    return [...listOf(content).map(objectOf), ...listOf(citations).map((citation) => ({ citation }))];
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
  #finish: AnswerEvent | undefined;
  readonly #lost: Lost;

  constructor(lost: Lost) {
    this.#lost = lost;
    this.#citations = new OpenCitations(lost);
  }

  push(event: JsonObject): AnswerEvent[] {
    const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop, metadata } = event;
    if (contentBlockStart !== undefined) return this.#start(objectOf(contentBlockStart));
    if (contentBlockDelta !== undefined) return this.#delta(objectOf(contentBlockDelta));
    if (contentBlockStop !== undefined)
      return this.#stopBlock(objectOf(contentBlockStop)['contentBlockIndex']);
    if (messageStop !== undefined) {
      const reason = readStopReason(textOf(objectOf(messageStop)['stopReason']) ?? 'end_turn');
      this.#finish = { type: 'finish', reason };
    }
    const usage = metadata === undefined ? undefined : readUsage(objectOf(metadata)['usage']);
    if (usage === undefined) return [];
    this.usage = usage;
    return [{ type: 'usage', usage }];
  }

  /** Returns the finish event. It is held back because the usage may arrive before or after the vendor's stop event. */
  end(): AnswerEvent[] {
    return this.#finish === undefined ? [] : [...this.#citations.stop(), this.#finish];
  }

  #start({ contentBlockIndex, start }: JsonObject): AnswerEvent[] {
    const { toolUse } = objectOf(start);
    if (toolUse === undefined) return [];
    const { toolUseId, name, type } = objectOf(toolUse);
    if (type === 'server_tool_use') {
      this.#lost.add('toolUse.server_tool_use');
      return [];
    }
    const index = this.#callCount++;
    this.#calls.set(contentBlockIndex, { index, hasArguments: false });
    return [
      { type: 'tool-call', index, callId: textOf(toolUseId) ?? newId('tooluse_'), name: textOf(name) ?? '' },
    ];
  }

  #delta({ contentBlockIndex, delta }: JsonObject): AnswerEvent[] {
    const { text, toolUse, reasoningContent, citation, ...others } = objectOf(delta);
    for (const [name, value] of Object.entries(others))
      if (isObject(value)) this.#lost.add(`content.${name}`);
    const said = textOf(text);
    if (said !== undefined) {
      this.#citations.addText(said);
      return [{ type: 'text', text: said }];
    }
    if (citation !== undefined) this.#citations.cite(objectOf(citation));
    if (reasoningContent !== undefined) return reasoning(objectOf(reasoningContent));
    const call = this.#calls.get(contentBlockIndex);
    const input = writtenArguments(objectOf(toolUse)['input']);
    if (call === undefined || input === undefined) return [];
    call.hasArguments = true;
    return [{ type: 'tool-arguments', index: call.index, text: input }];
  }

  #stopBlock(index: unknown): AnswerEvent[] {
    const call = this.#calls.get(index);
    this.#calls.delete(index);
    if (call === undefined) return this.#citations.stop();
    // A call without arguments may come without any fragment; other dialects want an empty object.
    return call.hasArguments ? [] : [{ type: 'tool-arguments', index: call.index, text: '{}' }];
  }
}

function reasoning({ text, signature, redactedContent }: JsonObject): AnswerEvent[] {
  const [thought, signed, redacted] = [textOf(text), textOf(signature), textOf(redactedContent)];
  const origin = 'bedrock-converse';
  return [
    ...(thought === undefined ? [] : [{ type: 'reasoning' as const, text: thought }]),
    ...(signed === undefined ? [] : [proofEvent({ origin, kind: 'signature', value: signed })]),
    ...(redacted === undefined ? [] : [proofEvent({ origin, kind: 'redacted', value: redacted })]),
  ];
}

function proofEvent(proof: Proof): AnswerEvent {
  return { type: 'reasoning-proof', proof };
}
