import type { ClientRequest } from '../../../model/client-request.ts';
import type { AnswerEvent } from '../../../model/conversation.ts';
import type { Lost } from '../../../model/format.ts';
import { newId } from '../../../model/new-id.ts';
import { byChoice } from '../../../translate/answer-choices.ts';
import { endOf, headOf } from '../../../translate/answer-lookup.ts';
import { writeOpenaiUsage } from '../../openai/openai-usage.ts';
import { ChoiceWriter, type Piece } from './choice-writer.ts';
import { writeFinishReason } from './finish-reasons.ts';
import { customToolNames } from './held-calls.ts';
import { WholeMessage } from './whole-message.ts';

/** A whole answer is what its stream would add up to. */
export function encodeAnswer(
  events: readonly AnswerEvent[],
  { json }: ClientRequest,
  lost: Lost,
): Record<string, unknown> {
  const { id, model, usage } = headOf(events);
  const customTools = customToolNames(json);
  return {
    id: id === '' ? newId('chatcmpl-') : id,
    object: 'chat.completion',
    created: Math.floor(Date.now() / 1000),
    model,
    choices: byChoice(events).map(([index, events]) => ({
      index,
      ...messageOf(events, new ChoiceWriter(customTools, lost)),
      finish_reason: writeFinishReason(endOf(events).reason, lost),
    })),
    ...(usage !== undefined && { usage: writeOpenaiUsage(usage) }),
  };
}

function messageOf(events: readonly AnswerEvent[], writer: ChoiceWriter): Record<string, unknown> {
  const whole = new WholeMessage();
  const add = (pieces: readonly Piece[]): void => pieces.forEach((piece) => whole.add(piece));
  for (const event of events) add(writer.write(event));
  add(writer.rest());
  return { message: whole.message, logprobs: whole.logprobs };
}
