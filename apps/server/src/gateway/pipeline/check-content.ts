/**
 * Content checks of a request and its response by the rules for the user's own group, which no token can change. A
 * request is checked before anything is reserved; for files, only the fields beside them are checked.
 */
import {
  type ChangeTexts,
  type ClientRequest,
  changeFields,
  changeTexts,
  hasTokenNumbers,
  planExchange,
  type ResponseCheck,
  readRequest,
  UpstreamError,
} from '@switchyard/relay';
import { isObject, type JsonObject, parseJson } from '@switchyard/relay/json';
import type { VendorTokenCache } from '../../channels/registry/registry.ts';
import {
  type CheckResult,
  ContentModerator,
  callModerationWebhook,
  evaluateScores,
  type GroupRules,
  type LoadedRule,
  type LoadedRules,
  type SafetyCounter,
  splitIntoChunks,
} from '../../operations/content-safety/content-safety.ts';
import type { LocalLimit } from '../../platform/limits/rate-limit.ts';
import type { Log } from '../../platform/log.ts';
import type { Outbound } from '../../platform/outbound/outbound.ts';
import { createFailureRecord, type SettlementParts } from '../billing/charge-and-usage-record.ts';
import type { LoggedCall, SafetyFinding } from '../billing/logged-call.ts';
import { RelayError } from '../http/relay-error.ts';
import type { ConcurrencySlot } from '../limits/concurrency-limiter.ts';
import { type FairScheduler, runInTurns } from '../limits/fair-scheduler.ts';
import { createPacedRunner, isLongRequest, type PacedExecutor, runPaced } from '../limits/paced-executor.ts';
import type { ResolveProxy } from '../routing/proxy-and-end-user-ids.ts';
import { runAttempt } from '../upstream/attempt.ts';
import { createClientError } from '../upstream/create-client-error.ts';
import type { Deadlines } from '../upstream/deadline-timer.ts';
import type { UpstreamPool } from '../upstream/upstream-and-replay-pool.ts';
import type { Admission } from './admit-request.ts';
import { type CheckFundsParts, checkFunds } from './check-funds.ts';

const BLOCKED =
  'The content policy of this gateway blocked the request. Change it, or send the request ID to the operator.';
const RESPONSE_BLOCKED =
  'The content policy of this gateway blocked the response. Change the request, or send its ID to the operator.';

export interface CheckContentParts extends CheckFundsParts, SettlementParts {
  /** Rate limit per user on records of refusals, which cost nothing. */
  refusalRecords: LocalLimit;
  pool: UpstreamPool;
  outbound: Outbound;
  vendorTokens: VendorTokenCache;
  proxyOf: ResolveProxy;
  deadlines: Deadlines;
  scheduler: FairScheduler;
  pacedExecutor: PacedExecutor;
  safety: LoadedRules;
  safetyCounts: SafetyCounter;
  log: Log;
}

const MODERATION = { operation: 'moderation', format: 'openai-moderation' } as const;

type ModeratedCall = LoggedCall & Pick<Admission, 'groups'> & { slot: Pick<ConcurrencySlot, 'grow'> };
type FindingLog = Pick<LoggedCall, 'log'>;

/**
 * Resolves with the request as it may be sent, masked where the rules require it.
 * @throws RelayError when the request is refused
 */
export async function checkContent(
  parts: CheckContentParts,
  rules: GroupRules,
  call: ModeratedCall,
): Promise<ClientRequest> {
  const { request } = call;
  // A moderation request may contain harmful text.
  if (request.operation === 'moderation') return request;
  if (rules.words.input === undefined && rules.checks.length === 0) return request;
  if (hasTokenNumbers(request))
    throw createRefusal(parts, call, 'The content policy cannot check token arrays. Send text instead.');
  const { user } = call.principal;
  if (isLongRequest(request) || rules.checks.length > 0) await checkFunds(parts, call);
  const { checked, isRefused } = await applyRules(parts, rules, call, walkRequest(parts, user.id, request));
  if (isRefused) throw createRefusal(parts, call, BLOCKED);
  return checked;
}

