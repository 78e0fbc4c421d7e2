import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../json/json.ts';
import { startCpuTimer } from '../../testing/cpu-timer.ts';
import { removeUnpricedFields } from './unpriced-fields.ts';

function read(body: JsonObject): { body: JsonObject; dropped: string[] } {
  const dropped: string[] = [];
  return { body: removeUnpricedFields(body, dropped, { model: undefined }), dropped };
}

const model = 'cheap-model';

describe('a field that chooses another model or price', () => {
  it.each<[what: string, fields: JsonObject, named: string[], left: JsonObject]>([
    ['a list of stand-ins', { fallbacks: [{ model: 'dear', speed: 'fast' }] }, ['fallbacks'], {}],
    ['the models of a router', { models: ['dear'], route: 'fallback' }, ['models', 'route'], {}],
    ['the list of another gateway', { fallback_models: ['dear'] }, ['fallback_models'], {}],
    [
      'the model of the picture tool',
      { tools: [{ type: 'image_generation', model: 'gpt-image-1.5', size: '1024x1024' }] },
      ['tools.model'],
      { tools: [{ type: 'image_generation', size: '1024x1024' }] },
    ],
    [
      'a tool that asks a model of its own',
      { tools: [{ type: 'advisor_20260301', name: 'advisor', model: 'dear' }, { name: 'own' }] },
      ['tools.advisor_20260301'],
      { tools: [{ name: 'own' }] },
    ],
    [
      'the model of one tool instead of a list',
      { tools: { type: 'image_generation', model: 'gpt-image-1.5' } },
      ['tools.model'],
      { tools: { type: 'image_generation' } },
    ],
    [
      'the engine of one merged search instead of a list',
      { extra_body: { tools: { type: 'web_search', search_engine: 'search_pro' } } },
      ['extra_body.tools.search_engine'],
      { extra_body: { tools: { type: 'web_search' } } },
    ],
    [
      'a price class inside an option',
      { options: { routing: { service_tier: 'priority', region: 'eu' } } },
      ['options.routing.service_tier'],
      { options: { routing: { region: 'eu' } } },
    ],
    [
      'what replaces the fields that were read for the hold, merged by the upstream',
      { extra_body: { n: 4, max_tokens: 60_000, stream_options: {}, top_k: 3, extra_body: { best_of: 9 } } },
      ['extra_body.n', 'extra_body.max_tokens', 'extra_body.stream_options', 'extra_body.extra_body.best_of'],
      { extra_body: { top_k: 3, extra_body: {} } },
    ],
    [
      'a model inside a list of options',
      { context_management: { edits: [{ type: 'compact', model: 'dear', keep: 3 }] } },
      ['context_management.edits.model'],
      { context_management: { edits: [{ type: 'compact', keep: 3 }] } },
    ],
    ['a second name of a model', { model_name: 'dear' }, ['model_name'], {}],
    ['a stored choice of models', { preset: 'dear' }, ['preset'], {}],
    ['an answer to be fetched later', { deferred: true }, ['deferred'], {}],
    ['headers for the vendor', { extra_headers: { 'x-tier': 'dear' } }, ['extra_headers'], {}],
    [
      'headers for the vendor in other fields',
      { headers: { 'x-tier': 'dear' }, provider_specific_header: { extra_headers: { 'x-tier': 'dear' } } },
      ['headers', 'provider_specific_header'],
      {},
    ],
    [
      'headers for the vendor in a second body',
      { extra_body: { headers: { 'x-tier': 'dear' }, top_k: 4 } },
      ['extra_body.headers'],
      { extra_body: { top_k: 4 } },
    ],
    [
      'a second body',
      { extra_body: { provider: {}, plugins: [], model: 'dear', top_k: 4 } },
      ['extra_body.provider', 'extra_body.plugins', 'extra_body.model'],
      { extra_body: { top_k: 4 } },
    ],
    [
      'the fallbacks of another gateway',
      { context_window_fallbacks: [{ a: ['dear'] }], model_list: [{ model_name: 'dear' }] },
      ['context_window_fallbacks', 'model_list'],
      {},
    ],
    [
      'the routing of Vertex AI',
      { generationConfig: { temperature: 1, routingConfig: { manualMode: { modelName: 'dear' } } } },
      ['generationConfig.routingConfig'],
      { generationConfig: { temperature: 1 } },
    ],
    [
      'the vendors that Vercel may ask',
      { providerOptions: { gateway: { order: ['dear'] }, openai: { store: false } } },
      ['providerOptions.gateway'],
      { providerOptions: { openai: { store: false } } },
    ],
    [
      'the options of a tool that the vendor runs',
      { tools: [{ type: 'openrouter:web_search', parameters: { model: 'dear', max_results: 2 } }] },
      ['tools.parameters.model'],
      { tools: [{ type: 'openrouter:web_search', parameters: { max_results: 2 } }] },
    ],
    [
      'the engine and the results of OpenRouter’s search',
      {
        tools: [
          {
            type: 'openrouter:web_search',
            parameters: {
              engine: 'exa',
              max_results: 25,
              max_total_results: 100,
              search_context_size: 'high',
              user_location: { type: 'approximate', city: 'Bern' },
            },
          },
          { type: 'openrouter:web_search', parameters: { engine: 'parallel', mode: 'advanced', depth: 'deep' } },
          { type: 'openrouter:web_search', parameters: { engine: 'auto', max_results: 5, max_total_results: 20 } },
        ],
      },
      ['engine', 'max_results', 'max_total_results', 'engine', 'mode', 'depth'].map(
        (name) => `tools.parameters.${name}`,
      ),
      {
        tools: [
          {
            type: 'openrouter:web_search',
            parameters: { search_context_size: 'high', user_location: { type: 'approximate', city: 'Bern' } },
          },
          { type: 'openrouter:web_search', parameters: {} },
          { type: 'openrouter:web_search', parameters: { engine: 'auto', max_results: 5, max_total_results: 20 } },
        ],
      },
    ],
    [
      'the engine and the results of a search, in other places and spellings',
      {
        web_search_options: { search_context_size: 'high', max_results: 20, model: 'dear' },
        tools: [{ type: 'web_search', engine: 'exa', maxResults: '25', search_context_size: 'high', filters: {} }],
        extra_body: { tools: [{ type: 'web_search_preview', parameters: { max_results: 6 } }] },
        input: [{ type: 'additional_tools', tools: [{ type: 'web_search', Engine: 'parallel' }] }],
      },
      [
        'web_search_options.max_results',
        'web_search_options.model',
        'tools.engine',
        'tools.maxResults',
        'extra_body.tools.parameters.max_results',
        'tools.Engine',
      ],
      {
        web_search_options: { search_context_size: 'high' },
        tools: [{ type: 'web_search', search_context_size: 'high', filters: {} }],
        extra_body: { tools: [{ type: 'web_search_preview', parameters: {} }] },
        input: [{ type: 'additional_tools', tools: [{ type: 'web_search' }] }],
      },
    ],
    [
      'the engine of Zhipu’s search',
      {
        tools: ['search_pro_quark', 'search_std'].map((search_engine) => ({
          type: 'web_search',
          web_search: { enable: true, search_engine, count: 10 },
        })),
      },
      ['tools.web_search.search_engine'],
      {
        tools: [
          { type: 'web_search', web_search: { enable: true, count: 10 } },
          { type: 'web_search', web_search: { enable: true, search_engine: 'search_std', count: 10 } },
        ],
      },
    ],
    [
      'tools that run other models',
      {
        tools: [
          { type: 'openrouter:subagent' },
          { type: 'openrouter:fusion', parameters: { analysis_models: ['dear'] } },
          { type: 'openrouter:image_generation' },
          { type: 'function', function: { name: 'subagent' } },
        ],
      },
      ['tools.openrouter:subagent', 'tools.openrouter:fusion', 'tools.openrouter:image_generation'],
      { tools: [{ type: 'function', function: { name: 'subagent' } }] },
    ],
    [
      'the memory of a container',
      {
        tools: [
          { type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g', file_ids: ['f'] } },
          { type: 'shell', environment: { type: 'container_auto', memory_limit: '4g' } },
          { type: 'code_interpreter', container: { type: 'auto', memory_limit: '1g' } },
          { type: 'code_interpreter', container: 'cntr_1' },
        ],
      },
      ['tools.container.memory_limit', 'tools.environment.memory_limit'],
      {
        tools: [
          { type: 'code_interpreter', container: { type: 'auto', file_ids: ['f'] } },
          { type: 'shell', environment: { type: 'container_auto' } },
          { type: 'code_interpreter', container: { type: 'auto', memory_limit: '1g' } },
          { type: 'code_interpreter', container: 'cntr_1' },
        ],
      },
    ],
    [
      'the memory of a container in a second body, and of a tool that the conversation adds',
      {
        extra_body: { tools: [{ type: 'shell', environment: { memory_limit: '16g', type: 'container_auto' } }] },
        input: [{ type: 'additional_tools', tools: [{ type: 'shell', environment: { memoryLimit: 64 } }] }],
      },
      ['extra_body.tools.environment.memory_limit', 'tools.environment.memoryLimit'],
      {
        extra_body: { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] },
        input: [{ type: 'additional_tools', tools: [{ type: 'shell', environment: {} }] }],
      },
    ],
    [
      'tools that the conversation adds',
      {
        input: [
          { role: 'user', content: 'hi', model: 'said' },
          { type: 'additional_tools', tools: [{ type: 'image_generation', model: 'dear' }] },
          { type: 'tool_search_output', tools: [{ type: 'advisor_1', model: 'dear' }] },
        ],
      },
      ['tools.model', 'tools.advisor_1'],
      {
        input: [
          { role: 'user', content: 'hi', model: 'said' },
          { type: 'additional_tools', tools: [{ type: 'image_generation' }] },
          { type: 'tool_search_output', tools: [] },
        ],
      },
    ],
  ])('is removed and reported: %s', (_what, fields, named, left) => {
    expect(read({ model, ...fields })).toEqual({ body: { model, ...left }, dropped: named });
  });

  it('becomes the vendor’s name of the image tool’s model if the token may use it', () => {
    const tools = [
      { type: 'image_generation', model: 'picture-1', size: '1024x1024' },
      { type: 'other', model: 'dear' },
    ];
    const dropped: string[] = [];
    expect(removeUnpricedFields({ model, tools }, dropped, { model: 'deployed' })).toEqual({
      model,
      tools: [{ type: 'image_generation', model: 'deployed', size: '1024x1024' }, { type: 'other' }],
    });
    expect(dropped).toEqual(['tools.model']);
    const same = { model, tools: tools.slice(0, 1) };
    expect(removeUnpricedFields(same, dropped, { model: 'picture-1' })).toBe(same);
    expect(dropped).toHaveLength(1);
  });

  it.each<[what: string, fields: JsonObject]>([
    ['messages', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', model: 'mine' }] }] }],
    ['the schema of a function', { tools: [{ type: 'function', parameters: { properties: { model: {} } } }] }],
    [
      'the schema of a function with a memory limit',
      { tools: [{ type: 'function', parameters: { properties: { memory_limit: { type: 'string' } } } }] },
    ],
    [
      'the schema of a function for a search',
      { tools: [{ type: 'function', name: 'web_search', parameters: { properties: { engine: {} } }, engine: 'own' }] },
    ],
    ['the options of other tools', { tools: [{ type: 'mcp', mode: 'own', max_results: 100 }] }],
    ['the schema of a tool', { tools: [{ name: 'own', input_schema: { properties: { speed: {} } } }] }],
    ['a function declaration', { tools: [{ functionDeclarations: [{ parameters: { model: {} } }] }] }],
    ['examples of a tool', { tools: [{ name: 'own', input_examples: [{ model: 'mine' }] }] }],
    ['metadata', { metadata: { model: 'note', speed: 'note' } }],
    ['an answer format', { response_format: { json_schema: { schema: { properties: { model: {} } } } } }],
    ['the requests of embeddings', { requests: [{ model: 'models/checked', content: {} }] }],
    ['the pace of a voice', { speed: 1.5, voice_settings: { speed: 0.8 } }],
    ['a model that has another name in its dialect', { model: undefined, model_name: 'checked' }],
    ['documents', { documents: [{ model: 'mine' }] }],
    ['the headers of a tool’s server', { tools: [{ type: 'mcp', server_label: 's', headers: { model: 'mine' } }] }],
    [
      'the schema of a search that the client runs',
      { tools: [{ type: 'tool_search', execution: 'client', parameters: { properties: { model: {} } } }] },
    ],
    ['nothing', { temperature: 1, models: null, deferred: false }],
  ])('is not searched in %s', (_what, fields) => {
    const body = { model, ...fields };
    const dropped: string[] = [];
    expect(removeUnpricedFields(body, dropped)).toBe(body);
    expect(dropped).toEqual([]);
  });

  it('names it without copies of a long name around it', () => {
    const long = 'x'.repeat(4_000);
    const inner = Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`${at}model`, 1]));
    const { body, dropped } = read({ model, [long]: { ...inner, tools: [{ type: 'advisor' }] } });
    expect(body).toEqual({ model, [long]: { tools: [] } });
    expect(dropped).toHaveLength(9_001);
    expect(Math.max(...dropped.map((name) => name.length))).toBeLessThan(100);
  });

  it('removes the image tool if its images would not be charged', () => {
    const dropped: string[] = [];
    const body = removeUnpricedFields({ model, tools: [{ type: 'image_generation' }, { name: 'own' }] }, dropped);
    expect(body).toEqual({ model, tools: [{ name: 'own' }] });
    expect(dropped).toEqual(['tools.image_generation']);
  });

  it('removes model and price fields in any spelling', () => {
    const names = fc.constantFrom(
      'draft_model',
      'modelName',
      'model_id',
      'models',
      'default_fallbacks',
      'serviceTier',
      'memory_limit',
      'memoryLimit',
    );
    const spelt = fc.tuple(names, fc.constantFrom('as-is', 'upper', 'lower')).map(([name, letters]) => {
      if (letters === 'as-is') return name;
      return letters === 'upper' ? name.toUpperCase() : name.toLowerCase();
    });
    const field = fc.constantFrom('options', 'extra_body', 'generationConfig');
    fc.assert(
      fc.property(field, spelt, (outer, name) => {
        const { body, dropped } = read({ model, [outer]: { [name]: 'dear', kept: 1 } });
        expect(body).toEqual({ model, [outer]: { kept: 1 } });
        expect(dropped).toEqual([`${outer}.${name}`]);
      }),
    );
  });

  it('removes model and price fields at any depth that vendors use', () => {
    const path = fc.array(fc.constantFrom('options', 'config', 'list'), { minLength: 1, maxLength: 4 });
    const chosen = fc.constantFrom('model', 'models', 'fallbacks', 'service_tier', 'speed', 'memory_limit');
    fc.assert(
      fc.property(path, chosen, (names, field) => {
        const inner = names.reduceRight<unknown>(
          (value, name) => (name === 'list' ? [{ [name]: value }] : { [name]: value }),
          { [field]: 'dear', kept: 1 },
        );
        const { body, dropped } = read({ model, extra: inner });
        expect(JSON.stringify(body)).not.toContain('dear');
        expect(JSON.stringify(body)).toContain('"kept":1');
        expect(dropped).toHaveLength(1);
      }),
    );
  });
});

it('removes 100,000 fields in milliseconds', () => {
  const fields = Object.fromEntries(Array.from({ length: 10_000 }, (_, nth) => [`f${nth}_model`, 'dear']));
  const options = Object.fromEntries(Array.from({ length: 10 }, (_, nth) => [`o${nth}`, fields]));
  const readCpuMs = startCpuTimer();
  const { body, dropped } = read({ ...options, left: 1 });
  const cpuMs = readCpuMs();
  expect(Object.keys(body)).toHaveLength(11);
  expect(dropped).toHaveLength(100_000);
  expect(cpuMs).toBeLessThan(1_500);
});
