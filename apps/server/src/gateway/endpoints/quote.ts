/**
 * Dry run of a relayed request: takes the same steps up to the hold, but takes nothing from limits and holds and
 * sends nothing. Concurrency limits are left out, since they only concern the moment.
 */
import { toPoints } from '@switchyard/contract/money';
import type { Quote, QuoteRequest, quote } from '@switchyard/contract/playground/quote';
import { InvalidRequestError, readRequest, toDialectError } from '@switchyard/relay';
import { canViewUserKeys } from '../../accounts/api-keys/api-keys.ts';
import { type Ledger, priceEstimate } from '../../ledger/ledger.ts';
import { notFound } from '../../platform/http/app-error.ts';
import { type Caller, hasAccess } from '../../platform/http/caller.ts';
import type { Handlers } from '../../platform/http/mount-routes.ts';
import { createRateLimit } from '../../platform/limits/rate-limit.ts';
import type { SharedLimits } from '../../platform/limits/shared-limits.ts';
import type { OverloadMonitor } from '../../platform/overload-monitor.ts';
import { presentDecisions } from '../../usage/usage-records/usage-records.ts';
import { createHold } from '../billing/estimate-hold.ts';
import { createHoldRefusal } from '../billing/hold-refusal.ts';
import { RelayError, toRelayError } from '../http/relay-error.ts';
import { describeUnknownPath, detectDialect, resolveRoute } from '../http/relay-paths.ts';
import type { PacedExecutor } from '../limits/paced-executor.ts';
import { refuseOverloaded } from '../limits/refuse-overloaded.ts';
import { type AdmitParts, simulateAdmission } from '../pipeline/admit-request.ts';
import { adjustToChannel, estimateOutputTokens } from '../routing/adjust-expected-usage.ts';
import { type FindChannelParts, findChannel, noChannelError } from '../routing/find-channel-or-explain.ts';
import { type PricedCandidate, priceCandidate } from '../routing/price-candidate.ts';
import { disabledUserError, type Principal } from '../snapshot/authenticate-api-key.ts';

export interface QuoteParts extends AdmitParts, FindChannelParts {
  sharedLimits: SharedLimits;
  overload: OverloadMonitor;
  pacedExecutor: PacedExecutor;
  ledger: Ledger;
}

/** Maximum quotes per user and minute; parsing a large one costs as much as a relayed request. */
const QUOTES_PER_MINUTE = 60;

export const quoteRoutes = (parts: QuoteParts): Handlers<typeof quote> => {
  const rate = createRateLimit(parts, 'quotes', QUOTES_PER_MINUTE, 60_000);
  return {
    ask: async ({ body }, { caller, address }) => {
      await rate.consume(String(caller.userId));
      const principal = resolvePrincipal(parts, caller, body.token_id);
      const shown = await createQuote(parts, principal, address, body);
      if (shown.offer !== null && !hasAccess(caller, 'channels.read')) shown.offer.verdicts = [];
      return shown;
    },
  };
};

/** @throws AppError `not-found` when the token does not exist, or belongs to a user whose tokens the caller can't see */
function resolvePrincipal({ snapshot }: QuoteParts, caller: Caller, tokenId: number | null): Principal {
  const key = tokenId === null ? undefined : snapshot.key(tokenId);
  if (tokenId !== null && key === undefined) throw notFound('token', tokenId);
  const user = snapshot.user(key?.userId ?? caller.userId);
  if (user === undefined || !(user.id === caller.userId || canViewUserKeys(caller, user.role)))
    throw notFound('token', tokenId ?? '');
  return { user, key, pinnedChannelId: undefined };
}

async function createQuote(
  parts: QuoteParts,
  principal: Principal,
  address: string,
  { path, request: body }: QuoteRequest,
): Promise<Quote> {
  const answer: Quote = { refusal: null, model: '', input_tokens: 0, output_tokens: 0, limits: [], offer: null };
  try {
    refuseOverloaded(parts.overload);
    const { user, key } = principal;
    if (!user.enabled) throw disabledUserError();
    const route = resolveRoute(path);
    if (route === undefined) throw new RelayError('not_found', describeUnknownPath('POST', path));
    const request = await parts.pacedExecutor.run(user.id, () => readRequest(route, encodeBody(body), {}));
    answer.model = request.facts.model;
    answer.input_tokens = request.facts.inputTokensEstimate;
    answer.output_tokens = estimateOutputTokens(request.facts);
    const { groups, rateLimitStates } = await simulateAdmission(parts, principal, request, address);
    answer.limits = rateLimitStates.map(({ resetSeconds, ...state }) => ({ ...state, reset_in: resetSeconds }));
    const seeking = { request, principal, groups };
    const candidate = findChannel(parts, seeking, []);
    if (candidate === undefined) throw await noChannelError(parts, seeking);
    const offered = priceCandidate(parts.snapshot, principal, candidate);
    const served = adjustToChannel(offered, request);
    answer.output_tokens = estimateOutputTokens(served.facts);
    const hold = createHold(parts, '', principal, served, offered);
    answer.offer = buildOffer(parts, offered, hold.amount, answer.input_tokens);
    const short = await parts.ledger.findShortage(hold);
    if (short !== undefined)
      throw createHoldRefusal(parts, short, { key, amount: hold.amount, format: request.format });
  } catch (error) {
    const refusal = toRelayError(error);
    if (refusal.code === 'server_error') throw error;
    answer.refusal = encodeRefusal(refusal, path);
  }
  return answer;
}

/** Returns the refusal in the error format of the path's dialect. */
function encodeRefusal({ status, code, message }: RelayError, path: string): Quote['refusal'] {
  const error = toDialectError(detectDialect(path), { status, code, message });
  return { status: error.status, code: error.code ?? code, message };
}

/** @throws InvalidRequestError */
function encodeBody(body: QuoteRequest['request']): Buffer {
  try {
    return Buffer.from(JSON.stringify(body));
  } catch (error) {
    // A value that JSON.parse accepts can be too deep for JSON.stringify.
    if (error instanceof RangeError) throw new InvalidRequestError('The request is nested too deeply.');
    throw error;
  }
}

/** @param hold points */
function buildOffer(
  { snapshot }: QuoteParts,
  { price: { rule, ratios }, group, verdicts }: PricedCandidate,
  hold: number,
  inputTokens: number,
): Quote['offer'] {
  const inputCost = priceEstimate(rule, ratios, inputTokens, 0);
  return {
    group: group.symbol,
    price_model: rule.model,
    price_type: rule.type,
    hold: toPoints(hold),
    input_cost: toPoints(inputCost),
    cost_per_1000_output_tokens: toPoints(priceEstimate(rule, ratios, inputTokens, 1_000) - inputCost),
    verdicts: presentDecisions(verdicts, (id) => snapshot.channel(id)?.name ?? ''),
  };
}
