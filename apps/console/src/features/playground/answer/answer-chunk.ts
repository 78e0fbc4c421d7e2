import type { Failure, ToolCall } from '@switchyard/contract/playground/conversation';
import { z } from 'zod';
import type { Answer } from '../conversations/conversation.ts';

const toolCallPart = z.object({
  index: z.number().optional(),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});

const said = z.object({
  content: z.string().nullish(),
  /** Providers use either name for the reasoning. */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  tool_calls: z.array(toolCallPart).nullish(),
});

const errorBody = z.object({ error: z.object({ message: z.string().catch(''), code: z.coerce.string().catch('') }) });

const answerBody = z.object({
  choices: z.array(z.object({ delta: said.optional(), message: said.optional(), finish_reason: z.string().nullish() })),
});

export interface AnswerPart {
  text: string;
  reasoning: string;
  toolCalls: { index: number; id: string; name: string; arguments: string }[];
  /** True if the model has sent a finish reason. */
  finished: boolean;
}

/** Suffix of the gateway's error messages; the response shows the request id separately. */
const REQUEST_ID = /\s*\(request id: [^)]*\)$/;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error in a body or an event, if there is one. */
export function failureIn(text: string): Failure | undefined {
  const error = errorBody.safeParse(parseJson(text)).data?.error;
  return error && { ...error, message: error.message.replace(REQUEST_ID, '') };
}

/** Returns the part that a whole response or a stream event adds; undefined for an invalid text. */
export function answerPart(text: string): AnswerPart | undefined {
  const body = answerBody.safeParse(parseJson(text)).data;
  if (body === undefined) return undefined;
  const [choice] = body.choices;
  const message = choice?.delta ?? choice?.message;
  return {
    text: message?.content ?? '',
    reasoning: message?.reasoning_content ?? message?.reasoning ?? '',
    toolCalls: (message?.tool_calls ?? []).map((call, place) => ({
      index: call.index ?? place,
      id: call.id ?? '',
      name: call.function?.name ?? '',
      arguments: call.function?.arguments ?? '',
    })),
    finished: typeof choice?.finish_reason === 'string',
  };
}

export function addPart(answer: Answer, part: AnswerPart): Answer {
  return {
    ...answer,
    text: answer.text + part.text,
    reasoning: answer.reasoning + part.reasoning,
    toolCalls: part.toolCalls.reduce(addToolCall, answer.toolCalls),
  };
}

/** Adds a fragment of a tool call to the call with the same index. */
function addToolCall(calls: ToolCall[], part: AnswerPart['toolCalls'][number]): ToolCall[] {
  const known = calls.find(({ place }) => place === part.index);
  const call = {
    place: part.index,
    // Most providers send the id once, some with every fragment.
    id: known?.id || part.id,
    name: (known?.name ?? '') + part.name,
    arguments: (known?.arguments ?? '') + part.arguments,
  };
  return known === undefined ? [...calls, call] : calls.map((other) => (other === known ? call : other));
}
