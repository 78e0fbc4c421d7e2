import type { ClientRequest } from '../../../../model/client-request.ts';
import type { ResponseEvent } from '../../../../model/conversation.ts';
import { createId } from '../../../../model/ids.ts';
import { findResponseHead, groupByChoice } from '../../../../translate/response-choices.ts';
import { requestsThoughts } from '../thought-filter.ts';
import { writeUsage } from '../usage-report.ts';
import { CandidateWriter } from './candidate-writer.ts';
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
  if (goesOn) Object.assign(last, part, { text: `${String(last['text'])}${String(part['text'])}` });
  else parts.push({ ...part });
}
