/** Vendor messages that report a fault of the account or key without a specific code. */
import type { UpstreamErrorKind } from './upstream-error.ts';

/**
 * Patterns that match only the start of a message. Vendors repeat the client's text in the middle of messages, and a
 * client must not be able to have an operator's key disabled.
 */
const messages: readonly (readonly [RegExp, UpstreamErrorKind])[] = [
  // Anthropic, https://github.com/anthropics/claude-code/issues/2127 and /72457
  [/^Your credit balance is too low/, 'out-of-credit'],
  [/^You have reached your specified (?:\w+ )?API usage limits/, 'out-of-credit'],
  [/^(?:This|Your) (?:organization|workspace) has been (?:disabled|suspended|archived)/, 'unauthorised'],
  [/^(?:This|Your) API key (?:has been|is|is currently) (?:disabled|revoked|blocked|suspended)/, 'unauthorised'],
  // OpenAI, https://platform.openai.com/docs/guides/error-codes
  [/^Incorrect API key provided/, 'unauthorised'],
  [/^Billing hard limit has been reached/, 'out-of-credit'],
  [/^Your account is not active, please check your billing/, 'out-of-credit'],
  [/^The OpenAI account associated with this API key has been deactivated/, 'unauthorised'],
  // Google, https://ai.google.dev/gemini-api/docs/troubleshooting
  [/^API key (?:not valid|expired|not found)/i, 'unauthorised'],
  [/^Your API key was reported as leaked/, 'unauthorised'],
  [/^User location is not supported/, 'unauthorised'],
  [/^Gemini API free tier is not available in your country/, 'out-of-credit'],
  [/^This API method requires billing to be enabled/, 'out-of-credit'],
  [/^Billing (?:account )?(?:for .{1,100} )?(?:is|has been) (?:disabled|not enabled|closed)/, 'out-of-credit'],
  [/^Billing (?:must be enabled|not enabled|disabled)/, 'out-of-credit'],
  [/^Your prepayment credits are depleted/, 'out-of-credit'],
  [/^Your project has exceeded its (?:monthly )?spending cap/, 'out-of-credit'],
  [/^Your project has been denied access/, 'unauthorised'],
  [/^Permission denied: Consumer '[^']{1,100}' has been suspended/, 'unauthorised'],
  // xAI
  [
    /^Your (?:newly created )?team (?:\S{1,64} )?(?:has|doesn.t have) .{0,60}(?:credits|spending limit)/,
    'out-of-credit',
  ],
  // DeepSeek, Zhipu, MiniMax, https://api-docs.deepseek.com/quick_start/error_codes
  [/^Insufficient (?:account )?balance/i, 'out-of-credit'],
  [/^Authentication Fails/, 'unauthorised'],
  [/^(?:余额不足|账户余额不足|您的账户已欠费|账户已欠费)/, 'out-of-credit'],
  [/^(?:身份验证失败|令牌已过期|无效的令牌|该令牌已过期|该令牌状态不可用)/, 'unauthorised'],
  [/^(?:用户额度不足|该令牌额度已用尽|预扣费额度失败)/, 'out-of-credit'],
  // Mistral, Groq
  [/^Inactive subscription or usage limit reached/, 'out-of-credit'],
  [/^(?:Invalid|Expired) API Key\b/i, 'unauthorised'],
  [/^Organization has been restricted/, 'unauthorised'],
  // OpenRouter, https://openrouter.ai/docs/api/reference/errors-and-debugging
  [/^Insufficient credits/i, 'out-of-credit'],
  [/^(?:This request requires more credits|Prompt tokens limit exceeded)/, 'out-of-credit'],
  [/^Key limit exceeded/, 'out-of-credit'],
  [/^No auth credentials found/, 'unauthorised'],
  // Moonshot, Fireworks
  [
    /^Your account (?:\S{1,80} ){0,2}(?:is|has been) (?:suspended|disabled|deactivated).{0,40}\b(?:billing|recharge|balance)/,
    'out-of-credit',
  ],
  [/^Your account (?:\S{1,80} ){0,2}(?:is|has been) (?:suspended|disabled|deactivated|blocked)/, 'unauthorised'],
  [/^Account \S{1,80} is suspended/, 'out-of-credit'],
  // SiliconFlow, Alibaba, Volcengine
  [/^(?:Sorry, )?your account balance is insufficient/i, 'out-of-credit'],
  [/^Access denied, (?:please )?make sure your account is in good standing/, 'out-of-credit'],
  [/^The request failed because your account has an overdue balance/, 'out-of-credit'],
  // Together, Hugging Face
  [/^Credit limit exceeded/, 'out-of-credit'],
  [/^You have (?:exceeded|depleted) your monthly included credits/, 'out-of-credit'],
  // Azure; AWS, https://github.com/aws/aws-cli/issues/8717 and https://github.com/aws-samples/amazon-bedrock-audio-summarizer/issues/3
  [/^Access denied due to invalid subscription key/, 'unauthorised'],
  [/^Operation not allowed\.?$/, 'unauthorised'],
  [/^Your account is not authorized to (?:invoke this API operation|perform this action)/, 'unauthorised'],
  [/^The security token included in the request is (?:invalid|expired)/, 'unauthorised'],
];

/** Vendors reset spending limits monthly. */
const RESET_MAX_MS = 32 * 24 * 60 * 60 * 1000;

/** Matches "You will regain access on 2026-12-01 at 00:00 UTC." A time without a zone is not read. */
const resetDate =
  /\b(?:regain access|resets?|renews?|available again) (?:on|at) (\d{4}-\d{2}-\d{2})(?:(?: at |[T ])(\d{2}:\d{2}(?::\d{2})?) ?(?:UTC|GMT|Z)|(?! at |[T ]\d))/;

/** Returns the fault of the account that the message names; undefined without one. */
export function classifyAccountMessage(message: string): UpstreamErrorKind | undefined {
  return messages.find(([beginning]) => beginning.test(message))?.[1];
}

/** Returns the milliseconds until the message's promised reset, at most 32 days. */
export function parseAccountReset(message: string): number | undefined {
  if (classifyAccountMessage(message) === undefined) return undefined;
  const [, date, time = '00:00'] = resetDate.exec(message) ?? [];
  const at = date === undefined ? Number.NaN : Date.parse(`${date}T${time}Z`);
  return Number.isNaN(at) ? undefined : Math.min(Math.max(0, at - Date.now()), RESET_MAX_MS);
}
