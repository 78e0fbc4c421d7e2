import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from './json.ts';
import { withoutUnpriced } from './unpriced-fields.ts';

function read(body: JsonObject): { body: JsonObject; dropped: string[] } {
  const dropped: string[] = [];
  return { body: withoutUnpriced(body, dropped), dropped };
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
      'a price class inside an option',
      { options: { routing: { service_tier: 'priority', region: 'eu' } } },
      ['options.routing.service_tier'],
      { options: { routing: { region: 'eu' } } },
    ],
    [
      'a model inside a list of options',
      { context_management: { edits: [{ type: 'compact', model: 'dear', keep: 3 }] } },
      ['context_management.edits.model'],
      { context_management: { edits: [{ type: 'compact', keep: 3 }] } },
    ],
  ])('is left out and named: %s', (_what, fields, named, left) => {
    expect(read({ model, ...fields })).toEqual({ body: { model, ...left }, dropped: named });
  });

  it('sends the image tool’s model by its name at the vendor where the token may use it', () => {
    const tools = [
      { type: 'image_generation', model: 'picture-1', size: '1024x1024' },
      { type: 'other', model: 'dear' },
    ];
    const dropped: string[] = [];
    expect(withoutUnpriced({ model, tools }, dropped, 'deployed')).toEqual({
      model,
      tools: [{ type: 'image_generation', model: 'deployed', size: '1024x1024' }, { type: 'other' }],
    });
    expect(dropped).toEqual(['tools.model']);
    const same = { model, tools: tools.slice(0, 1) };
    expect(withoutUnpriced(same, dropped, 'picture-1')).toBe(same);
    expect(dropped).toHaveLength(1);
  });

  it.each<[what: string, fields: JsonObject]>([
    ['messages', { messages: [{ role: 'user', content: [{ type: 'text', text: 'x', model: 'mine' }] }] }],
    [
      'the schema of a function',
      { tools: [{ type: 'function', parameters: { properties: { model: {} } } }] },
    ],
    ['the schema of a tool', { tools: [{ name: 'own', input_schema: { properties: { speed: {} } } }] }],
    ['a function declaration', { tools: [{ functionDeclarations: [{ parameters: { model: {} } }] }] }],
    ['metadata', { metadata: { model: 'note', speed: 'note' } }],
    ['an answer format', { response_format: { json_schema: { schema: { properties: { model: {} } } } } }],
    ['the requests of embeddings', { requests: [{ model: 'models/checked', content: {} }] }],
    ['nothing', { temperature: 1, models: null }],
  ])('is not looked for in %s', (_what, fields) => {
    const body = { model, ...fields };
    const dropped: string[] = [];
    expect(withoutUnpriced(body, dropped)).toBe(body);
    expect(dropped).toEqual([]);
  });

  it('a model or price class is left out at any depth that vendors use', () => {
    const path = fc.array(fc.constantFrom('options', 'config', 'list'), { minLength: 1, maxLength: 4 });
    const chosen = fc.constantFrom('model', 'models', 'fallbacks', 'service_tier', 'speed');
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