/** Applies all rules for what a client sends. */
async function applyRules<T>(
  parts: CheckContentParts,
  { words: { input }, checks }: GroupRules,
  call: ModeratedCall,
  walk: WalkTexts<T>,
): Promise<{ checked: T; isRefused: boolean }> {
  const words = input && new ContentModerator(input, (rule) => recordFinding(parts, call, rule, 'input'));
  const texts: string[] = [];
  const checked = await changeInTurns(parts, walk, function* (together) {
    const changed = words === undefined ? together : yield* words.maskInSlices(together);
    texts.push(changed.join(''));
    return changed;
  });
  const isRefused = words?.isRefused === true || (await runExternalChecks(parts, call, checks, texts));
  return { checked, isRefused };
}

/** Masks a request that was already checked before it was sent; refuses and counts nothing. */
export async function redactCheckedRequest(
  parts: CheckContentParts,
  { user }: LoggedCall['principal'],
  request: ClientRequest,
): Promise<ClientRequest> {
  const input = parts.safety.forGroup(user.group)?.words.input;
  if (input === undefined || request.operation === 'moderation' || hasTokenNumbers(request)) return request;
  const words = new ContentModerator(input, () => {});
  return changeInTurns(parts, walkRequest(parts, user.id, request), (texts) => words.maskInSlices(texts));
}

/** A change of texts that yields about once in a millisecond. */
type ChangeInSlices = (texts: readonly string[]) => Generator<undefined, readonly string[]>;

/** Passes the texts of a request or an event to the function; returns the same object if it changes none. */
type WalkTexts<T> = (change: ChangeTexts) => T | Promise<T>;

function walkRequest(
  { pacedExecutor }: CheckContentParts,
  userId: number,
  request: ClientRequest,
): WalkTexts<ClientRequest> {
  return (change) => runPaced(pacedExecutor, userId, request, () => changeTexts(request, change));
}

/** Changes texts in turns with other work: many short ones take as long as a long one. */
async function changeInTurns<T>(
  { scheduler }: CheckContentParts,
  walk: WalkTexts<T>,
  change: ChangeInSlices,
): Promise<T> {
  const found: (readonly string[])[] = [];
  const unchanged = await walk((texts) => {
    found.push(texts);
    return texts;
  });
  const changed = await runInTurns(scheduler, changeEach(found, change));
  if (changed.every((texts, nth) => texts === found[nth])) return unchanged;
  let nth = 0;
  return walk((texts) => changed[nth++] ?? texts);
}

function* changeEach(lists: readonly (readonly string[])[], change: ChangeInSlices) {
  const changed: (readonly string[])[] = [];
  for (const texts of lists) changed.push(yield* change(texts));
  return changed;
}

/**
 * Returns the check of one attempt's response; undefined if there is nothing to check. A refused response ends the
 * request.
 */
export function createResponseCheck(
  parts: CheckContentParts,
  call: Pick<LoggedCall, 'request' | 'principal' | 'client' | 'log'>,
): ResponseCheck | undefined {
  const lists = parts.safety.forGroup(call.principal.user.group)?.words.output;
  if (lists === undefined) return undefined;
  return new ContentModerator(lists, (rule) => {
    recordFinding(parts, call, rule, 'output');
    if (rule.action !== 'refuse') return;
    call.client.refuse(new RelayError(refusalCode(call.request), RESPONSE_BLOCKED));
  });
}

/** Runs work on an event: at once, or paced if the event is long. */
type RunPaced = <T>(work: () => T) => T | Promise<T>;

/**
 * Returns the event to forward in place of a client's event; undefined if no rule applies. Rejects with a RelayError if
 * the event is refused.
 */
export type EventCheck = (event: unknown, paced: RunPaced) => Promise<unknown> | undefined;

/** Creates the check of a client's events in a realtime session, by the rules at the time of each event. */
export function createEventCheck(parts: CheckContentParts, call: ModeratedCall): EventCheck {
  return (event, paced) => {
    const rules = parts.safety.forGroup(call.principal.user.group);
    return rules && isObject(event)
      ? checkEvent(parts, rules, call, (change) => paced(() => changeFields(event, change)))
      : undefined;
  };
}

async function checkEvent(
  parts: CheckContentParts,
  rules: GroupRules,
  call: ModeratedCall,
  walk: WalkTexts<JsonObject>,
): Promise<JsonObject> {
  const { client } = call;
  const { onLeave } = client;
  const { checked, isRefused } = await applyRules(parts, rules, call, walk).finally(() => {
    // A check by a model has replaced the callback of the session.
    client.onLeave = onLeave;
  });
  if (client.stopReason !== undefined) throw client.stopReason;
  if (isRefused) throw new RelayError('content_filter', BLOCKED);
  return checked;
}

