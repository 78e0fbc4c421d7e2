import { describe, expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { planTokenCount } from '../exchange/plan-token-count.ts';
import { InvalidRequestError } from '../model/invalid-request-error.ts';
import type { Target } from '../model/provider.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

const serviceAccount = JSON.stringify({ type: 'service_account', project_id: 'operator' });
const aws = { region: 'us-east-1', accessKey: 'a', secretKey: 'b' };
const clouds: Record<string, Target> = {
  'vertex, Gemini': sampleTarget('vertex', { model: 'gemini-2.5-flash' }),
  'vertex, Claude': sampleTarget('vertex', { model: 'claude-sonnet-4-5', credentials: { key: serviceAccount } }),
  'vertex, Llama': sampleTarget('vertex', { model: 'meta/llama-4', credentials: { key: serviceAccount } }),
  gemini: sampleTarget('gemini', { model: 'gemini-2.5-flash' }),
  azure: sampleTarget('azure', { model: 'gpt-4o' }),
  'azure-v1': sampleTarget('azure-v1', { model: 'gpt-4o' }),
  'azure-foundry': sampleTarget('azure-foundry', { model: 'llama' }),
  'azure-foundry, Claude': sampleTarget('azure-foundry', { model: 'claude-sonnet-4-5' }),
  'bedrock, Nova': sampleTarget('bedrock', { model: 'amazon.nova-pro-v1:0', credentials: aws }),
  'bedrock, Claude': sampleTarget('bedrock', { model: 'anthropic.claude-sonnet-4-5', credentials: aws }),
};

type Sample = readonly [format: Parameters<typeof sampleRequest>[0], param: string, fields: Record<string, unknown>];

const SECRET = 'operator-secret';
const result = { functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: SECRET } }] } };
const dataSource = (authentication?: object) => [
  { type: 'azure_search', parameters: { endpoint: 'https://operator.test', index_name: SECRET, authentication } },
];
const chat = (part: object): Record<string, unknown> => ({ messages: [{ role: 'user', content: [part] }] });
const contents = (part: object): Record<string, unknown> => ({ contents: [{ role: 'user', parts: [part] }] });
const input = (part: object): Record<string, unknown> => ({ input: [{ role: 'user', content: [part] }] });
const file = (url: string): Sample[] => [
  ['openai-chat', 'messages', chat({ type: 'image_url', image_url: { url } })],
  ['openai-chat', 'messages', chat({ type: 'image_url', image_url: url })],
  ['openai-chat', 'messages', chat({ type: 'video_url', video_url: { url } })],
  ['anthropic-messages', 'messages', chat({ type: 'document', source: { type: 'url', url } })],
  [
    'anthropic-messages',
    'messages',
    {
      messages: [
        { role: 'user', content: 'Look.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        ...[
          chat({ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'image', source: { type: 'url', url } }] }),
        ].flatMap(({ messages }) => messages),
      ],
    },
  ],
  ['openai-responses', 'input', input({ type: 'input_file', file_url: url })],
  ['openai-responses', 'input', input({ type: 'input_image', image_url: url })],
  [
    'openai-responses',
    'input',
    {
      input: [
        { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_image', image_url: url }] },
      ],
    },
  ],
  ['gemini', 'contents', contents({ fileData: { fileUri: url, mimeType: 'text/csv' } })],
  ['gemini', 'contents', contents({ file_data: { file_uri: url, mime_type: 'text/csv' } })],
  ['gemini', 'contents', JSON.parse(JSON.stringify(contents(result)).replace(SECRET, url))],
  ['gemini', 'systemInstruction', { systemInstruction: { parts: [{ fileData: { fileUri: url } }] } }],
];
const search = { vertexAiSearch: { datastore: `projects/operator/dataStores/${SECRET}` } };
const rag = { vertexRagStore: { ragResources: [{ ragCorpus: SECRET }] } };
const identity = { type: 'system_assigned_managed_identity' };

const references: readonly Sample[] = [
  ...file(`gs://${SECRET}/a.csv`),
  ...file(`s3://${SECRET}/a.csv`),
  ...file(` GS://${SECRET}/a.csv`),
  ['gemini', 'tools.retrieval', { tools: [{ retrieval: search }] }],
  ['gemini', 'tools.retrieval', { tools: [{ googleSearch: {} }, { retrieval: rag }] }],
  ['openai-chat', 'data_sources', { data_sources: dataSource(identity) }],
  ['openai-chat', 'data_sources', { data_sources: dataSource() }],
  ['openai-chat', 'data_sources', { data_sources: dataSource({ type: 'user_assigned_managed_identity' }) }],
  ['openai-chat', 'data_sources', { data_sources: { index_name: SECRET } }],
];

function plan(attempt: () => { body: Buffer } | undefined): string | InvalidRequestError {
  try {
    return attempt()?.body.toString() ?? '';
  } catch (error) {
    if (error instanceof InvalidRequestError) return error;
    throw error;
  }
}

