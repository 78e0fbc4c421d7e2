import { listOf, objectOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';

/**
 * Removes storage fields: the vendor stores no responses and returns no reasoning. Values that request neither are
 * removed without a report.
 */
const dropStorageFields: Quirk = ({ store, include, ...body }, _target, dropped) => {
  if (store === true) dropped.push('store');
  if (listOf(include).some((field) => field !== 'reasoning.encrypted_content')) dropped.push('include');
  return body;
};

/** Moves the output format to its field in Chat Completions. */
const moveOutputFormat: Quirk = (body, _target, dropped) => {
  const { text, ...rest } = body;
  if (text === undefined) return body;
  const { format, verbosity } = objectOf(text);
  if (verbosity != null) dropped.push('text.verbosity');
  const { type, ...schema } = objectOf(format);
  if (type === 'json_schema') return { ...rest, response_format: { type, json_schema: schema } };
  if (type !== undefined && type !== 'text') dropped.push('text.format');
  return rest;
};

/**
 * Perplexity's Agent API, a subset of OpenAI's Responses; its chat completions have been retired.
 * https://docs.perplexity.ai/docs/agent-api/openai-compatibility, supported fields:
 * https://docs.perplexity.ai/api-reference
 */
export const perplexity = createOpenaiCompatible({
  id: 'perplexity',
  label: 'Perplexity',
  channelType: 1001,
  website: 'https://console.perplexity.ai',
  baseUrl: 'https://api.perplexity.ai',
  endpointTypes: ['openai-responses'],
  testModel: 'perplexity/sonar',
  quirks: [dropStorageFields, moveOutputFormat],
  listModels: null,
});
