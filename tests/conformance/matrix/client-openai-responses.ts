import OpenAI from 'openai';
import type { Response, ResponseCreateParams, ResponseInput } from 'openai/resources/responses/responses';
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

export const sendWithOpenaiResponses: SendQuestion = async ({ scenario, model, stream }, { url, key, fetch }) => {
  const { responses } = new OpenAI({ apiKey: key, baseURL: `${url}/v1`, fetch, maxRetries: 0 });
  const body = { model, instructions: SYSTEM, ...buildRequest(scenario) };
  const answer = stream
    ? await responses.stream(body).finalResponse()
    : await responses.create({ ...body, stream: false });
  const { usage, output } = answer;
  return {
    text: output
      .flatMap((item) => (item.type === 'message' ? item.content : []))
      .map((part) => (part.type === 'output_text' ? part.text : ''))
      .join(''),
    reasoning: output
      .flatMap((item) => (item.type === 'reasoning' ? item.summary : []))
      .map(({ text }) => text)
      .join(''),
    calls: output.flatMap((item) =>
      item.type === 'function_call' ? [{ name: item.name, input: JSON.parse(item.arguments) as unknown }] : [],
    ),
    finish: toFinish(answer),
    usage: usage && {
      input: usage.input_tokens,
      cached: usage.input_tokens_details.cached_tokens,
      output: usage.output_tokens,
      reasoning: usage.output_tokens_details.reasoning_tokens,
    },
  };
};

function toFinish({
  status,
  output,
  incomplete_details: details,
}: Pick<Response, 'status' | 'output' | 'incomplete_details'>): ClientResult['finish'] {
  if (status === 'incomplete') return details?.reason === 'max_output_tokens' ? 'length' : 'other';
  if (status !== 'completed') return 'other';
  return output.some(({ type }) => type === 'function_call') ? 'tool-calls' : 'stop';
}

const user = { role: 'user' as const, content: QUESTION };
const tools = [{ type: 'function' as const, ...weather, strict: false }];

function buildRequest(scenario: Scenario): Pick<ResponseCreateParams, 'input' | 'tools' | 'reasoning' | 'text'> {
  switch (scenario) {
    case 'tools':
    case 'parallel tools':
      return { input: QUESTION, tools };
    case 'tool names':
      return { input: QUESTION, tools: [{ type: 'function', ...oddlyNamedTool, strict: false }] };
    case 'tool results': {
      const input: ResponseInput = [
        user,
        { type: 'function_call', call_id: oslo.id, name: oslo.name, arguments: JSON.stringify(oslo.input) },
        { type: 'function_call_output', call_id: oslo.id, output: RESULT },
      ];
      return { input, tools };
    }
    case 'image in': {
      const content = [
        { type: 'input_text' as const, text: QUESTION },
        { type: 'input_image' as const, image_url: `data:image/png;base64,${PNG}`, detail: 'auto' as const },
      ];
      return { input: [{ role: 'user', content }] };
    }
    case 'reasoning':
      return { input: QUESTION, reasoning: { effort: 'medium', summary: 'auto' } };
    case 'structured output':
      return {
        input: QUESTION,
        text: { format: { type: 'json_schema', name: 'forecast', schema: forecast, strict: true } },
      };
    case 'text':
    case 'error':
    case 'cut stream':
      return { input: [user] };
  }
}
