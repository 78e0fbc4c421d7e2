/** What a request says that goes on from an earlier answer. */
import { type ClientRequest, readRequest, type UpstreamError } from '@switchyard/relay';
import { isObject } from '@switchyard/relay/json';
import type { StoredResponse } from '../../responses/responses.ts';
import { listOfItems } from '../http/final-response.ts';

/** What the vendor adds to a request is part of what it costs. */
export function keptRequest(request: ClientRequest, { json, facts }: ClientRequest): ClientRequest {
  const { inputTokensEstimate, imageTokensEstimate } = facts;
  return { ...request, read: json, facts: { ...request.facts, inputTokensEstimate, imageTokensEstimate } };
}

/** The request with the earlier turns in it. @throws InvalidRequest */
export function withTurns(request: ClientRequest, turns: readonly StoredResponse[]): ClientRequest {
  const { previous_response_id: _id, ...rest } = request.json;
  const earlier = turns.flatMap((turn) => [...turn.input, ...outputOf(turn)]);
  const body = { ...rest, input: [...earlier, ...listOfItems(request.json['input'])] };
  const { operation, format } = request;
  const whole = readRequest({ operation, format }, Buffer.from(JSON.stringify(body)), request.headers);
  return { ...whole, said: request.json };
}

/**
 * Of an answer that its vendor keeps, thoughts mean nothing to another one, or to another account; and a call that bears
 * its id there is refused without its thought.
 */
function outputOf({ channelId, response }: StoredResponse): readonly unknown[] {
  const output = listOfItems(response['output']);
  if (channelId === undefined) return output;
  return output.flatMap((item) => {
    if (!isObject(item) || !namedThere.has(item['type'])) return [item];
    const { id: _id, ...said } = item;
    return item['type'] === 'reasoning' ? [] : [said];
  });
}

const namedThere: ReadonlySet<unknown> = new Set([
  'reasoning',
  'message',
  'function_call',
  'custom_tool_call',
]);

/**
 * Whether a vendor says that it does not have what a request goes on from: by OpenAI's code, else by its words (those of
 * vLLM, xAI and of accounts that let nothing be kept).
 */
export function lacksPreviousResponse({ kind, code, message }: UpstreamError): boolean {
  if (code === 'previous_response_not_found') return true;
  return (kind === 'rejected' || kind === 'overloaded') && forgotten.test(message.slice(0, 1_000));
}

const forgotten =
  /\bresponse with id\b.*\bnot found\b|\bprevious[ _]response\b.*\b(not found|cannot be used|expired)\b/i;
