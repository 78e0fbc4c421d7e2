/** Several answers to one request (`n`): who can hold them, and when all have ended. */

import type { FinishReason, ResponseEvent } from '../model/conversation.ts';
import type { UnsupportedFields, UpstreamChatCodec } from '../model/dialect.ts';
import type { Usage } from '../model/usage.ts';

/** The documented maximum of `n`; what claims to be more is no answer. */
export const CHOICES_MAX = 128;

/** Returns the events that the client's dialect can hold: all, or those of the first choice alone. */
export function selectChoices(
  to: UpstreamChatCodec,
  events: readonly ResponseEvent[],
  lost: UnsupportedFields,
): readonly ResponseEvent[] {
  if (to.supportsChoices === true) return events;
  const first = events.filter((event) => (event.choice ?? 0) === 0);
  if (first.length < events.length) lost.add('n');
  return first;
}

/** The events of each answer, by its index; there is always a first. */
export function groupByChoice(events: readonly ResponseEvent[]): [number, ResponseEvent[]][] {
  const choices = new Map<number, ResponseEvent[]>([[0, []]]);
  for (const event of events) {
    const index = event.choice ?? 0;
    const known = choices.get(index);
    if (known === undefined) choices.set(index, [event]);
    else known.push(event);
  }
  return [...choices].toSorted(([one], [other]) => one - other);
}

/** Tracker of the requested choices that have ended. */
export class EndedChoices {
  readonly #ended = new Set<number>();
  readonly #asked: number;

  /** @param from the upstream's dialect: one that holds no choices was not asked for any */
  constructor(from: UpstreamChatCodec, choices: number) {
    this.#asked = from.supportsChoices === true ? choices : 1;
  }

  get hasAll(): boolean {
    return this.#ended.size >= this.#asked;
  }

  get hasAny(): boolean {
    return this.#ended.size > 0;
  }

  recordEnd(event: ResponseEvent): void {
    const choice = event.choice ?? 0;
    // What nobody asked for ends nothing.
    if (event.type === 'finish' && choice < this.#asked) this.#ended.add(choice);
  }
}

/** Lookups that the encoders of non-streaming responses make among their events. */

interface ResponseHead {
  /** Empty where the upstream gave none. */
  id: string;
  model: string;
  /** The last report counts. */
  usage: Usage | undefined;
}

export function findResponseHead(events: readonly ResponseEvent[]): ResponseHead {
  const start = events.find((event) => event.type === 'start');
  const usage = events.findLast((event) => event.type === 'usage')?.usage;
  return { id: start?.id ?? '', model: start?.model ?? '', usage };
}

interface ResponseEnd {
  reason: FinishReason;
  stopSequence?: string | undefined;
}

export function findResponseEnd(events: readonly ResponseEvent[]): ResponseEnd {
  return events.find((event) => event.type === 'finish') ?? { reason: 'stop' };
}

/** The arguments of each tool call, by its index: fragments of parallel calls come interleaved. */
export function joinArguments(events: readonly ResponseEvent[]): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const event of events)
    if (event.type === 'tool-arguments') texts.set(event.index, (texts.get(event.index) ?? '') + event.text);
  return texts;
}
