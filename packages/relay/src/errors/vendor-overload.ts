/** Tells a vendor without capacity from one that failed, because clients wait for the one and give up on the other. */
import { spellingOf } from './error-words.ts';
import type { UpstreamErrorKind } from './upstream-error.ts';

/** Words that say it under any status. */
const words = spelled([
  // https://docs.anthropic.com/en/api/errors
  'overloaded_error',
  // https://platform.openai.com/docs/guides/error-codes
  'server_is_overloaded',
  // https://platform.moonshot.ai/docs/api/errors
  'engine_overloaded_error',
  'model_overloaded',
]);
/** Words that say it of a failure; of a request that was refused they mean a limit. */
const wordsOfFailures = spelled([
  // https://platform.openai.com/docs/guides/error-codes
  'slow_down',
  'service_unavailable',
  'service_unavailable_error',
  // https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
  'serviceUnavailableException',
  // https://cloud.google.com/apis/design/errors#handling_errors
  'UNAVAILABLE',
]);
const statuses: ReadonlySet<number> = new Set([429, 503, 529]);
const message =
  /\boverloaded\b|\b(?:at|over|exceeded|no|insufficient) capacity\b|\bhigh demand\b|负载|繁忙|过载/i;

interface Said {
  message: string | undefined;
  words: readonly string[];
  status: number | undefined;
}

/**
 * Returns whether a vendor said that it has no capacity at the moment.
 * @param status 200 when the error has none of its own
 */
export function isOverload(kind: UpstreamErrorKind, status: number, said: Said): boolean {
  if (kind !== 'overloaded' && kind !== 'rate-limited') return false;
  const spellings = said.words.map(spellingOf);
  if (spellings.some((word) => words.has(word))) return true;
  if (kind !== 'overloaded') return false;
  return (
    statuses.has(status === 200 ? (said.status ?? 0) : status) ||
    spellings.some((word) => wordsOfFailures.has(word)) ||
    message.test(said.message ?? '')
  );
}

function spelled(names: readonly string[]): ReadonlySet<string> {
  return new Set(names.map(spellingOf));
}
