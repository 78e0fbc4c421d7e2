import { garbled, HELD_BYTES_MAX } from '../../../../errors/answer-errors.ts';
import type {
  AnswerEvent,
  FinishReason,
  TokenLogprob,
  TokenProbability,
} from '../../../../model/conversation.ts';
import { writeFinishReason } from '../finish-reasons.ts';
import { ShownThoughts } from '../shown-thoughts.ts';
import { GroundingWriter } from './grounding-writer.ts';
import { PartWriter, type WrittenPart } from './part-writer.ts';

/** New content of a candidate from one event. */
export interface CandidatePiece {
  parts: WrittenPart[];
  members: Record<string, unknown>;
}

/** Turns the events of one answer into pieces of a candidate, for a stream one after the other, else all in one. */
export class CandidateWriter {
  readonly #parts = new PartWriter();
  readonly #grounding = new GroundingWriter();
  readonly #thoughts: ShownThoughts;
  #refusal = '';

  /** @param showsThoughts whether the client asked for the texts of thoughts */
  constructor(showsThoughts: boolean) {
    this.#thoughts = new ShownThoughts(showsThoughts);
  }

  push(event: AnswerEvent): CandidatePiece | undefined {
    this.#grounding.note(event);
    if (event.type === 'finish') return { parts: this.#parts.end(), members: this.#finish(event.reason) };
    if (event.type === 'refusal') this.#refuse(event.text);
    if (event.type === 'logprobs')
      return { parts: [], members: { logprobsResult: writeLogprobs(event.tokens) } };
    const parts = this.#thoughts.push(event).flatMap((shown) => this.#parts.push(shown));
    return parts.length === 0 ? undefined : { parts, members: {} };
  }

  /**
   * Collects a refusal's text, which is not part of the response's content.
   * @throws UpstreamError if it exceeds the limit
   */
  #refuse(text: string): void {
    this.#refusal += text;
    if (this.#refusal.length > HELD_BYTES_MAX) throw garbled('The upstream sent a refusal that is too long.');
  }

  #finish(reason: FinishReason): Record<string, unknown> {
    return {
      finishReason: writeFinishReason(reason),
      ...(this.#refusal !== '' && { finishMessage: this.#refusal }),
      ...this.#grounding.metadata,
    };
  }
}

function writeLogprobs(tokens: readonly TokenLogprob[]): Record<string, unknown> {
  return {
    chosenCandidates: tokens.map(writeProbability),
    topCandidates: tokens.map(({ top }) => ({ candidates: top.map(writeProbability) })),
  };
}

function writeProbability({ token, logprob }: TokenProbability): Record<string, unknown> {
  return { token, logProbability: logprob };
}
