/** Head, end and tool arguments of a whole response, found among its events. */

import type { FinishReason, ResponseEvent } from '../model/conversation.ts';
import type { Usage } from '../model/usage.ts';

interface ResponseHead {
  /** Empty if the upstream sent none. */
  id: string;
  model: string;
  /** Last reported usage. */
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

/** Joins the arguments of each tool call by index, because fragments of parallel calls may be interleaved. */
export function joinArguments(events: readonly ResponseEvent[]): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const event of events)
    if (event.type === 'tool-arguments') texts.set(event.index, (texts.get(event.index) ?? '') + event.text);
  return texts;
}
