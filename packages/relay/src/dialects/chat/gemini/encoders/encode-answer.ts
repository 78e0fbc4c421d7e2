import type { ClientRequest } from '../../../../model/client-request.ts';
import type { AnswerEvent } from '../../../../model/conversation.ts';
import { newId } from '../../../../model/new-id.ts';
import { byChoice } from '../../../../translate/answer-choices.ts';
import { headOf } from '../../../../translate/answer-lookup.ts';
import { asksForThoughts } from '../shown-thoughts.ts';
import { writeUsage } from '../usage-report.ts';
import { CandidateWriter } from './candidate-writer.ts';
import type { WrittenPart } from './part-writer.ts';

type Json = Record<string, unknown>;

export function encodeAnswer(events: readonly AnswerEvent[], { json }: ClientRequest): Json {
  const showsThoughts = asksForThoughts(json);
  const { id, model, usage } = headOf(events);
  return {
    candidates: byChoice(events).map(([index, said]) =>
      candidateOf(new CandidateWriter(showsThoughts), said, index),
    ),
    ...(usage !== undefined && { usageMetadata: writeUsage(usage) }),
    modelVersion: model,
    responseId: id === '' ? newId('') : id,
  };
}

function candidateOf(writer: CandidateWriter, events: readonly AnswerEvent[], index: number): Json {
  const parts: WrittenPart[] = [];
  const members: Json = {};
  const tokens = events.flatMap((event) => (event.type === 'logprobs' ? event.tokens : []));
  if (tokens.length > 0) Object.assign(members, writer.push({ type: 'logprobs', tokens })?.members);
  for (const event of events.filter(({ type }) => type !== 'logprobs')) {
    const piece = writer.push(event);
    for (const part of piece?.parts ?? []) append(parts, part);
    Object.assign(members, piece?.members);
  }
  return { content: { parts, role: 'model' }, ...members, index };
}

/** Pieces of one text are one text, up to its signature. */
function append(parts: WrittenPart[], part: WrittenPart): void {
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
