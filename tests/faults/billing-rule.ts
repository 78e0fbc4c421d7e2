/** The documented rule for interrupted streams, applied to the bytes that a client received, at one point per token. */
import { countedUsage, findProvider, planExchange, readRequest } from '../../packages/relay/src/relay.ts';

/** Event that the gateway adds to an interrupted stream; it is not content. */
const GATEWAY_ERROR = /data: \{"error":[^\n]*\n\n/;

/** Returns the points for a partial response, by its counted tokens; 0 without content. */
export function computeExpectedPoints(requestBody: string, answer: string): number {
  const request = readRequest({ operation: 'chat', format: 'openai-chat' }, Buffer.from(requestBody), {});
  const provider = findProvider('custom');
  if (provider === undefined) throw new Error('the provider custom is missing');
  const account = { provider, baseUrl: 'http://x', credentials: { key: 'k' }, options: {}, headers: {} };
  const reader = planExchange(request, { ...account, model: request.facts.model }).readResponse();
  reader.push(Buffer.from(answer.replace(GATEWAY_ERROR, '')));
  if (reader.meter.deliveredCharacters === 0) return 0;
  const { input, output } = countedUsage(request, reader.meter);
  return input + output;
}
