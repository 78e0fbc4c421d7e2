/** Several choices of one response (`n`): selection, grouping, and detection of their end. */

import type { ResponseEvent } from '../model/conversation.ts';
import type { UnsupportedFields, UpstreamChatCodec } from '../model/dialect.ts';

/** Documented maximum of `n`; a higher index is invalid. */
export const CHOICES_MAX = 128;

/**
 * Maximum characters of the citations that are written at once: an event of a vendor may cite one long source ten
 * thousand times, or for each of 128 choices.
 */
const CITED_CHARACTERS_MAX = 4_194_304;

/** Returns the events that the client's dialect supports, of all choices or of the first one, without excess citations. */
export function selectChoices(
  to: UpstreamChatCodec,
  events: readonly ResponseEvent[],
  lost: UnsupportedFields,
): readonly ResponseEvent[] {
  const limited = events.some(isCitation) ? limitCitations(events, lost) : events;
  if (to.supportsChoices === true || limited.every(isOfFirstChoice)) return limited;
  lost.add('n');
  return limited.filter(isOfFirstChoice);
}

const isCitation = (event: ResponseEvent): boolean => event.type === 'citation';
const isOfFirstChoice = (event: ResponseEvent): boolean => (event.choice ?? 0) === 0;

function limitCitations(events: readonly ResponseEvent[], lost: UnsupportedFields): readonly ResponseEvent[] {
  let characters = 0;
  return events.filter((event) => {
    if (event.type !== 'citation') return true;
    const { url = '', title = '', quote = '' } = event.citation;
    characters += url.length + title.length + quote.length;
    if (characters > CITED_CHARACTERS_MAX) lost.add('citation');
    return characters <= CITED_CHARACTERS_MAX;
  });
}

/** Groups events by choice index; there is always a first choice. */
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

  /** @param from codec of the upstream's dialect: without support for choices only one was requested */
  constructor(from: UpstreamChatCodec, choices: number) {
    this.#asked = from.supportsChoices === true ? choices : 1;
  }

  get hasAll(): boolean {
    return this.#ended.size >= this.#asked;
  }

  get hasAny(): boolean {
    return this.#ended.size > 0;
  }

  get count(): number {
    return this.#ended.size;
  }

  recordEnd(event: ResponseEvent): void {
    const choice = event.choice ?? 0;
    // A choice that was not requested doesn't count.
    if (event.type === 'finish' && choice < this.#asked) this.#ended.add(choice);
  }
}
