import { describe, expect, it } from 'vitest';
import { planExchange } from '../../../exchange/plan-exchange.ts';
import { objectOf, parseJson } from '../../../json/json.ts';
import { geminiRequest, sampleTarget } from '../../../testing/sample-requests.ts';
import { toSnakeCase } from './snake-and-camel-case-fields.ts';

const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

describe.each([
  ['vertex', { key: 'AIza' }],
  ['gemini', undefined],
] as const)('tools of a Gemini client at %s', (provider, credentials) => {
  const target = sampleTarget(provider, { model: 'gemini-2.5-flash', ...(credentials && { credentials }) });
  const send = (tools: unknown) => {
    const { body, dropped } = planExchange(geminiRequest({ contents, tools }), target);
    return { tools: objectOf(parseJson(body.toString()))['tools'], dropped };
  };

  it.each([
    'functionDeclarations',
    'googleSearch',
    'googleSearchRetrieval',
    'googleMaps',
    'codeExecution',
    'urlContext',
    'fileSearch',
    'computerUse',
    'mcpServers',
  ])('pass if the price covers them: %s', (name) => {
    for (const spelling of [name, toSnakeCase(name)])
      expect(send([{ [spelling]: {} }])).toEqual({ tools: [{ [spelling]: {} }], dropped: [] });
  });

  it.each(['enterpriseWebSearch', 'parallelAiSearch', 'exaAiSearch', 'toolOfTomorrow'])(
    'are removed and reported if the price doesn’t cover them: %s',
    (name) => {
      for (const spelling of [name, toSnakeCase(name)]) {
        const dropped = [`tools.${spelling}`];
        const functions = { functionDeclarations: [{ name: 'own' }] };
        expect(send([functions, { [spelling]: {} }])).toEqual({ tools: [functions], dropped });
        expect(send([{ ...functions, [spelling]: {} }])).toEqual({ tools: [functions], dropped });
        expect(send({ [spelling]: {} })).toEqual({ tools: [], dropped });
      }
    },
  );

  it('pass unchanged as one tool instead of a list', () => {
    expect(send({ googleSearch: {} })).toEqual({ tools: { googleSearch: {} }, dropped: [] });
  });

  it('refuses tools that read the operator’s data', () => {
    expect(() => send([{ retrieval: {} }])).toThrow(expect.objectContaining({ param: 'tools.retrieval' }));
  });
});
