import Anthropic from '@anthropic-ai/sdk';
import type { MessageCreateParams, MessageParam } from '@anthropic-ai/sdk/resources/messages';
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
  end_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
};

export const sendWithAnthropic: SendQuestion = async ({ scenario, model, stream }, { url, key, fetch }) => {
  const { messages } = new Anthropic({ apiKey: key, baseURL: url, fetch, maxRetries: 0 });
  const body = { model, max_tokens: 4_000, system: SYSTEM, ...buildRequest(scenario) };
  const answer = stream
    ? await messages.stream(body).finalMessage()
    : await messages.create({ ...body, stream: false });
  const { content, usage } = answer;
  const cached = usage.cache_read_input_tokens ?? 0;
  return {
    text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
    reasoning: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
    calls: content.flatMap((block) => (block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [])),
    finish: finishes[answer.stop_reason ?? ''] ?? 'other',
    usage: {
      input: usage.input_tokens + cached + (usage.cache_creation_input_tokens ?? 0),
      cached,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
    },
  };
};

const user: MessageParam = { role: 'user', content: QUESTION };
const { parameters, ...named } = weather;
const tools = [{ ...named, input_schema: { ...parameters, type: 'object' as const } }];

function buildRequest(
  scenario: Scenario,
): Pick<MessageCreateParams, 'messages' | 'tools' | 'thinking' | 'output_config'> {
  switch (scenario) {
    case 'tools':
    case 'parallel tools':
      return { messages: [user], tools };
    case 'tool names':
      return { messages: [user], tools: tools.map((tool) => ({ ...tool, name: oddlyNamedTool.name })) };
    case 'tool results':
      return {
        messages: [
          user,
          { role: 'assistant', content: [{ type: 'tool_use', ...oslo }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: oslo.id, content: RESULT }] },
        ],
        tools,
      };
    case 'image in': {
      const source = { type: 'base64' as const, media_type: 'image/png' as const, data: PNG };
      return {
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: QUESTION },
              { type: 'image', source },
            ],
          },
        ],
      };
    }
    case 'reasoning':
      return { messages: [user], thinking: { type: 'enabled', budget_tokens: 2_048 } };
    case 'structured output':
      return { messages: [user], output_config: { format: { type: 'json_schema', schema: forecast } } };
    case 'text':
    case 'error':
    case 'cut stream':
      return { messages: [user] };
  }
}
