/** Lookups that the encoders of non-streaming responses make among their events. */
import type { AnswerEvent, FinishReason } from '../model/conversation.ts';
import type { Usage } from '../model/usage.ts';

interface AnswerHead {
  /** Empty where the upstream gave none. */
  id: string;
  model: string;
  /** The last report counts. */
  usage: Usage | undefined;
}

export function headOf(events: readonly AnswerEvent[]): AnswerHead {
  const start = events.find((event) => event.type === 'start');
  const usage = events.findLast((event) => event.type === 'usage')?.usage;
  return { id: start?.id ?? '', model: start?.model ?? '', usage };
}

interface AnswerEnd {
  reason: FinishReason;
  stopSequence?: string | undefined;
}

export function endOf(events: readonly AnswerEvent[]): AnswerEnd {
  return events.find((event) => event.type === 'finish') ?? { reason: 'stop' };
}

/** The arguments of each tool call, by its index: fragments of parallel calls come interleaved. */
export function argumentsByCall(events: readonly AnswerEvent[]): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const event of events)
    if (event.type === 'tool-arguments') texts.set(event.index, (texts.get(event.index) ?? '') + event.text);
  return texts;
}
