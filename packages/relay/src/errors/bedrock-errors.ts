import { objectOf, textOf } from '../json/json.ts';
import type { ResponseHeaders } from '../model/exchange.ts';
import type { UpstreamErrorKind } from './upstream-error.ts';

/** Failure classes by exception name, where the status alone would suggest another one. */
const kinds: ReadonlyMap<string, UpstreamErrorKind> = new Map([
  ['ServiceQuotaExceededException', 'rate-limited'],
  ['ThrottlingException', 'rate-limited'],
  ['ModelNotReadyException', 'overloaded'],
  ['ModelTimeoutException', 'overloaded'],
  ['ModelErrorException', 'overloaded'],
  ['ExpiredTokenException', 'unauthorised'],
  ['UnrecognizedClientException', 'unauthorised'],
  // Another channel, in another region, may have the model.
  ['ResourceNotFoundException', 'garbled'],
]);
const unknownModel = /^(The provided model identifier is invalid|Invocation of model ID)/;

/** https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, "Errors" */
export function readBedrockError(
  _status: number,
  body: unknown,
  headers: ResponseHeaders,
): UpstreamErrorKind | undefined {
  if (unknownModel.test(textOf(objectOf(body)['message']) ?? '')) return 'garbled';
  const [type = ''] = String(headers['x-amzn-errortype'] ?? '').split(':');
  return kinds.get(type);
}
