import { isObject, listOf, objectOf } from '../../../json/json.ts';
import { reconcileTokens } from '../../../model/reconcile-tokens.ts';
import { emptyUsage, tokenCount, type Usage } from '../../../model/usage.ts';

/**
 * Cached tokens stand beside `inputTokens`; thoughts are among `outputTokens`, and nobody tells how many they are.
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_TokenUsage.html
 */
export function readUsage(report: unknown): Usage | undefined {
  if (!isObject(report) || (report['inputTokens'] == null && report['outputTokens'] == null))
    return undefined;
  const details = listOf(report['cacheDetails']).map(objectOf);
  const write1h = details
    .filter(({ ttl }) => ttl === '1h')
    .reduce((sum, { inputTokens }) => tokenCount(sum + tokenCount(inputTokens)), 0);
  const written = Math.max(tokenCount(report['cacheWriteInputTokens']), write1h);
  const input = tokenCount(report['inputTokens']);
  const cachedRead = tokenCount(report['cacheReadInputTokens']);
  const tokens = reconcileTokens({
    prompt: input + cachedRead + written,
    completion: report['outputTokens'],
    total: report['totalTokens'],
    parts: { cachedRead, cacheWrite5m: written - write1h, cacheWrite1h: write1h },
  });
  return { ...emptyUsage(), ...tokens };
}
