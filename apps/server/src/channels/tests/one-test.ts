/** One test, and the row that keeps what it found. */
import type { StoredTest } from '@switchyard/contract/channels/channel-tests';
import type { ChannelId } from '@switchyard/contract/ids';
import { UpstreamError } from '@switchyard/relay';
import { outputTokens, promptTokens } from '@switchyard/relay/usage';
import { loadFacts } from '../../catalog/models/models.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import {
  type Asked,
  askVendor,
  type LoadedChannel,
  noteTest,
  VendorFailure,
  withoutSecrets,
} from '../registry/registry.ts';
import { type Check, checkOf, type Finding } from './checks.ts';
import type { PlannedChannel, PlannedTest } from './plan-tests.ts';
import type { TestCosts } from './test-cost.ts';

type Found = Omit<StoredTest, 'channel_id' | 'model' | 'kind' | 'tested_at'>;

const SHOWN_MAX = 160;

const blank: Found = {
  outcome: 'passed',
  problem: null,
  message: '',
  finding: null,
  duration: 0,
  first_content_time: null,
  input_tokens: null,
  output_tokens: null,
  cost_micro_usd: null,
};

export interface MadeTest {
  result: StoredTest;
  /** Error by which the vendor refused the request. */
  error: UpstreamError | undefined;
}

export interface TestTerms {
  costs: TestCosts;
  /** An administrator asked for it. */
  byHand: boolean;
}

/** Makes a test and keeps its result. @returns undefined when it was ended early, which says nothing */
export async function makeTest(
  ctx: Context,
  { id, channel }: PlannedChannel,
  { model, kind }: PlannedTest,
  terms: TestTerms,
  signal: AbortSignal,
): Promise<MadeTest | undefined> {
  const { failure, ...found } =
    channel === undefined ? unreadable : await find(ctx, channel, { model, kind }, terms, signal);
  if (signal.aborted) return undefined;
  const result = { channel_id: id as ChannelId, model, kind, tested_at: nowSeconds(ctx.clock), ...found };
  await keep(ctx, result);
  if (kind === 'short' && found.outcome !== 'not-applicable')
    await noteTest(ctx, id, found.outcome === 'passed' ? found.duration : undefined);
  return { result, error: failure?.cause instanceof UpstreamError ? failure.cause : undefined };
}

type FoundWithFailure = Found & { failure?: VendorFailure };

const unreadable: FoundWithFailure = {
  ...blank,
  outcome: 'failed',
  problem: 'malformed-key',
};

async function find(
  ctx: Context,
  channel: LoadedChannel,
  { model, kind }: PlannedTest,
  { costs, byHand }: TestTerms,
  signal: AbortSignal,
): Promise<FoundWithFailure> {
  const check = checkOf(kind, model, channel, await loadFacts(ctx), byHand);
  if ('finding' in check) return { ...blank, ...check };
  const begunAt = performance.now();
  try {
    if ('ask' in check) {
      await check.ask(ctx, signal);
      return { ...blank, duration: millisecondsSince(begunAt), cost_micro_usd: 0 };
    }
    const asked = await askVendor(ctx, channel, check.request, { signal });
    return { ...blank, ...measured(asked, model, costs), ...outcomeOf(check.judge(asked), channel) };
  } catch (error) {
    const failure = error instanceof VendorFailure ? error : unforeseen(ctx, channel, error);
    const judged = 'ask' in check ? failed(failure) : outcomeOfFailure(check, failure, channel);
    return { ...blank, duration: millisecondsSince(begunAt), ...judged, failure };
  }
}

/** One odd answer does not end the tests of all others. */
function unforeseen(ctx: Context, { id }: LoadedChannel, error: unknown): VendorFailure {
  ctx.log.error({ err: error, channel: id }, 'a channel test failed unexpectedly');
  return new VendorFailure('not-json', 'The response could not be read');
}

/**
 * Converts a finding into an outcome, without secrets: the finding may quote the response, which may repeat the key.
 */
function outcomeOf(finding: Finding, channel: LoadedChannel): Partial<Found> {
  if (finding === undefined) return {};
  const { outcome, finding: found } = finding;
  return {
    outcome,
    problem: outcome === 'failed' ? 'wrong-answer' : null,
    finding: { ...found, said: shown(withoutSecrets(found.said, channel)) },
  };
}

/** Cut only when its secrets are gone: half of one would not be known. */
const shown = (message: string): string => message.slice(0, SHOWN_MAX);

function outcomeOfFailure(check: Check, failure: VendorFailure, channel: LoadedChannel): Partial<Found> {
  const finding = check.judgeFailure?.(failure) ?? (check.judgeFailure === undefined ? 'failed' : undefined);
  if (finding !== 'failed') return outcomeOf(finding, channel);
  return failed(failure);
}

function failed({ problem, message }: VendorFailure): Partial<Found> {
  return { outcome: 'failed', problem, message };
}

function millisecondsSince(begunAt: number): number {
  return Math.max(1, Math.round(performance.now() - begunAt));
}

function measured(
  { durationMs, firstContentMs, meter }: Asked,
  model: string,
  costs: TestCosts,
): Partial<Found> {
  const { usage } = meter;
  return {
    duration: durationMs,
    first_content_time: firstContentMs ?? null,
    ...(usage === undefined
      ? {}
      : {
          input_tokens: promptTokens(usage),
          output_tokens: outputTokens(usage),
          cost_micro_usd: costs.of(model, usage),
        }),
  };
}

async function keep(ctx: Context, result: StoredTest): Promise<void> {
  const { channel_id: _channel, model: _model, kind: _kind, ...found } = result;
  const finding = found.finding === null ? null : JSON.stringify(found.finding);
  await ctx.db.writer
    .insertInto('channel_test')
    .values({ ...result, finding })
    .onConflict((conflict) =>
      conflict.columns(['channel_id', 'model', 'kind']).doUpdateSet({ ...found, finding }),
    )
    .execute();
}
