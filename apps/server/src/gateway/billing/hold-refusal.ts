/** Refusals of requests that an account or a token cannot pay for. */
import type { Settings } from '@switchyard/contract/operations/settings';
import type { DialectId } from '@switchyard/relay';
import type { Shortage } from '../../ledger/ledger.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { RelayError } from '../http/relay-error.ts';

/** Request that the account cannot pay for. */
interface UnpaidRequest {
  key: { name: string } | undefined;
  /** Points that the request needs. */
  amount: number;
  format: DialectId;
}

interface RefusalParts {
  clock: Clock;
  readonly settings: Pick<Settings, 'displayInCurrency' | 'quotaPerUnit'>;
}

export function createHoldRefusal(
  { clock, settings }: RefusalParts,
  { short, available, resetsAt }: Shortage,
  { key, amount, format }: UnpaidRequest,
): RelayError {
  const token = `the token "${key?.name ?? ''}"`;
  const left = describeShortage(settings, available, amount);
  const limitAdvice = adviseOutputLimit(format, ', or ');
  switch (short) {
    case 'user':
      return new RelayError(
        'insufficient_user_quota',
        `The account's balance is too low: ${left} Top up${limitAdvice}.`,
      );
    case 'alarm':
      return new RelayError(
        'account_blocked',
        'This account is locked because its balance needs a check. Ask an administrator to unlock it.',
      );
    case 'key':
      return new RelayError(
        'insufficient_token_quota',
        `The quota of ${token} is too low: ${left} Raise the quota${limitAdvice}.`,
      );
    case 'day':
    case 'week':
    case 'month': {
      const resets = new Date((resetsAt ?? nowSeconds(clock)) * 1000).toISOString();
      const refusal = `The budget of ${token} for this ${short} is too low: ${left}`;
      return new RelayError(
        'insufficient_token_quota',
        `${refusal} It resets at ${resets}. Retry then, or raise the budget.`,
      );
    }
  }
}

/** Fields by which clients limit the output; the cost of other operations depends on something else. */
const outputLimits: Readonly<Partial<Record<DialectId, string>>> = {
  'openai-chat': 'max_completion_tokens',
  'openai-completions': 'max_tokens',
  'openai-responses': 'max_output_tokens',
  'anthropic-messages': 'max_tokens',
  gemini: 'generationConfig.maxOutputTokens',
};

/** Returns the advice to limit the output after `before`; empty if it cannot be limited. */
function adviseOutputLimit(format: DialectId, before: string): string {
  const field = outputLimits[format];
  return field === undefined ? '' : `${before}set a lower output limit (${field})`;
}

function describeShortage(settings: RefusalParts['settings'], available: number, amount: number): string {
  const left = formatPoints(settings, Math.max(0, available));
  return `${left} available, and this request may need ${formatPoints(settings, amount)}.`;
}

const PARALLEL_RETRY_SECONDS = 5;

/**
 * Refuses a request whose usual reservation the account can pay, but not the higher one while its others run.
 * @param available points that are left
 */
export function createParallelRefusal(
  { settings }: RefusalParts,
  available: number,
  { amount, format }: Omit<UnpaidRequest, 'key'>,
): RelayError {
  const left = describeShortage(settings, available, amount);
  return new RelayError(
    'rate_limit_exceeded',
    `Other requests of this account are running, and their cost is not known yet: ${left} Retry when they have ended${adviseOutputLimit(format, ', ')}, or top up.`,
    { retryAfterSeconds: PARALLEL_RETRY_SECONDS },
  );
}

const dollars = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

/** Formats points as the site shows money: `$0.0024 (1200 points)`, or the points alone. */
function formatPoints({ displayInCurrency, quotaPerUnit }: RefusalParts['settings'], points: number): string {
  const whole = points === 1 ? '1 point' : `${points} points`;
  return displayInCurrency ? `${dollars.format(points / quotaPerUnit)} (${whole})` : whole;
}
