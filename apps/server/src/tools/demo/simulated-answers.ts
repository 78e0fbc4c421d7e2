/** Responses of the simulated provider in its two dialects. */
import { randomBytes } from 'node:crypto';
import { demoModels } from './demo-data.ts';

export interface SimulatedAnswer {
  tokens: readonly string[];
  inputTokens: number;
}

const DIMENSIONS = 256;
const id = (prefix: string): string => `${prefix}${randomBytes(12).toString('hex')}`;
const created = (): number => Math.floor(Date.now() / 1000);

function chatUsage({ tokens, inputTokens }: SimulatedAnswer) {
  return { prompt_tokens: inputTokens, completion_tokens: tokens.length, total_tokens: inputTokens + tokens.length };
}

export function formatChatCompletion(model: string, answer: SimulatedAnswer) {
  return {
    id: id('chatcmpl-'),
    object: 'chat.completion',
    created: created(),
    model,
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: answer.tokens.join(''), refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage: chatUsage(answer),
  };
}

export function formatChatChunks(model: string, answer: SimulatedAnswer): string[] {
  const base = { id: id('chatcmpl-'), object: 'chat.completion.chunk', created: created(), model };
  const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
  const chunk = (delta: object, finish_reason: 'stop' | null) =>
    data({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason }] });
  return [
    chunk({ role: 'assistant', content: '' }, null),
    ...answer.tokens.map((content) => chunk({ content }, null)),
    chunk({}, 'stop'),
    data({ ...base, choices: [], usage: chatUsage(answer) }),
    'data: [DONE]\n\n',
  ];
}

function messageBase(model: string) {
  return { id: id('msg_'), type: 'message', role: 'assistant', model };
}

export function formatMessage(model: string, { tokens, inputTokens }: SimulatedAnswer) {
  return {
    ...messageBase(model),
    content: [{ type: 'text', text: tokens.join('') }],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: inputTokens, output_tokens: tokens.length },
  };
}

export function formatMessageEvents(model: string, { tokens, inputTokens }: SimulatedAnswer): string[] {
  const event = (value: { type: string }): string => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`;
  const usage = { input_tokens: inputTokens, output_tokens: 1 };
  const opening = { ...messageBase(model), content: [], stop_reason: null, stop_sequence: null, usage };
  const delta = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });
  const ended = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: tokens.length },
  };
  return [
    { type: 'message_start', message: opening },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    ...tokens.map(delta),
    { type: 'content_block_stop', index: 0 },
    ended,
    { type: 'message_stop' },
  ].map(event);
}

export function formatEmbeddings(model: string, inputs: readonly unknown[]) {
  const tokens = Math.ceil(JSON.stringify(inputs).length / 4);
  return {
    object: 'list',
    model,
    data: inputs.map((_, index) => ({
      object: 'embedding',
      index,
      embedding: Array.from({ length: DIMENSIONS }, (__, dimension) => Math.sin(index + dimension) / 16),
    })),
    usage: { prompt_tokens: tokens, total_tokens: tokens },
  };
}

export function formatModelList() {
  const data = demoModels.map(({ name }) => ({ id: name, object: 'model', created: 1_760_000_000, owned_by: 'demo' }));
  return { object: 'list', data, has_more: false };
}
