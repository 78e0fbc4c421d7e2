/** External checks of a request: a moderation model, or a server of the operator. */
import { randomUUID } from 'node:crypto';
import { isObject } from '@switchyard/relay/json';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { signWebhookHeaders } from '../../platform/outbound/webhook-headers.ts';
import type { LoadedRule } from './loaded-rules.ts';

export type CheckResult = 'passed' | 'found' | 'failed';

/** Maximum characters per chunk; texts with more chunks than the limit are not sent. */
const CHUNK_MAX = 10_000;
const CHUNKS_MAX = 64;
const SECRET_PREFIX = 'whsec_';

/** Facts about the request besides its texts. */
export interface CheckedRequest {
  requestId: string;
  group: string;
  model: string;
  operation: string;
}

/** Returns undefined when the texts are too long to be checked. */
export function splitIntoChunks(texts: readonly string[]): string[] | undefined {
  const all = texts.join('\n');
  const count = Math.ceil(all.length / CHUNK_MAX);
  if (count > CHUNKS_MAX) return undefined;
  return Array.from({ length: count }, (_, at) => all.slice(at * CHUNK_MAX, (at + 1) * CHUNK_MAX));
}

/** Calls the rule's address. Never rejects. */
export async function callModerationWebhook(
  { outbound, clock, log }: Pick<Context, 'outbound' | 'clock' | 'log'>,
  rule: LoadedRule,
  texts: readonly string[],
  { requestId, group, model, operation }: CheckedRequest,
): Promise<CheckResult> {
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  const timestamp = nowSeconds(clock);
  const body = JSON.stringify({
    type: 'content.check',
    timestamp: new Date(timestamp * 1_000).toISOString(),
    data: { request_id: requestId, group, model, operation, texts },
  });
  try {
    const answer = await outbound.fetchJson({
      method: 'POST',
      url: rule.url,
      headers: {
        'content-type': 'application/json',
        ...signWebhookHeaders(parseSigningKey(rule.secret), id, timestamp, body),
      },
      body,
      proxy: '',
      timeoutMs: rule.timeout_ms,
    });
    return answer.status === 200 ? evaluateScores(rule, [answer.json]) : 'failed';
  } catch (error) {
    log.warn({ err: error, rule: rule.id }, 'a content check by webhook failed');
    return 'failed';
  }
}

/** Decodes a secret in either format; undefined without one. */
function parseSigningKey(secret: string): Buffer | undefined {
  if (secret === '') return undefined;
  return secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret);
}

/**
 * Evaluates results in OpenAI's format: by their flags, or by the scores if the rule has thresholds.
 * https://platform.openai.com/docs/api-reference/moderations/object
 */
export function evaluateScores(
  { thresholds }: Pick<LoadedRule, 'thresholds'>,
  results: readonly unknown[],
): CheckResult {
  const limits = Object.entries(thresholds);
  if (results.length === 0) return 'failed';
  let isFound = false;
  for (const result of results) {
    if (!isObject(result)) return 'failed';
    const scores = result['category_scores'];
    if (limits.length === 0) {
      if (typeof result['flagged'] !== 'boolean') return 'failed';
      isFound ||= result['flagged'];
    } else {
      if (!isObject(scores)) return 'failed';
      isFound ||= limits.some(([category, least]) => Number(scores[category] ?? 0) >= least);
    }
  }
  return isFound ? 'found' : 'passed';
}