describe.each(Object.entries(clouds))('a request for %s', (_name, target) => {
  // Converse’s encoder, which refuses every URL, calls the conversation `messages` in each dialect.
  it.each(references)('never passes on a reference to the operator’s data (%s, %s): %j', (format, param, fields) => {
    const request = sampleRequest(format, fields);
    for (const planned of [plan(() => planExchange(request, target)), plan(() => planTokenCount(request, target))]) {
      if (typeof planned === 'string') expect(planned).not.toContain(SECRET);
      else expect(planned).toMatchObject({ param: expect.stringMatching(`^(${param}|messages)`) });
    }
  });

  it.each(file('https://pictures.test/a.png'))(
    'still takes a public address (%s, %s): %j',
    (format, _param, fields) => {
      const planned = plan(() => planExchange(sampleRequest(format, fields), target));
      expect(String(planned)).not.toContain('cloud account');
    },
  );
});

it.each([
  [
    'vertex, Gemini',
    'gemini',
    'contents.parts.fileData.fileUri',
    contents({ fileData: { fileUri: 'gs://bucket/a.pdf' } }),
  ],
  ['vertex, Gemini', 'gemini', 'cachedContent', { cachedContent: 'projects/operator/cachedContents/1' }],
  ['vertex, Gemini', 'gemini', 'cached_content', { cached_content: 'projects/operator/cachedContents/1' }],
  ['vertex, Gemini', 'gemini', 'tools.retrieval', { tools: [{ retrieval: search }] }],
  ['azure', 'openai-chat', 'data_sources', { data_sources: dataSource(identity) }],
  ['azure', 'openai-chat', 'extra_body.data_sources', { extra_body: { data_sources: dataSource(identity) } }],
  ['azure', 'openai-responses', 'agent_reference', { input: 'x', agent_reference: { name: 'hr-agent' } }],
  ['azure-v1', 'openai-responses', 'tools.type', { input: 'x', tools: [{ type: 'azure_ai_search' }] }],
  ['azure-v1', 'openai-responses', 'tools.type', { input: 'x', tools: [{ type: 'openapi' }] }],
  [
    'azure-v1',
    'openai-responses',
    'input.tools.type',
    { input: [{ type: 'additional_tools', tools: [{ type: 'memory_search', memory_store_name: 'hr' }] }] },
  ],
  [
    'azure',
    'openai-responses',
    'tools.project_connection_id',
    { input: 'x', tools: [{ type: 'mcp', server_label: 'a', project_connection_id: 'hr' }] },
  ],
  [
    'vertex, Llama',
    'openai-chat',
    'extra_body.google.cached_content',
    { ...chat({ type: 'text', text: 'a' }), extra_body: { google: { cached_content: 'projects/operator/1' } } },
  ],
  [
    'vertex, Llama',
    'openai-chat',
    'messages.content.input_audio.data',
    chat({ type: 'input_audio', input_audio: { data: 'gs://bucket/a.wav' } }),
  ],
  [
    'vertex, Llama',
    'openai-chat',
    'messages.content.file.file_data',
    chat({ type: 'file', file: { file_data: 'gs://bucket/a.pdf' } }),
  ],
] as const)('%s refuses a request of %s that reads %s: %j', (provider, format, param, fields) => {
  const target = clouds[provider];
  const message = `${param} refers to data that only the operator’s cloud account can read. Send a public http or https URL`;
  const planned = plan(() => target && planExchange(sampleRequest(format, fields), target));
  expect(planned).toMatchObject({ param, message: expect.stringContaining(message) });
});

it('names the client’s field in a translated request', () => {
  const [sample] = file('gs://bucket/a.png');
  const planned = sample && plan(() => planExchange(sampleRequest(sample[0], sample[2]), sampleTarget('vertex')));
  expect(planned).toMatchObject({ param: 'messages', message: expect.stringMatching(/^messages refers to/) });
});

it.each([
  ['vertex', 'gemini', contents({ functionCall: { name: 'f', args: { fileUri: 'gs://clients-own/a.csv' } } })],
  ['vertex', 'gemini', contents({ text: 'Summarize gs://clients-own/a.csv.' })],
  ['gemini', 'gemini', contents({ fileData: { fileUri: 'https://generativelanguage.googleapis.com/v1beta/files/a' } })],
  ['gemini', 'gemini', { cachedContent: 'cachedContents/a' }],
  ['azure', 'openai-responses', input({ type: 'input_file', file_id: 'file-a' })],
  [
    'azure',
    'openai-responses',
    { input: 'x', tools: [{ type: 'web_search_preview' }, { type: 'function', name: 'f' }] },
  ],
  [
    'azure-v1',
    'openai-responses',
    { input: 'x', tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://a.test' }] },
  ],
  ['azure', 'openai-chat', { data_sources: dataSource({ type: 'api_key', key: 'clients-own' }) }],
  ['azure', 'openai-chat', chat({ type: 'file', file: { file_data: 'JVBERi0xLjQ=' } })],
  ['bedrock', 'anthropic-messages', chat({ type: 'document', source: { type: 'text', data: 'Note: hello' } })],
] as const)('%s takes the client’s own data in a request of %s: %j', (provider, format, fields) => {
  const model = provider === 'bedrock' ? 'anthropic.claude-sonnet-4-5' : 'gemini-2.5-flash';
  const target = sampleTarget(provider, { model, ...(provider === 'bedrock' && { credentials: aws }) });
  expect(plan(() => planExchange(sampleRequest(format, fields), target))).toEqual(expect.any(String));
});
