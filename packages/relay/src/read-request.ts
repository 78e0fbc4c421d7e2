import { dialectOf } from './dialects.ts';
import type { ClientRequest, ResponseHeaders } from './exchange.ts';
import { checkSpelling } from './field-spelling.ts';
import { type Dialect, InvalidRequest } from './format.ts';
import { isObject, type JsonObject, parseJson, textOf } from './json.ts';
import { occurrences } from './json-edit.ts';
import { checkJsonSize } from './json-size.ts';
import type { FormatId, Operation } from './provider.ts';
import { estimatePrompt } from './tokens/estimate.ts';

/** The only headers of a client that a vendor ever sees. */
const forwardedHeaders = ['anthropic-beta', 'anthropic-version', 'openai-beta'] as const;
const MODEL_NAME_MAX = 256;

/**
 * Parses a client's body once and checks what admission needs; everything else is for the upstream to judge.
 * @param headers of the client, lower case.
 * @throws InvalidRequest
 */
export function readRequest(
  operation: Operation,
  format: FormatId,
  body: Buffer,
  headers: ResponseHeaders,
): ClientRequest {
  const dialect = dialectOf(format);
  if (dialect.operation !== operation) throw new InvalidRequest(`This endpoint does not serve ${operation}.`);
  checkJsonSize(body);
  const json = parseJson(body.toString('utf8'));
  if (json === undefined) throw new InvalidRequest('The request body is not valid JSON.');
  if (!isObject(json)) throw new InvalidRequest('The request body must be a JSON object.');
  const model = modelOf(json, body);
  const inputTokensEstimate = estimatePrompt(json, model);
  checkSpelling(json);
  return {
    operation,
    format,
    body,
    json,
    facts: {
      model,
      stream: streamOf(json, dialect),
      inputTokensEstimate,
      ...dialect.readFacts(json),
    },
    headers: pickHeaders(headers),
  };
}

function modelOf(json: JsonObject, body: Buffer): string {
  const model = textOf(json['model']);
  // With two names, the one that is priced here need not be the one that the upstream serves.
  if (occurrences(body, 'model') > 1) throw new InvalidRequest('model is given more than once.', 'model');
  if (model === undefined) throw new InvalidRequest('You must provide a model parameter.', 'model');
  if (model.length > MODEL_NAME_MAX) throw new InvalidRequest('The model name is too long.', 'model');
  return model;
}

function streamOf(json: JsonObject, dialect: Dialect): boolean {
  const stream = json['stream'] ?? false;
  if (typeof stream !== 'boolean') throw new InvalidRequest('stream must be a boolean.', 'stream');
  if (stream && dialect.tap === undefined) throw new InvalidRequest('This endpoint cannot stream.', 'stream');
  return stream;
}

function pickHeaders(headers: ResponseHeaders): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of forwardedHeaders) {
    const value = headers[name];
    if (typeof value === 'string') picked[name] = value;
  }
  return picked;
}
