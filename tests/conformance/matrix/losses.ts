/** Request fields that another dialect does not support, tested one at a time in the client's dialect. */
import {
  type Exchange,
  findProvider,
  InvalidRequestError,
  planExchange,
  readRequest,
  type Target,
} from '@switchyard/relay';
import { type DialectName, dialectNames, forecast, weather } from './scenario.ts';

type Body = Record<string, unknown>;

const pdf = 'data:application/pdf;base64,JVBERi0xLjQK';
const functionTool = { type: 'function', function: weather };
const ownFunction = { type: 'function', ...weather, strict: false };
const messages = (content: unknown) => ({ messages: [{ role: 'user', content }] });
const input = (content: unknown) => ({ input: [{ role: 'user', content }] });
const contents = (part: unknown) => ({ contents: [{ role: 'user', parts: [part] }] });
const config = (fields: Body) => ({ generationConfig: fields });

/** Fields in addition to those of the matrix. */
const requestedFields: Readonly<Record<DialectName, Readonly<Record<string, Body>>>> = {
  'openai-chat': {
    temperature: { temperature: 0.5 },
    top_p: { top_p: 0.9 },
    stop: { stop: ['END'] },
    seed: { seed: 7 },
    'presence_penalty, frequency_penalty': { presence_penalty: 0.5, frequency_penalty: 0.5 },
    logit_bias: { logit_bias: { '50256': -100 } },
    'logprobs, top_logprobs': { logprobs: true, top_logprobs: 2 },
    n: { n: 2 },
    verbosity: { verbosity: 'low' },
    prediction: { prediction: { type: 'content', content: 'x' } },
    'modalities, audio': { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    'parallel_tool_calls: false': { tools: [functionTool], parallel_tool_calls: false },
    'tool_choice: a tool': {
      tools: [functionTool],
      tool_choice: { type: 'function', function: { name: weather.name } },
    },
    'strict tools': { tools: [{ type: 'function', function: { ...weather, strict: true } }] },
    'response_format: json_object': { response_format: { type: 'json_object' } },
    web_search_options: { web_search_options: {} },
    metadata: { metadata: { shop: '1' } },
    user: { user: 'u-1' },
    prompt_cache_key: { prompt_cache_key: 'k' },
    store: { store: true },
    'input_audio part': messages([{ type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } }]),
    'file part (PDF)': messages([{ type: 'file', file: { filename: 'a.pdf', file_data: pdf } }]),
    'image by address': messages([{ type: 'image_url', image_url: { url: 'https://a.test/a.png' } }]),
    'cache_control on a part': messages([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]),
  },
  'openai-responses': {
    temperature: { temperature: 0.5 },
    'max_tool_calls, truncation': { max_tool_calls: 3, truncation: 'auto' },
    'include logprobs': { include: ['message.output_text.logprobs'], top_logprobs: 2 },
    'text.verbosity': { text: { verbosity: 'low' } },
    web_search: { tools: [{ type: 'web_search' }] },
    code_interpreter: { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] },
    file_search: { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    'custom tool': { tools: [{ type: 'custom', name: 'patch' }] },
    'tools of a namespace': { tools: [{ type: 'namespace', name: 'n', description: 'd', tools: [ownFunction] }] },
    'local_shell, shell, apply_patch': { tools: [{ type: 'local_shell' }, { type: 'shell' }, { type: 'apply_patch' }] },
    computer_use_preview: {
      tools: [{ type: 'computer_use_preview', display_width: 800, display_height: 600, environment: 'linux' }],
    },
    'tool_search of the client': { tools: [{ type: 'tool_search', execution: 'client' }] },
    'tool_search, defer_loading': { tools: [{ type: 'tool_search' }, { ...ownFunction, defer_loading: true }] },
    additional_tools: {
      input: [
        { role: 'user', content: 'hi' },
        { type: 'additional_tools', role: 'developer', tools: [ownFunction] },
      ],
    },
    'parallel_tool_calls: false': { tools: [ownFunction], parallel_tool_calls: false },
    metadata: { metadata: { shop: '1' } },
    'file part (PDF)': input([{ type: 'input_file', filename: 'a.pdf', file_data: pdf }]),
    'image by address': input([{ type: 'input_image', image_url: 'https://a.test/a.png', detail: 'auto' }]),
    'instructions in the middle': {
      input: [
        { role: 'user', content: 'hi' },
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'ho' },
      ],
    },
  },
  'anthropic-messages': {
    temperature: { temperature: 0.5 },
    top_k: { top_k: 5 },
    stop_sequences: { stop_sequences: ['END'] },
    'metadata.user_id': { metadata: { user_id: 'u-1' } },
    'cache_control on a block': messages([{ type: 'text', text: 'hi', cache_control: { type: 'ephemeral' } }]),
    'document (PDF)': messages([
      { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' } },
    ]),
    'document with citations': messages([
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, citations: { enabled: true } },
    ]),
    'search_result block': messages([
      { type: 'search_result', source: 'https://a.test', title: 'A', content: [{ type: 'text', text: 'x' }] },
    ]),
    'image by address': messages([{ type: 'image', source: { type: 'url', url: 'https://a.test/a.png' } }]),
    web_search: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    code_execution: { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
    'computer use': {
      tools: [{ type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 }],
    },
    'tool_reference, defer_loading': {
      tools: [{ name: weather.name, input_schema: weather.parameters, defer_loading: true }],
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'find_tools', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'tool_reference', tool_name: weather.name }],
            },
          ],
        },
      ],
    },
    disable_parallel_tool_use: {
      tools: [{ name: weather.name, input_schema: weather.parameters }],
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    },
    'container, mcp_servers': { container: 'c', mcp_servers: [{ type: 'url', url: 'https://a.test', name: 'm' }] },
  },
  gemini: {
    temperature: config({ temperature: 0.5 }),
    topK: config({ topK: 5 }),
    stopSequences: config({ stopSequences: ['END'] }),
    seed: config({ seed: 7 }),
    'presencePenalty, frequencyPenalty': config({ presencePenalty: 0.5, frequencyPenalty: 0.5 }),
    'responseLogprobs, logprobs': config({ responseLogprobs: true, logprobs: 2 }),
    candidateCount: config({ candidateCount: 2 }),
    'responseModalities: image': config({ responseModalities: ['TEXT', 'IMAGE'] }),
    speechConfig: config({
      responseModalities: ['AUDIO'],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } },
    }),
    mediaResolution: config({ mediaResolution: 'MEDIA_RESOLUTION_LOW' }),
    'JSON without a schema': config({ responseMimeType: 'application/json' }),
    safetySettings: { safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_NONE' }] },
    cachedContent: { cachedContent: 'cachedContents/x' },
    googleSearch: { tools: [{ googleSearch: {} }] },
    codeExecution: { tools: [{ codeExecution: {} }] },
    urlContext: { tools: [{ urlContext: {} }] },
    'toolConfig: ANY of one': {
      tools: [{ functionDeclarations: [{ name: weather.name, parametersJsonSchema: forecast }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [weather.name] } },
    },
    'audio part': contents({ inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } }),
    'video part': contents({ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }),
    'PDF part': contents({ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0xLjQK' } }),
  },
};

const prompts: Readonly<Record<DialectName, Body>> = {
  'openai-chat': { model: 'm', ...messages('hi') },
  'openai-responses': { model: 'm', input: 'hi' },
  'anthropic-messages': { model: 'm', max_tokens: 100, ...messages('hi') },
  gemini: contents({ text: 'hi' }),
};

const providers: Readonly<Record<DialectName, readonly [id: string, api: string]>> = {
  'openai-chat': ['custom', 'chat'],
  'openai-responses': ['custom', 'responses'],
  'anthropic-messages': ['anthropic', ''],
  gemini: ['gemini', ''],
};

const models: Readonly<Record<DialectName, string>> = {
  'openai-chat': 'some-model',
  'openai-responses': 'some-model',
  'anthropic-messages': 'claude-sonnet-4-5',
  gemini: 'gemini-2.5-flash',
};

export interface FieldLoss {
  field: string;
  /** Returns the names of unsupported fields, or `refused`, by the upstream's dialect; empty if all are supported. */
  at: Readonly<Record<DialectName, string>>;
}

export function listLosses(client: DialectName): FieldLoss[] {
  return Object.entries(requestedFields[client]).map(([field, body]) => ({
    field,
    at: {
      'openai-chat': findLoss(client, body, 'openai-chat'),
      'openai-responses': findLoss(client, body, 'openai-responses'),
      'anthropic-messages': findLoss(client, body, 'anthropic-messages'),
      gemini: findLoss(client, body, 'gemini'),
    },
  }));
}

function findLoss(client: DialectName, body: Body, upstream: DialectName): string {
  return planRequest(client, body, upstream)?.dropped.join(', ') ?? 'refused';
}

/** Returns the upstream request for every field; refused ones are left out. */
export function listUpstreamRequests(upstream: DialectName): { name: string; body: string }[] {
  return dialectNames.flatMap((client) =>
    Object.entries(requestedFields[client]).flatMap(([field, body]) => {
      const exchange = planRequest(client, body, upstream);
      return exchange === undefined || client === upstream
        ? []
        : [{ name: `${client}: ${field}`, body: exchange.body.toString() }];
    }),
  );
}

/** Undefined if the request is refused. */
function planRequest(client: DialectName, body: Body, upstream: DialectName): Exchange | undefined {
  const route = { operation: 'chat', format: client } as const;
  const inPath = client === 'gemini' ? { model: 'm', stream: false } : {};
  const bytes = Buffer.from(JSON.stringify({ ...prompts[client], ...body }));
  try {
    return planExchange(readRequest({ ...route, ...inPath }, bytes, {}), createTarget(upstream));
  } catch (error) {
    if (error instanceof InvalidRequestError) return undefined;
    throw error;
  }
}

function createTarget(dialect: DialectName): Target {
  const [id, api] = providers[dialect];
  const provider = findProvider(id);
  if (provider === undefined) throw new Error(`There is no provider ${id}`);
  return {
    provider,
    baseUrl: 'https://upstream.test',
    credentials: { key: 'k' },
    options: api === '' ? {} : { api },
    headers: {},
    model: models[dialect],
  };
}
