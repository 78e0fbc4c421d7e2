/** Request that continues an earlier response. */
import { type ClientRequest, readRequest, type UpstreamError } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { StoredResponse } from '../../stored-responses/stored-responses.ts';
import { toItemList } from '../http/responses-final-event.ts';

/**
 * Returns the request with the provider's stored history counted in its estimates, since the history is part of its
 * cost.
 */
export function withStoredHistory(request: ClientRequest, { json, facts }: ClientRequest): ClientRequest {
  const { inputTokensEstimate, imageTokensEstimate, audioTokensEstimate, cacheLifetime } = facts;
  const estimates = { inputTokensEstimate, imageTokensEstimate, audioTokensEstimate, cacheLifetime };
  return { ...request, billedJson: json, facts: { ...request.facts, ...estimates } };
}

/** Returns the request with the earlier turns in its input. @throws InvalidRequestError */
export function withHistory(request: ClientRequest, turns: readonly StoredResponse[]): ClientRequest {
  const { previous_response_id: _id, ...rest } = request.json;
  const earlier = turns.flatMap((turn) => [...turn.input, ...storedOutput(turn)]);
  const body = { ...rest, input: [...earlier, ...toItemList(request.json['input'])] };
  const { operation, format } = request;
  const whole = readRequest({ operation, format }, Buffer.from(JSON.stringify(body)), request.headers);
  return { ...whole, clientJson: request.json };
}

/**
 * Returns the output items of a stored response. If a provider has stored it, reasoning is omitted, since it is
 * meaningless to another provider or account, and ids are removed, since a call with an id is refused without its
 * reasoning.
 */
function storedOutput({ channelId, response }: StoredResponse): readonly unknown[] {
  const output = toItemList(response['output']);
  if (channelId === undefined) return output;
  return output.flatMap((item) => {
    if (!isObject(item) || !namedThere.has(item['type'])) return [item];
    const { id: _id, ...fields } = item;
    return item['type'] === 'reasoning' ? [] : [fields];
  });
}

const namedThere: ReadonlySet<unknown> = new Set(['reasoning', 'message', 'function_call', 'custom_tool_call']);

/**
 * Returns whether a provider reports that it lacks the response that a request continues: by OpenAI's code, else by
 * its message (vLLM's, xAI's, and that of accounts with zero data retention).
 */
export function isPreviousResponseMissing({ kind, code, message }: UpstreamError): boolean {
  if (code === 'previous_response_not_found') return true;
  return (kind === 'rejected' || kind === 'overloaded') && missingResponse.test(message.slice(0, 1_000));
}

const missingResponse =
  /\bresponse with id\b.*\bnot found\b|\bprevious[ _]response\b.*\b(not found|cannot be used|expired)\b/i;
