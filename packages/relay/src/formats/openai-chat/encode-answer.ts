import type { AnswerEvent, FinishReason } from '../../conversation.ts';
import type { ClientRequest } from '../../exchange.ts';
import type { Lost, StreamEncoder } from '../../format.ts';
import { type Proof, writeProof } from '../../proof.ts';
import type { Usage } from '../../usage.ts';
import { asksForUsage } from '../openai-stream-tap.ts';
import { writeOpenaiUsage } from '../openai-usage.ts';

const finishReasons: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  refusal: 'content_filter',
  pause: 'stop',
  'malformed-call': 'stop',
  other: 'stop',
};

type Delta = Record<string, unknown>;

export function createStreamEncoder({ json }: ClientRequest, lost: Lost): StreamEncoder {
  return new ChunkEncoder(asksForUsage(json), lost);
}

class ChunkEncoder implements StreamEncoder {
  readonly #includeUsage: boolean;
  readonly #created = Math.floor(Date.now() / 1000);
  #id = '';
  #model = '';
  #usage: Usage | undefined;

  readonly #lost: Lost;

  constructor(includeUsage: boolean, lost: Lost) {
    this.#includeUsage = includeUsage;
    this.#lost = lost;
  }

  push(event: AnswerEvent): string {
    if (event.type === 'start') return this.#start(event.id, event.model);
    if (event.type === 'finish')
      return this.#chunk([
        { index: 0, delta: {}, logprobs: null, finish_reason: finishReasons[event.reason] },
      ]);
    if (event.type === 'usage') {
      this.#usage = event.usage;
      return '';
    }
    if (isSaid(event)) return this.#delta(deltaOf(event));
    this.#lost.add(event.type);
    return '';
  }

  end(): string {
    const usage =
      this.#includeUsage && this.#usage !== undefined ? this.#chunk([], writeOpenaiUsage(this.#usage)) : '';
    return `${usage}data: [DONE]\n\n`;
  }

  /** Some upstreams start twice; one answer keeps its first id. */
  #start(id: string, model: string): string {
    if (this.#id !== '') return '';
    this.#id = id === '' ? 'chatcmpl-0' : id;
    this.#model = model;
    return this.#delta({ role: 'assistant', content: '' });
  }

  #delta(delta: Delta): string {
    return this.#chunk([{ index: 0, delta, logprobs: null, finish_reason: null }]);
  }

  #chunk(choices: unknown[], usage: unknown = null): string {
    const chunk = {
      id: this.#id,
      object: 'chat.completion.chunk',
      created: this.#created,
      model: this.#model,
      choices,
      ...(this.#includeUsage && { usage }),
    };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }
}

type ContentEvent = Exclude<
  AnswerEvent,
  { type: 'start' | 'usage' | 'finish' | 'vendor-call' | 'citation' | 'logprobs' | 'image' | 'audio' }
>;

const unsaid: ReadonlySet<AnswerEvent['type']> = new Set([
  'vendor-call',
  'citation',
  'logprobs',
  'image',
  'audio',
]);

function isSaid(event: AnswerEvent): event is ContentEvent {
  return !unsaid.has(event.type);
}

/** Proofs of reasoning travel in `reasoning_details`, where clients that know OpenRouter keep them. */
function deltaOf(event: ContentEvent): Delta {
  switch (event.type) {
    case 'text':
      return { content: event.text };
    case 'refusal':
      return { refusal: event.text };
    case 'reasoning':
      return { reasoning_content: event.text };
    case 'reasoning-proof':
      return { reasoning_details: [reasoningDetail(event.proof)] };
    case 'tool-call': {
      const call = { name: event.name, arguments: '' };
      return { tool_calls: [{ index: event.index, id: event.callId, type: 'function', function: call }] };
    }
    case 'tool-arguments':
    default:
      return { tool_calls: [{ index: event.index, function: { arguments: event.text } }] };
  }
}

function reasoningDetail(proof: Proof): Delta {
  const written = writeProof(proof, 'openai-chat');
  return proof.kind === 'redacted'
    ? { type: 'reasoning.encrypted', data: written }
    : { type: 'reasoning.text', signature: written };
}

export function encodeAnswer(
  events: readonly AnswerEvent[],
  _request: ClientRequest,
  lost: Lost,
): Record<string, unknown> {
  for (const { type } of events) if (unsaid.has(type)) lost.add(type);
  const start = events.find((event) => event.type === 'start');
  const finish = events.find((event) => event.type === 'finish');
  const usage = events.findLast((event) => event.type === 'usage')?.usage;
  const reasoning = joined(events, 'reasoning');
  const content = joined(events, 'text');
  const refusal = joined(events, 'refusal');
  const details = events.flatMap((event) =>
    event.type === 'reasoning-proof' ? [reasoningDetail(event.proof)] : [],
  );
  const calls = toolCalls(events);
  const message = {
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusal !== '') ? null : content,
    refusal: refusal === '' ? null : refusal,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(details.length > 0 && { reasoning_details: details }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  return {
    id: start?.id ?? 'chatcmpl-0',
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model: start?.model ?? '',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasons[finish?.reason ?? 'stop'] }],
    ...(usage !== undefined && { usage: writeOpenaiUsage(usage) }),
  };
}

function joined(events: readonly AnswerEvent[], type: 'text' | 'reasoning' | 'refusal'): string {
  return events.map((event) => (event.type === type ? event.text : '')).join('');
}

function toolCalls(events: readonly AnswerEvent[]): Record<string, unknown>[] {
  const calls = events.filter((event) => event.type === 'tool-call');
  return calls.map((call) => {
    const fragments = events.map((event) =>
      event.type === 'tool-arguments' && event.index === call.index ? event.text : '',
    );
    const text = fragments.join('');
    return {
      id: call.callId,
      type: 'function',
      function: { name: call.name, arguments: text === '' ? '{}' : text },
    };
  });
}
