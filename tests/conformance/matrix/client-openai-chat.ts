import OpenAI from 'openai';
import type { ChatCompletionCreateParams, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import type { SendQuestion } from './cell.ts';
import {
  type ClientResult,
  forecast,
  oddlyNamedTool,
  oslo,
  PNG,
  QUESTION,
  RESULT,
  type Scenario,
  SYSTEM,
  weather,
} from './scenario.ts';

const finishes: Readonly<Record<string, ClientResult['finish']>> = {
  stop: 'stop',
  tool_calls: 'tool-calls',
  length: 'length',
};

export const sendWithOpenaiChat: SendQuestion = async ({ scenario, model, stream }, { url, key, fetch }) => {
  const { completions } = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, fetch, maxRetries: 0 }).chat;
  const body = { model, ...buildRequest(scenario) };
  // Not a field of OpenAI's own: its library passes it on without joining the pieces.
  let streamedThought = '';
  const answer = stream
    ? await completions
        .stream({ ...body, stream_options: { include_usage: true } })
        .on('chunk', ({ choices: [choice] }) => (streamedThought += extractReasoning(choice?.delta)))
        .finalChatCompletion()
    : await completions.create({ ...body, stream: false });
  const [choice] = answer.choices;
  const message = choice?.message;
  const { usage } = answer;
  return {
    text: message?.content ?? '',
    reasoning: stream ? streamedThought : extractReasoning(message),
    calls: (message?.tool_calls ?? []).flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }]
        : [],
    ),
    finish: finishes[choice?.finish_reason ?? ''] ?? 'other',
    usage: usage && {
      input: usage.prompt_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
      output: usage.completion_tokens,
      reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    },
  };
};

function extractReasoning(message: object | undefined): string {
  const thought: unknown = message === undefined ? '' : Reflect.get(message, 'reasoning_content');
  return typeof thought === 'string' ? thought : '';
}

const system: ChatCompletionMessageParam = { role: 'system', content: SYSTEM };
const user: ChatCompletionMessageParam = { role: 'user', content: QUESTION };
const tools = [{ type: 'function' as const, function: weather }];

function buildRequest(scenario: Scenario): Omit<ChatCompletionCreateParams, 'model' | 'stream'> {
  const messages = [system, user];
  switch (scenario) {
    case 'tools':
    case 'parallel tools':
      return { messages, tools, tool_choice: 'auto' };
    case 'tool names':
      return { messages, tools: [{ type: 'function', function: oddlyNamedTool }] };
    case 'tool results': {
      const called = { name: oslo.name, arguments: JSON.stringify(oslo.input) };
      const calling: ChatCompletionMessageParam = {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: oslo.id, type: 'function', function: called }],
      };
      return { messages: [...messages, calling, { role: 'tool', tool_call_id: oslo.id, content: RESULT }], tools };
    }
    case 'image in': {
      const url = `data:image/png;base64,${PNG}`;
      const content = [
        { type: 'text' as const, text: QUESTION },
        { type: 'image_url' as const, image_url: { url } },
      ];
      return { messages: [system, { role: 'user', content }] };
    }
    case 'reasoning':
      return { messages, reasoning_effort: 'medium' };
    case 'structured output':
      return {
        messages,
        response_format: { type: 'json_schema', json_schema: { name: 'forecast', schema: forecast, strict: true } },
      };
    case 'text':
    case 'error':
    case 'cut stream':
      return { messages };
  }
}
