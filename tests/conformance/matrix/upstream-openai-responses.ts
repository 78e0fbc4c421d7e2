/** Vendor that speaks Responses. https://platform.openai.com/docs/api-reference/responses */
import type { Loose } from '../loose.ts';
import {
  type ReceivedRequest,
  type ScriptedDialect,
  splitText,
  type TokenCounts,
  type UpstreamAnswer,
} from './scenario.ts';

const usageOf = ({ input, cached, output, reasoning }: TokenCounts) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
});

const response = (model: string, status: string, output: unknown[], usage: unknown) => ({
  id: 'resp_upstream',
  object: 'response',
  created_at: 1_760_000_000,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model,
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  usage,
});

interface Item {
  item: Record<string, unknown>;
  /** Events between `added` and `done`. */
  deltas(at: { output_index: number; item_id: string }): object[];
}

function items({ reasoning, text, calls }: UpstreamAnswer): Item[] {
  const made: Item[] = [];
  if (reasoning)
    made.push({
      item: {
        id: 'rs_1',
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: reasoning }],
        encrypted_content: 'gAAAA',
      },
      deltas: (at) => [
        {
          type: 'response.reasoning_summary_part.added',
          ...at,
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        },
        ...splitText(reasoning).map((delta) => ({
          type: 'response.reasoning_summary_text.delta',
          ...at,
          summary_index: 0,
          delta,
        })),
        { type: 'response.reasoning_summary_text.done', ...at, summary_index: 0, text: reasoning },
        {
          type: 'response.reasoning_summary_part.done',
          ...at,
          summary_index: 0,
          part: { type: 'summary_text', text: reasoning },
        },
      ],
    });
  if (text) {
    const part = { type: 'output_text', text, annotations: [], logprobs: [] };
    made.push({
      item: { id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [part] },
      deltas: (at) => [
        { type: 'response.content_part.added', ...at, content_index: 0, part: { ...part, text: '' } },
        ...splitText(text).map((delta) => ({
          type: 'response.output_text.delta',
          ...at,
          content_index: 0,
          delta,
          logprobs: [],
        })),
        { type: 'response.output_text.done', ...at, content_index: 0, text, logprobs: [] },
        { type: 'response.content_part.done', ...at, content_index: 0, part },
      ],
    });
  }
  for (const { id, name, input } of calls ?? []) {
    const json = JSON.stringify(input);
    made.push({
      item: { id: `fc_${id}`, type: 'function_call', status: 'completed', call_id: id, name, arguments: json },
      deltas: (at) => [
        ...splitText(json).map((delta) => ({ type: 'response.function_call_arguments.delta', ...at, delta })),
        { type: 'response.function_call_arguments.done', ...at, name, arguments: json },
      ],
    });
  }
  return made;
}

function formatResponse(said: UpstreamAnswer, model: string): string {
  const output = items(said).map(({ item }) => item);
  return JSON.stringify(response(model, 'completed', output, usageOf(said.usage)));
}

const opened = (item: Record<string, unknown>): object => ({
  ...item,
  ...('status' in item && { status: 'in_progress' }),
  ...('content' in item && { content: [] }),
  ...('summary' in item && { summary: [], encrypted_content: '' }),
  ...('arguments' in item && { arguments: '' }),
});

function formatEvents(said: UpstreamAnswer, model: string): string[] {
  const made = items(said);
  const started = response(model, 'in_progress', [], null);
  const output = made.map(({ item }) => item);
  const all: object[] = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...made.flatMap(({ item, ...building }, output_index) => [
      { type: 'response.output_item.added', output_index, item: opened(item) },
      ...building.deltas({ output_index, item_id: String(item['id']) }),
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: 'response.completed', response: response(model, 'completed', output, usageOf(said.usage)) },
  ];
  return all.map((event, sequence_number) => {
    const { type } = event as { type: string };
    return `event: ${type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`;
  });
}

const error = (message: string): string =>
  JSON.stringify({ error: { message, type: 'rate_limit_exceeded', param: null, code: 'rate_limit_exceeded' } });

function parseRequest(body: Loose): ReceivedRequest {
  const input: Loose[] = typeof body.input === 'string' ? [{ role: 'user', content: body.input }] : body.input;
  const partsOf = (content: Loose): Loose[] =>
    typeof content === 'string' ? [{ type: 'input_text', text: content }] : (content ?? []);
  const textOf = (content: Loose): string =>
    partsOf(content)
      .map((part) => part.text ?? '')
      .join('');
  const userParts = input.filter(({ role }) => role === 'user').flatMap(({ content }) => partsOf(content));
  const calls = input.filter(({ type }) => type === 'function_call');
  const systemItems = input.filter(({ role }) => role === 'system' || role === 'developer');
  return {
    system: [body.instructions ?? '', ...systemItems.map(({ content }) => textOf(content))].join(''),
    texts: userParts.filter(({ type }) => type === 'input_text').map(({ text }) => text),
    images: userParts
      .filter(({ type }) => type === 'input_image')
      .map(({ image_url: url }) => {
        const [, mediaType = '', base64 = ''] = /^data:(.*);base64,(.*)$/.exec(url) ?? [];
        return { mediaType, base64 };
      }),
    tools: (body.tools ?? []).map(({ name, parameters }: Loose) => ({ name, parameters })),
    calls: calls.map((call) => ({ name: call.name, input: JSON.parse(call.arguments) })),
    results: input
      .filter(({ type }) => type === 'function_call_output')
      .map((item) => ({ name: calls.find((call) => call.call_id === item.call_id)?.name, text: textOf(item.output) })),
    thinks: (body.reasoning?.effort ?? 'none') !== 'none',
    schema: body.text?.format?.schema,
  };
}

export const openaiResponses: ScriptedDialect = { formatResponse, formatEvents, formatError: error, parseRequest };
