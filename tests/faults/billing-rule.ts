/** The written rule for interrupted streams, applied to the bytes that a client got, at one point for a token. */
import { countedUsage, findProvider, planExchange, readRequest } from '../../packages/relay/src/relay.ts';

/** What the gateway itself adds to a stream that breaks off: no content. */
const GATEWAY_ERROR = /data: \{"error":[^\n]*\n\n/;

/** Points for an answer of which the client got `answer`, counted; 0 when there is no content in it. */
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
