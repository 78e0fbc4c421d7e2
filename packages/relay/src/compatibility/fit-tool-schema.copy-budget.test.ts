import { expect, test } from 'vitest';
import { planExchange } from '../exchange/plan-exchange.ts';
import type { JsonObject } from '../json/json.ts';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { sampleRequest, sampleTarget } from '../testing/sample-requests.ts';

/** Alternatives that targets without alternatives at the root lose, each with two references to the next one. */
function createDoublingSchema(levels: number): JsonObject {
  const refer = (at: number): JsonObject => ({ $ref: `#/anyOf/${at}` });
  const others = Array.from({ length: levels }, (_, at) => ({ not: { anyOf: [refer(at + 2), refer(at + 2)] } }));
  return { anyOf: [{ properties: { p: refer(1) } }, ...others, {}] };
}

/** Two levels of thirty references to a long text. */
function createLongTextSchema(): JsonObject {
  const refer = (at: number): JsonObject => ({
    prefixItems: Array.from({ length: 30 }, () => ({ $ref: `#/anyOf/${at}` })),
  });
  return { anyOf: [{ properties: { p: refer(1) } }, { not: refer(2) }, { description: 'x'.repeat(1_000) }] };
}

/** Thousands of names that each of many references requires again. */
function createRequiredNamesSchema(): JsonObject {
  const branches = Array.from({ length: 150 }, (_, at) => ({ $ref: '#/$defs/A', title: `${at}` }));
  return { anyOf: branches, $defs: { A: { required: Array.from({ length: 150 }, (_, at) => `name ${at}`) } } };
}

test.each(
  ['anthropic', 'gemini', 'cohere', 'groq', 'mistral', 'moonshot'].flatMap((provider) => [
    [provider, 'references that double', createDoublingSchema(13)] as const,
    [provider, 'references to a long text', createLongTextSchema()] as const,
    [provider, 'required names', createRequiredNamesSchema()] as const,
  ]),
)('the tools of a request to %s share one limit, with %s', (provider, _name, parameters) => {
  const tools = Array.from({ length: 60 }, (_, at) => ({ type: 'function', name: `tool_${at}`, parameters }));
  const request = sampleRequest('openai-responses', { tools });
  const plan = (): { ms: number; bytes: number } => {
    const readCpuMs = startCpuTimer();
    const { body } = planExchange(request, sampleTarget(provider));
    return { ms: readCpuMs(), bytes: body.length };
  };
  const plans = Array.from({ length: 3 }, plan);
  expect(Math.max(...plans.map(({ bytes }) => bytes))).toBeLessThan(request.body.length + 2_000_000);
  // With a separate limit for each tool, it was up to seven seconds.
  expect(Math.min(...plans.map(({ ms }) => ms))).toBeLessThan(200);
});

const definition = { description: 'x'.repeat(300_000) };
const aliases = (spell: (nth: number) => string): JsonObject => ({
  properties: { a: { anyOf: Array.from({ length: 3_000 }, (_, nth) => ({ $ref: spell(nth) })) } },
  anyOf: [definition],
  not: { aaaaaaaaaaaa: definition },
});
/** The name `aaaaaaaaaaaa`, with some of its letters percent-encoded. */
const encodeLetters = (nth: number): string =>
  Array.from({ length: 12 }, (_, at) => ((nth >> at) & 1 ? '%61' : 'a')).join('');

test.each([
  ['a path of percent signs', { $ref: `#${'/%'.repeat(200_000)}` }],
  ['a path that is longer than JSON is deep', { $ref: `#${'/a'.repeat(200_000)}` }],
  ['many names of a list’s item', aliases((nth) => `#/anyOf/0e${nth}`)],
  ['many spellings of a definition’s name', aliases((nth) => `#/not/${encodeLetters(nth)}`)],
])('%s costs no more than other text', (_name, parameters) => {
  const request = sampleRequest('openai-chat', { tools: [{ type: 'function', function: { name: 't', parameters } }] });
  for (const provider of ['anthropic', 'gemini', 'openai']) {
    const times = Array.from({ length: 3 }, () => {
      const readCpuMs = startCpuTimer();
      planExchange(request, sampleTarget(provider));
      return readCpuMs();
    });
    // It was one to five seconds.
    expect(Math.min(...times)).toBeLessThan(200);
  }
});
