import { createHash } from 'node:crypto';
import { type JsonObject, listOf, objectOf, objectsIn, textOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { dropFields, renameField } from '../provider-kit/shared-vendor-quirks.ts';

/** Removes the request for usage, which every stream reports anyway; unknown fields are refused. */
const dropUsageRequest: Quirk = (body) => {
  const { stream_options: options, ...rest } = body;
  return options === undefined ? body : rest;
};

const knownId = /^[a-zA-Z0-9]{9}$/;
const idFields = ['id', 'tool_call_id'] as const;

/**
 * Shortens an id: "Tool call id … must be a-z, A-Z, 0-9, with a length of 9." The same id always has the same result.
 */
function shortenId(object: JsonObject): JsonObject {
  const field = idFields.find((name) => object[name] !== undefined);
  const id = field && textOf(object[field]);
  if (field === undefined || id === undefined || knownId.test(id)) return object;
  return { ...object, [field]: createHash('sha256').update(id).digest('hex').slice(0, 9) };
}

/** Shortens the call ids of other vendors in a conversation. */
const shortenCallIds: Quirk = (body) => {
  if (body['messages'] === undefined) return body;
  const messages = objectsIn(body['messages']).map(shortenId);
  const named = messages.map((message) => {
    const calls = objectsIn(message['tool_calls']);
    return calls.length === 0 ? message : { ...message, tool_calls: calls.map(shortenId) };
  });
  return { ...body, messages: named };
};

const messageFields: ReadonlySet<string> = new Set(['role', 'content', 'tool_calls', 'tool_call_id', 'prefix']);

/** Removes unknown fields of messages, which are refused; only a tool's message may have a name. */
const dropUnknownMessageFields: Quirk = (body, _target, dropped) => {
  if (body['messages'] === undefined) return body;
  const isKnown = (field: string, { role }: JsonObject): boolean =>
    messageFields.has(field) || (field === 'name' && role === 'tool');
  const messages = objectsIn(body['messages']);
  for (const message of messages)
    for (const [field, value] of Object.entries(message))
      if (value !== null && !isKnown(field, message)) dropped.push(`messages.${field}`);
  const known = messages.map((message) =>
    Object.fromEntries(Object.entries(message).filter(([field]) => isKnown(field, message))),
  );
  return { ...body, messages: known };
};

/** Marks a prefilled response as required: "Expected last role User or Tool (or Assistant with prefix True)". */
const markPrefill: Quirk = (body) => {
  const messages = listOf(body['messages']);
  const last = objectOf(messages.at(-1));
  if (last['role'] !== 'assistant' || last['prefix'] !== undefined || listOf(last['tool_calls']).length > 0)
    return body;
  return { ...body, messages: [...messages.slice(0, -1), { ...last, prefix: true }] };
};

/** https://docs.mistral.ai/api */
export const mistral = createOpenaiCompatible({
  id: 'mistral',
  label: 'Mistral',
  channelType: 30,
  website: 'https://console.mistral.ai',
  baseUrl: 'https://api.mistral.ai',
  endpointTypes: ['openai-chat', 'openai-embeddings', 'openai-transcription', 'openai-moderation'],
  testModel: 'ministral-3b-latest',
  quirks: [
    dropUsageRequest,
    shortenCallIds,
    dropUnknownMessageFields,
    markPrefill,
    dropFields(
      'logit_bias',
      'logprobs',
      'top_logprobs',
      'user',
      'store',
      'service_tier',
      'modalities',
      'audio',
      'verbosity',
    ),
    renameField('seed', 'random_seed'),
    renameField('dimensions', 'output_dimension'),
  ],
});