function refusalCode({ operation }: ClientRequest): 'content_filter' | 'content_policy_violation' {
  return operation === 'images' ? 'content_policy_violation' : 'content_filter';
}

function createRefusal(parts: CheckContentParts, call: ModeratedCall, message: string): RelayError {
  // Repeated refusals of one user would only fill the log.
  if (parts.refusalRecords.tryConsume(String(call.principal.user.id)))
    parts.ledger.record(createFailureRecord(parts, call, message));
  return new RelayError(refusalCode(call.request), message);
}

function recordFinding(
  { safetyCounts }: CheckContentParts,
  { log }: FindingLog,
  { id, name, action }: LoadedRule,
  place: SafetyFinding['place'],
  failed = false,
): void {
  const known = log.safety ?? [];
  if (known.some((finding) => finding.rule === name && finding.place === place)) return;
  log.safety = [...known, { rule: name, action, place, failed }];
  safetyCounts.add(id);
}

/** @returns whether the request is refused */
async function runExternalChecks(
  parts: CheckContentParts,
  call: ModeratedCall,
  checks: readonly LoadedRule[],
  texts: readonly string[],
): Promise<boolean> {
  if (checks.length === 0) return false;
  const pieces = splitIntoChunks(texts);
  const verdicts = await Promise.all(
    checks.map(async (rule) => {
      const verdict = pieces === undefined ? 'failed' : await runExternalCheck(parts, call, rule, pieces);
      return { rule, verdict };
    }),
  );
  return verdicts
    .map(({ rule, verdict }) => {
      if (verdict === 'passed') return false;
      recordFinding(parts, call, rule, 'input', verdict === 'failed');
      // A text that is too long to be checked is refused; otherwise its length would evade the check.
      const isTooLong = pieces === undefined;
      return isTooLong || (verdict === 'failed' ? rule.on_failure : rule.action) === 'refuse';
    })
    .includes(true);
}

function runExternalCheck(
  parts: CheckContentParts,
  call: ModeratedCall,
  rule: LoadedRule,
  pieces: readonly string[],
): Promise<CheckResult> {
  if (pieces.length === 0) return Promise.resolve('passed');
  if (rule.kind === 'moderation') return runModelCheck(parts, call, rule, pieces);
  const { requestId, principal, request } = call;
  const { operation, facts } = request;
  const asking = { requestId, group: principal.user.group, model: facts.model, operation };
  return callModerationWebhook(parts, rule, pieces, asking);
}

/** Resolves with the verdict of a channel that offers the model to the request's groups. The call is not charged. */
async function runModelCheck(
  parts: CheckContentParts,
  { client, groups, principal, slot }: ModeratedCall,
  rule: LoadedRule,
  pieces: readonly string[],
): Promise<CheckResult> {
  const { channelSelector, vendorTokens, pool, deadlines, scheduler, pacedExecutor, clock, log, proxyOf } = parts;
  try {
    const body = Buffer.from(JSON.stringify({ model: rule.model, input: pieces }));
    const request = readRequest(MODERATION, body, {});
    const tried = new Set<number>();
    const found = channelSelector.selectNext({
      request,
      model: rule.model,
      groups,
      tried,
      findWarmAccount: () => undefined,
    });
    if (found === undefined) return 'failed';
    const { channel, key, upstreamModel } = found;
    const target = await vendorTokens.signIn(key.target, channel.proxy);
    const result = await runAttempt({
      exchange: planExchange(request, { ...target, model: upstreamModel }),
      stream: false,
      proxy: proxyOf(channel, principal),
      client,
      pool,
      deadlines,
      limits: channel.deadlines,
      beginWithinMs: rule.timeout_ms,
      slot,
      clock,
      now: () => clock.now(),
      scheduler,
      runSpaced: (work) => pacedExecutor.run(principal.user.id, work),
      onDelivery: () => {},
    });
    if (result.outcome === 'left') throw client.stopReason ?? createClientError(result);
    if (result.outcome === 'failed') return 'failed';
    const answered = result.last.body;
    const parsePaced = createPacedRunner(pacedExecutor, principal.user.id);
    const answer = await parsePaced(answered.length, () => parseJson(answered.toString('utf8')));
    const results = isObject(answer) ? answer['results'] : undefined;
    return Array.isArray(results) && results.length === pieces.length ? evaluateScores(rule, results) : 'failed';
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    log.warn({ err: error, rule: rule.id }, 'a content check by a model failed');
    return 'failed';
  }
}
