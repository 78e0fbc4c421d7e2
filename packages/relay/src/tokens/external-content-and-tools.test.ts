import { expect, it } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';
import {
  estimateToolCalls,
  readsExternalContent,
  requestsMedia,
  usesVendorTools,
} from './external-content-and-tools.ts';

const message = (content: unknown): Record<string, unknown> => ({ messages: [{ role: 'user', content }] });

it.each<[string, Record<string, unknown>]>([
  ['the address of an image', message([{ type: 'image_url', image_url: { url: 'https://a.test/b.png' } }])],
  ['a file at the vendor', message([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }])],
  ['a file of Gemini', { contents: [{ parts: [{ fileData: { fileUri: 'https://a.test/video' } }] }] }],
  ['a document of OpenAI', message([{ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBE' } }])],
  [
    'a document of OpenAI’s Responses',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_data: 'JVBE' }] }] },
  ],
  [
    'a document of Anthropic',
    message([{ type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBE' } }]),
  ],
  ['audio', message([{ type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }])],
  ['a video', message([{ type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } }])],
  ['a video in frames', message([{ type: 'video', video: ['https://a.test/1.jpg', 'https://a.test/2.jpg'] }])],
  ['a document of Mistral', message([{ type: 'document_url', document_url: 'https://a.test/b.pdf' }])],
  ['audio of Mistral', message([{ type: 'input_audio', input_audio: 'AAAA' }])],
  ['a video of Gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }] }] }],
  ['an image without a type', message([{ image: 'https://a.test/b.png' }, { text: 'x' }])],
  ['an item of Responses by its id', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ['an item by its id alone', { input: [{ id: 'msg_1' }] }],
  ['reasoning by its id', { input: [{ type: 'reasoning', id: 'rs_1', summary: [{ text: 'short' }] }] }],
  [
    'reasoning by its id beside a text of it',
    { input: [{ type: 'reasoning', id: 'rs_1', content: [{ type: 'reasoning_text', text: 'a' }] }] },
  ],
  ['an image of the vendor by its id', { input: [{ type: 'image_generation_call', id: 'ig_1' }] }],
  ['found pages by their id', { input: [{ type: 'web_search_call', id: 'ws_1', action: { type: 'search' } }] }],
  ['found files by their id', { input: [{ type: 'file_search_call', id: 'fs_1', queries: ['a'], results: null }] }],
  ['an earlier message by its id', { messages: [{ role: 'assistant', id: 'msg_1', content: '' }] }],
  ['a part by its id', message([{ type: 'document', id: 'doc_1' }])],
  ['a part of Gemini by its id', { contents: [{ parts: [{ id: 'part_1' }] }] }],
  ['spoken words by their id', { messages: [{ role: 'assistant', content: null, audio: { id: 'audio_1' } }] }],
  ['a file of Qwen-Long', { messages: [{ role: 'system', content: 'fileid://file-fe-1' }] }],
  ['a file of Qwen-Long in a part', message([{ type: 'text', text: 'fileid://file-fe-1' }])],
  ['a cached prompt of Moonshot', { messages: [{ role: 'cache', content: 'cache_id=cache-1' }] }],
  ['a context of Volcengine', { ...message('hi'), context_id: 'ctx-1' }],
  ['an earlier response in a merged body', { ...message('hi'), extra_body: { previous_response_id: 'resp_1' } }],
  ['cached content at Google', { ...message('hi'), extra_body: { google: { cached_content: 'cachedContents/1' } } }],
  ['cached content', { contents: [], cachedContent: 'cachedContents/1' }],
  ['an earlier response', { input: 'hi', previous_response_id: 'resp_1' }],
  ['a stored prompt', { prompt: { id: 'pmpt_1' } }],
  ['a search', { ...message('hi'), web_search_options: {} }],
  ['a tool of OpenAI', { input: 'hi', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
  ['a tool of Anthropic', { ...message('hi'), tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }],
  ['a tool of Gemini', { contents: [], tools: [{ functionDeclarations: [] }, { urlContext: {} }] }],
])('finds %s', (_, body) => {
  expect(readsExternalContent(body)).toBe(true);
});

it.each<[string, Record<string, unknown>]>([
  ['words', message('Read https://a.test for me')],
  ['an image', message([{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }])],
  ['an image of Gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }] }],
  [
    'a text of Anthropic',
    message([{ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } }]),
  ],
  ['a text to continue', { prompt: 'hi' }],
  [
    'functions',
    {
      ...message('hi'),
      tools: [
        { type: 'function', function: { name: 'f', parameters: { properties: { url: { type: 'string' } } } } },
        { name: 'g', input_schema: { type: 'object' } },
        { functionDeclarations: [{ name: 'h' }] },
      ],
    },
  ],
  ['a setting that is off', { ...message('hi'), enable_search: false, previous_response_id: null }],
  [
    'items with an id and content',
    {
      input: [
        { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'a' }] },
        { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'f', arguments: '' },
        { type: 'function_call_output', id: 'fo_1', call_id: 'c', output: 'a' },
        { type: 'computer_call', id: 'cu_1', call_id: 'd', action: { type: 'wait' } },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'AAAA' },
      ],
    },
  ],
  [
    'calls with an id in their arguments',
    {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { id: '7' } }] },
        { role: 'assistant', content: null, id: 'm', tool_calls: [{ id: 'c', type: 'function', function: {} }] },
      ],
    },
  ],
])('finds nothing beyond the request in %s', (_, body) => {
  expect(readsExternalContent(body)).toBe(false);
});

