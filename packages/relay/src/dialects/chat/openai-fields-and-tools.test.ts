import { describe, expect, it } from 'vitest';
import { planExchange } from '../../exchange/plan-exchange.ts';
import { type JsonObject, listOf, objectOf } from '../../json/json.ts';
import { sampleRequest, sampleTarget } from '../../testing/sample-requests.ts';

const grammar = { syntax: 'regex', definition: '^[0-9]+$' };
const tool = { name: 'dial', description: 'Dials a number.' };
const requests: Record<string, [format: 'openai-chat' | 'openai-responses', tools: JsonObject[]]> = {
  'Chat Completions': ['openai-chat', [{ type: 'custom', custom: { ...tool, format: { type: 'grammar', grammar } } }]],
  Responses: ['openai-responses', [{ type: 'custom', ...tool, format: { type: 'grammar', ...grammar } }]],
};

describe('a custom tool', () => {
  it.each(Object.entries(requests))(
    'of a client of %s gets its grammar as an instruction, and reports it as not enforced',
    (_name, [format, tools]) => {
      const plan = planExchange(sampleRequest(format, { tools }), sampleTarget('anthropic'));
      const [sent] = listOf(objectOf(JSON.parse(plan.body.toString()))['tools']);
      expect(sent).toMatchObject({
        ...tool,
        input_schema: {
          required: ['input'],
          properties: { input: { type: 'string', description: expect.stringContaining('regex') } },
        },
      });
      expect(JSON.stringify(sent)).toContain('^[0-9]+$');
      expect(plan.dropped).toEqual(['tools.custom.format']);
    },
  );

  it.each(Object.entries(requests))('of a client of %s loses nothing without a grammar', (_name, [format]) => {
    const plain = { type: 'text' };
    const tools = [{ type: 'custom', ...tool, format: plain, custom: { ...tool, format: plain } }];
    const plan = planExchange(sampleRequest(format, { tools }), sampleTarget('anthropic'));
    expect(plan.dropped.filter((field) => field.endsWith('format'))).toEqual([]);
  });
});
