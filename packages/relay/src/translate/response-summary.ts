/** Lookups that the encoders of non-streaming responses make among their events. */
import type { FinishReason, ResponseEvent } from '../model/conversation.ts';
import type { Usage } from '../model/usage.ts';

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
