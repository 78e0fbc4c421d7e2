import { textOf } from '../../../../json/json.ts';
import type { ClientRequest } from '../../../../model/client-request.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import type { StreamEncoder } from '../../../../model/dialect.ts';
import { createId } from '../../../../model/task-and-call-ids.ts';
import type { Usage } from '../../../../model/usage.ts';
import { groupByChoice } from '../../../../translate/response-choices.ts';
import { findResponseHead } from '../../../../translate/response-head-and-end.ts';
import { requestsThoughts } from '../thought-filter-and-signatures.ts';
import { writeUsage } from '../usage-report.ts';
import { CandidateWriter } from './candidate-and-grounding-writer.ts';
import type { WrittenPart } from './part-writer.ts';

type Json = Record<string, unknown>;

export function encodeResponse(events: readonly ResponseEvent[], { json }: ClientRequest): Json {
  const showsThoughts = requestsThoughts(json);
  const { id, model, usage } = findResponseHead(events);
  return {
    candidates: groupByChoice(events).map(([index, said]) =>
      encodeCandidate(new CandidateWriter(showsThoughts), said, index),
    ),
    ...(usage !== undefined && { usageMetadata: writeUsage(usage) }),
    modelVersion: model,
    responseId: id === '' ? createId('') : id,
  };
}

function encodeCandidate(writer: CandidateWriter, events: readonly ResponseEvent[], index: number): Json {
  const parts: WrittenPart[] = [];
  const members: Json = {};
  const tokens = events.flatMap((event) => (event.type === 'logprobs' ? event.tokens : []));
  if (tokens.length > 0) Object.assign(members, writer.push({ type: 'logprobs', tokens })?.members);
  for (const event of events.filter(({ type }) => type !== 'logprobs')) {
    const piece = writer.push(event);
    for (const part of piece?.parts ?? []) appendPart(parts, part);
    Object.assign(members, piece?.members);
  }
  return { content: { parts, role: 'model' }, ...members, index };
}

/** Appends a part. Fragments of one text are joined up to its signature. */
function appendPart(parts: WrittenPart[], part: WrittenPart): void {
  const last = parts.at(-1);
  const goesOn =
    typeof last?.['text'] === 'string' &&
    typeof part['text'] === 'string' &&
    last['thought'] === part['thought'] &&
    last['thoughtSignature'] === undefined &&
    (part['thoughtSignature'] === undefined || part['thought'] === true);
  if (goesOn) Object.assign(last, part, { text: `${textOf(last['text']) ?? ''}${textOf(part['text']) ?? ''}` });
  else parts.push({ ...part });
}

export function createStreamEncoder({ json }: ClientRequest): StreamEncoder {
  return new ChunkEncoder(requestsThoughts(json));
}

class ChunkEncoder implements StreamEncoder {
  #id = '';
  #model = '';
  /** End of each chunk's JSON. */
  #tail: string | undefined;
  #usage: Usage | undefined;
  readonly #candidates = new Map<number, CandidateWriter>();
  readonly #showsThoughts: boolean;

  constructor(showsThoughts: boolean) {
    this.#showsThoughts = showsThoughts;
  }

  push(event: ResponseEvent): string {
    if (event.type === 'start') {
      // Some upstreams start twice; the response keeps its first id.
      if (this.#id === '') this.#id = event.id === '' ? createId('') : event.id;
      if (this.#model === '') this.#model = event.model;
      this.#tail = undefined;
      return '';
    }
    if (event.type === 'usage') {
      this.#usage = event.usage;
      return '';
    }
    const index = event.choice ?? 0;
    const writer = this.#candidates.get(index) ?? new CandidateWriter(this.#showsThoughts);
    this.#candidates.set(index, writer);
    const piece = writer.push(event);
    if (piece === undefined) return '';
    return this.#chunk({ content: { parts: piece.parts, role: 'model' }, ...piece.members, index });
  }

  /** Ends the stream; nothing follows the last finish reason. */
  end(): string {
    return '';
  }

  #chunk(candidate: Record<string, unknown>): string {
    this.#tail ??= JSON.stringify({ modelVersion: this.#model, responseId: this.#id }).slice(1);
    const usage = this.#usage === undefined ? '' : `"usageMetadata":${JSON.stringify(writeUsage(this.#usage))},`;
    return `data: {"candidates":[${JSON.stringify(candidate)}],${usage}${this.#tail}\r\n\r\n`;
  }
}