it.each<[string, Record<string, unknown>, boolean]>([
  ['a search option', { ...message('hi'), web_search_options: {} }, true],
  ['an MCP server of Claude', { ...message('hi'), mcp_servers: [{ url: 'https://a.test' }] }, true],
  ['a stored prompt, which may have tools', { prompt: { id: 'pmpt_1' } }, true],
  ['a search', { input: 'hi', tools: [{ type: 'web_search' }] }, true],
  ['an image tool', { input: 'hi', tools: [{ type: 'image_generation' }] }, true],
  ['a tool that is added later', { input: [{ type: 'additional_tools', tools: [{ type: 'mcp' }] }] }, true],
  [
    'a container of the vendor',
    { input: 'hi', tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
    true,
  ],
  ['code execution of Claude', { ...message('hi'), tools: [{ type: 'code_execution_20250825', name: 'code' }] }, true],
  ['a search of Gemini', { contents: [], tools: [{ functionDeclarations: [] }, { google_search: {} }] }, true],
  [
    'a search of Kimi',
    { ...message('hi'), tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
    true,
  ],
  ['functions', { ...message('hi'), tools: [{ type: 'function' }, { type: 'custom' }, { name: 'f' }] }, false],
  ['a namespace of functions', { input: 'hi', tools: [{ type: 'namespace', tools: [] }] }, false],
  [
    'tools that the client runs',
    {
      input: 'hi',
      tools: [
        { type: 'local_shell' },
        { type: 'shell' },
        { type: 'apply_patch' },
        { type: 'computer_use_preview' },
        { type: 'bash_20250124' },
        { type: 'text_editor_20250728' },
        { type: 'memory_20250818' },
      ],
    },
    false,
  ],
  ['a search of the declared tools', { input: 'hi', tools: [{ type: 'tool_search' }] }, false],
  ['a computer of Gemini’s client', { contents: [], tools: [{ computerUse: {} }] }, false],
  ['a file', message([{ type: 'document', source: { type: 'file', file_id: 'file_1' } }]), false],
  ['an option that is off', { ...message('hi'), enable_search: false, plugins: null }, false],
])('finds whether tools run at the vendor: %s', (_, body, expected) => {
  expect(usesVendorTools(body)).toBe(expected);
  if (expected) expect(readsExternalContent(body)).toBe(true);
});

it.each<[Record<string, unknown>, boolean]>([
  [{ modalities: ['text', 'audio'] }, true],
  [{ modalities: ['image', 'text'] }, true],
  [{ generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }, true],
  [{ generation_config: { response_modalities: ['AUDIO'] } }, true],
  [{ modalities: ['text'] }, false],
  [{ generationConfig: { responseModalities: ['TEXT'] } }, false],
  [{ modalities: 'audio' }, true],
  [{ generationConfig: { responseModalities: 'AUDIO' } }, true],
  [{ extra_body: { modalities: ['audio'] } }, true],
  [{}, false],
])('finds whether %j requests other output than text', (body, expected) => {
  expect(requestsMedia(body)).toBe(expected);
});

it.each<[string, Record<string, unknown>, { options?: Record<string, string>; model?: string }, number]>([
  ['no tool', message('hi'), {}, 0],
  ['a function', { ...message('hi'), tools: [{ type: 'function' }], max_tool_calls: 4 }, {}, 0],
  ['a search', { input: 'hi', tools: [{ type: 'web_search' }] }, {}, 1],
  ['the calls that Responses allows', { input: 'hi', tools: [{ type: 'web_search' }], max_tool_calls: 3 }, {}, 3],
  ['the calls that Anthropic allows', { tools: [{ type: 'web_search_20250305', max_uses: 6 }, { name: 'f' }] }, {}, 6],
  ['more calls than plausible', { input: 'hi', tools: [{ type: 'web_search' }], max_tool_calls: 1e9 }, {}, 25],
  ['an invalid limit', { input: 'hi', tools: [{ type: 'web_search' }], max_tool_calls: -1 }, {}, 1],
  ['a search that the channel adds', message('hi'), { options: { webSearch: 'search_std' } }, 1],
  ['a tool that the channel does not add', message('hi'), { options: { webSearch: 'off', codeExecution: '' } }, 0],
  ['a model that always searches', message('hi'), { model: 'gpt-4o-search-preview' }, 1],
  ['an online model of OpenRouter', message('hi'), { model: 'openai/gpt-5:online' }, 1],
  ['a model of Perplexity', message('hi'), { model: 'perplexity/sonar-pro' }, 1],
])('estimates the calls of vendor tools: %s', (_, body, { options = {}, model = 'gpt-5' }, calls) => {
  expect(estimateToolCalls(body, { options, model })).toBe(calls);
});

const search = { type: 'web_search' };

it.each<[what: string, provider: string, format: 'gemini' | 'openai-chat', fields: Record<string, unknown>]>([
  ['a list', 'gemini', 'gemini', { tools: [{ googleSearch: {} }] }],
  ['one tool instead of a list', 'gemini', 'gemini', { tools: { googleSearch: {} } }],
  ['one tool in snake case', 'gemini', 'gemini', { tools: { google_search: {} } }],
  ['a tool with a name', 'gemini', 'gemini', { tools: [{ name: 'x', google_search: {} }] }],
  ['a tool with the type of a function', 'gemini', 'gemini', { tools: [{ type: 'function', googleSearch: {} }] }],
  ['one tool with a name and a type', 'gemini', 'gemini', { tools: { type: 'custom', name: 'x', googleSearch: {} } }],
  ['a tool beside functions', 'gemini', 'gemini', { tools: [{ functionDeclarations: [], googleSearch: {} }] }],
  ['Google Maps', 'gemini', 'gemini', { tools: { name: 'x', googleMaps: {} } }],
  ['fetched addresses', 'gemini', 'gemini', { tools: { urlContext: {} } }],
  ['fetched addresses with a name', 'gemini', 'gemini', { tools: [{ name: 'x', urlContext: {} }] }],
  ['executed code', 'gemini', 'gemini', { tools: [{ type: 'function', codeExecution: {} }] }],
  ['searched files', 'gemini', 'gemini', { tools: { name: 'x', fileSearch: {} } }],
  ['one tool at Vertex', 'vertex', 'gemini', { tools: { googleSearch: {} } }],
  ['a tool with a type at Vertex', 'vertex', 'gemini', { tools: [{ type: 'custom', googleSearch: {} }] }],
  ['one tool in another dialect', 'openai-responses', 'gemini', { tools: { googleSearch: {} } }],
  ['a tool of Google', 'custom', 'openai-chat', { tools: [{ type: 'function', googleSearch: {} }] }],
  ['one tool', 'custom', 'openai-chat', { tools: search }],
  ['a merged tool', 'custom', 'openai-chat', { extra_body: { tools: [search] } }],
  ['a tool that is merged twice', 'custom', 'openai-chat', { extra_body: { extra_body: { tools: [search] } } }],
  ['a merged search option', 'one-api', 'openai-chat', { extra_body: { web_search_options: {} } }],
  ['a merged switch', 'ali', 'openai-chat', { extra_body: { enable_search: true } }],
  ['a switch of Alibaba Cloud', 'ali', 'openai-chat', { enable_search: true }],
  ['a switch of Baidu', 'baidu', 'openai-chat', { web_search: { enable: true } }],
  ['a switch of Baichuan', 'custom', 'openai-chat', { with_search_enhance: true }],
  ['a switch of Hunyuan', 'custom', 'openai-chat', { enable_enhancement: true }],
  ['a switch that forces Hunyuan', 'custom', 'openai-chat', { force_search_enhancement: true }],
  ['a switch of Venice', 'venice', 'openai-chat', { venice_parameters: { enable_web_search: 'on' } }],
  ['a choice of Venice', 'venice', 'openai-chat', { venice_parameters: { enable_web_search: 'auto' } }],
])('finds the tools that are sent in any form: %s (%s)', (_, provider, format, fields) => {
  const request = sampleRequest(format, fields);
  const target = provider === 'openai-responses' ? sampleTarget('openai', { model: 'gpt-5' }) : sampleTarget(provider);
  const { body } = planExchange(request, target);
  expect(body.toString()).toMatch(/search|maps|urlContext|codeExecution|enable_enhancement/i);
  expect(usesVendorTools(request.json)).toBe(true);
  expect(readsExternalContent(request.json)).toBe(true);
  expect(estimateToolCalls(request.json, { options: {}, model: 'm' })).toBe(1);
});

it.each<[string, Record<string, unknown>]>([
  ['Baidu’s search is off', { web_search: { enable: false } }],
  ['Baidu’s search is not enabled', { web_search: { enable_trace: true } }],
  ['Venice’s search is off', { venice_parameters: { enable_web_search: 'off' } }],
  ['only Venice’s prompt changes', { venice_parameters: { include_venice_system_prompt: false } }],
  ['Hunyuan’s search is off', { enable_enhancement: false }],
  ['the client runs one function', { tools: { functionDeclarations: [{ name: 'f' }] } }],
  ['the client runs a function with a type', { tools: [{ type: 'function', functionDeclarations: [] }] }],
  ['a merged body has functions', { extra_body: { tools: [{ type: 'function', function: {} }], top_k: 1 } }],
])('holds no call of a tool if %s', (_, fields) => {
  expect(estimateToolCalls({ ...message('hi'), ...fields }, { options: {}, model: 'm' })).toBe(0);
});

it('reserves as many calls as a merged body or a tool of a namespace allows', () => {
  const of = (fields: object): number => estimateToolCalls({ ...fields }, { options: {}, model: 'm' });
  expect(of({ extra_body: { tools: [search], max_tool_calls: 7 } })).toBe(7);
  expect(of({ input: 'x', tools: [{ type: 'namespace', tools: [{ ...search, max_uses: 3 }] }] })).toBe(3);
});
