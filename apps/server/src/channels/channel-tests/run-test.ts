/** Runs one test and stores its result. */
import type { StoredTest } from '@switchyard/contract/channels/channel-tests';
import type { ChannelId } from '@switchyard/contract/ids';
import { UpstreamError } from '@switchyard/relay';
import { outputTokens, promptTokens } from '@switchyard/relay/usage';
import { loadModelMetadata } from '../../catalog/models/models.ts';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import {
  type LoadedChannel,
  type ProbeResponse,
  redactSecrets,
  sendVendorRequest,
  storeTestTime,
  VendorCallError,
} from '../registry/registry.ts';
import type { PlannedChannel, PlannedTest, TestCosts } from './plan-tests-and-costs.ts';
import { createProbe, type Diagnostic, type Probe } from './probes.ts';

type TestMeasurement = Omit<StoredTest, 'channel_id' | 'model' | 'kind' | 'tested_at'>;

const SHOWN_MAX = 160;

const EMPTY_MEASUREMENT: TestMeasurement = {
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

export interface CompletedTest {
  result: StoredTest;
  /** Error by which the vendor refused the request. */
  error: UpstreamError | undefined;
}

export interface TestTerms {
  costs: TestCosts;
  /** True if an administrator requested it. */
  byHand: boolean;
}

/** Runs a test and stores its result. @returns undefined when it was aborted, which says nothing */
export async function runTest(
  ctx: Context,
  { id, channel }: PlannedChannel,
  { model, kind }: PlannedTest,
  terms: TestTerms,
  signal: AbortSignal,
): Promise<CompletedTest | undefined> {
  const { failure, ...found } =
    channel === undefined ? UNREADABLE : await executeTest(ctx, channel, { model, kind }, terms, signal);
  if (signal.aborted) return undefined;
  const result = { channel_id: id as ChannelId, model, kind, tested_at: nowSeconds(ctx.clock), ...found };
  await storeResult(ctx, result);
  if (kind === 'short' && found.outcome !== 'not-applicable')
    await storeTestTime(ctx, id, found.outcome === 'passed' ? found.duration : undefined);
  return { result, error: failure?.cause instanceof UpstreamError ? failure.cause : undefined };
}

type MeasurementWithFailure = TestMeasurement & { failure?: VendorCallError };

const UNREADABLE: MeasurementWithFailure = { ...EMPTY_MEASUREMENT, outcome: 'failed', problem: 'malformed-key' };

async function executeTest(
  ctx: Context,
  channel: LoadedChannel,
  { model, kind }: PlannedTest,
  { costs, byHand }: TestTerms,
  signal: AbortSignal,
): Promise<MeasurementWithFailure> {
  const check = createProbe(kind, model, channel, await loadModelMetadata(ctx), byHand);
  if ('finding' in check) return { ...EMPTY_MEASUREMENT, ...check };
  const begunAt = performance.now();
  try {
    if ('run' in check) {
      await check.run(ctx, signal);
      return { ...EMPTY_MEASUREMENT, duration: millisecondsSince(begunAt), cost_micro_usd: 0 };
    }
    const response = await sendVendorRequest(ctx, channel, check.request, { signal });
    return {
      ...EMPTY_MEASUREMENT,
      ...toMeasurement(response, model, costs),
      ...toOutcome(check.evaluate(response), channel),
    };
  } catch (error) {
    const failure = error instanceof VendorCallError ? error : toUnexpectedFailure(ctx, channel, error);
    const judged = 'run' in check ? toFailedOutcome(failure) : toFailureOutcome(check, failure, channel);
    return { ...EMPTY_MEASUREMENT, duration: millisecondsSince(begunAt), ...judged, failure };
  }
}

/** Converts an unexpected error to a failure, so that one odd response does not end all other tests. */
function toUnexpectedFailure(ctx: Context, { id }: LoadedChannel, error: unknown): VendorCallError {
  ctx.log.error({ err: error, channel: id }, 'a channel test failed unexpectedly');
  return new VendorCallError('not-json', 'The response could not be read');
}

/**
 * Converts a finding into an outcome, without secrets: the finding may quote the response, which may repeat the key.
 */
function toOutcome(finding: Diagnostic, channel: LoadedChannel): Partial<TestMeasurement> {
  if (finding === undefined) return {};
  const { outcome, finding: found } = finding;
  return {
    outcome,
    problem: outcome === 'failed' ? 'wrong-answer' : null,
    finding: { ...found, said: shown(redactSecrets(found.said, channel)) },
  };
}

/** Truncated only after redaction: half of a secret would not be recognized. */
const shown = (message: string): string => message.slice(0, SHOWN_MAX);

function toFailureOutcome(check: Probe, failure: VendorCallError, channel: LoadedChannel): Partial<TestMeasurement> {
  const finding = check.evaluateFailure?.(failure) ?? (check.evaluateFailure === undefined ? 'failed' : undefined);
  if (finding !== 'failed') return toOutcome(finding, channel);
  return toFailedOutcome(failure);
}

function toFailedOutcome({ problem, message }: VendorCallError): Partial<TestMeasurement> {
  return { outcome: 'failed', problem, message };
}

function millisecondsSince(begunAt: number): number {
  return Math.max(1, Math.round(performance.now() - begunAt));
}

function toMeasurement(
  { durationMs, firstContentMs, meter }: ProbeResponse,
  model: string,
  costs: TestCosts,
): Partial<TestMeasurement> {
  const { usage } = meter;
  return {
    duration: durationMs,
    first_content_time: firstContentMs ?? null,
    ...(usage === undefined
      ? {}
      : {
          input_tokens: promptTokens(usage),
          output_tokens: outputTokens(usage),
          cost_micro_usd: costs.compute(model, usage),
        }),
  };
}

async function storeResult(ctx: Context, result: StoredTest): Promise<void> {
  const { channel_id: _channel, model: _model, kind: _kind, ...found } = result;
  const finding = found.finding === null ? null : JSON.stringify(found.finding);
  await ctx.db.writer
    .insertInto('channel_test')
    .values({ ...result, finding })
    .onConflict((conflict) => conflict.columns(['channel_id', 'model', 'kind']).doUpdateSet({ ...found, finding }))
    .execute();
}
