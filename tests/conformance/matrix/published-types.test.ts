/** Upstream requests match the vendors' published types, which must also know all field names. */
import { expect, it } from 'vitest';
import { checkTypes } from '../type-errors.ts';
import { listUpstreamRequests } from './losses.ts';
import type { DialectName } from './scenario.ts';

/** Google's types are those of its library, not of its API. */
const types: Readonly<Record<Exclude<DialectName, 'gemini'>, readonly [name: string, from: string]>> = {
  'openai-chat': ['ChatCompletionCreateParams', 'openai/resources/chat/completions'],
  'openai-responses': ['ResponseCreateParams', 'openai/resources/responses/responses'],
  'anthropic-messages': ['MessageCreateParams', '@anthropic-ai/sdk/resources/messages'],
};

/**
 * Fields beyond the types: those of other vendors with the same dialect (OpenRouter, Qwen), and sampling, which
 * Anthropic's types omit although older models accept it.
 */
const known =
  /'"(cache_control|temperature|top_p|top_k)"' does not exist|'"image"' is not assignable|'"video_url"' is not assignable/;

it.each(Object.entries(types))('a request to %s has the published type', (dialect, [name, from]) => {
  const requests = listUpstreamRequests(dialect as DialectName);
  expect(requests.length).toBeGreaterThan(30);
  const lines = requests.map(({ body }, index) => `export const r${index}: ${name} = ${body};`);
  const wrong = checkTypes([`import type { ${name} } from '${from}';`, ...lines].join('\n'));
  const unknown = wrong.filter(({ text }) => !known.test(text));
  expect(unknown.map(({ line, text }) => `${requests[line - 2]?.name}: ${text}`)).toEqual([]);
});
