/**
 * Tests channels through their vendors. A success re-enables a channel or key, a confirmed refusal disables a key, and
 * the channel with its last one.
 */
import type { channels } from '@switchyard/contract/channels/channels';
import type { RouteResponse } from '@switchyard/contract/route';
import { type ModelTest, planModelTest, UpstreamError } from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { fieldError } from '../../platform/http/app-error.ts';
import type { ProbeResult } from '../health/attempt-recorder.ts';
import { enableChannel } from '../health/disable-and-enable-channels.ts';
import { disableKey, enableKey, listKeys } from '../registry/channel-keys.ts';
import { type LoadedChannel, loadChannel } from '../registry/loaded-channel.ts';
import { checkAccount } from './fetch-models-and-balance.ts';
import { VendorCallError } from './vendor-call-error.ts';
import { resolveUpstreamModel, sendVendorRequest } from './vendor-request.ts';

type TestResult = RouteResponse<(typeof channels)['test']>;

interface TestOptions {
  /** Model as clients name it; absent for the channel's test model. */
  model?: string | undefined;
  /** Key to use, enabled or not; absent for the first enabled one. */
  keyId?: string | undefined;
  /** True if an administrator requested it; only then images are generated. */
  byHand: boolean;
}

/**
 * Sends one short request through the channel, which is not billed. A success re-enables an auto-disabled channel,
 * and key. Nothing is sent if no such request tests the model.
 */
export async function testChannel(
  ctx: Context,
  id: number,
  { model, keyId, byHand }: TestOptions,
): Promise<TestResult> {
  const channel = await loadChannel(ctx, id, keyId);
  const requested = model ?? (byHand ? getTestModel(channel) : getCheapTestModel(channel));
  if (requested === '') throw fieldError('test_model', 'required', 'Choose a model to test with');
  const started = performance.now();
  const failure = await probeModel(ctx, channel, requested, byHand);
  const duration = Math.max(1, Math.round(performance.now() - started));
  if (failure?.problem !== 'not-tested')
    await storeTestTime(ctx, id, failure === undefined ? duration : undefined, keyId);
  const { problem = null, message = '' } = failure ?? {};
  return { success: failure === undefined, duration, model: requested, problem, message };
}

/**
 * Records the time of a test, and re-enables an auto-disabled channel after a success.
 * @param duration milliseconds; undefined after a failure
 */
export async function storeTestTime(
  ctx: Context,
  id: number,
  duration: number | undefined,
  keyId?: string,
): Promise<void> {
  await ctx.db.writer
    .updateTable('channel')
    .set({ test_time: nowSeconds(ctx.clock), ...(duration === undefined ? {} : { response_time: duration }) })
    .where('id', '=', id)
    .execute();
  if (duration !== undefined && ctx.settings.automaticEnableChannel) await reenableChannel(ctx, id, keyId);
}

/**
 * Re-enables an auto-disabled channel, and the key.
 * @param event name in the channel's history
 */
export async function reenableChannel(
  ctx: Context,
  id: number,
  keyId?: string,
  event: 'auto-enabled' | 'on-trial' = 'auto-enabled',
): Promise<void> {
  if (keyId !== undefined) await enableKey(ctx, id, keyId);
  // A success of a key that an administrator disabled says nothing about the enabled ones.
  const keys = keyId === undefined ? [] : await listKeys(ctx, id);
  if (keys.some((key) => key.id === keyId && key.status !== 'enabled')) return;
  await enableChannel(ctx, id, event);
}

/** Returns an empty string if the channel has no testable model. */
export function getTestModel(channel: LoadedChannel): string {
  if (channel.testModel !== '') return channel.testModel;
  const named = channel.models.filter((model) => !model.endsWith('*'));
  const suggested = channel.target.provider.testModel;
  if (suggested !== undefined && named.includes(suggested)) return suggested;
  return named.find((model) => createModelTest(channel, model).isCheap) ?? named[0] ?? suggested ?? '';
}

/** Returns the test model, or another cheap model of the channel if the test model is not cheap. */
function getCheapTestModel(channel: LoadedChannel): string {
  const testModel = getTestModel(channel);
  if (testModel === '' || createModelTest(channel, testModel).isCheap) return testModel;
  const named = channel.models.filter((model) => !model.endsWith('*'));
  return named.find((model) => createModelTest(channel, model).isCheap) ?? testModel;
}

function createModelTest(channel: LoadedChannel, model: string): ModelTest {
  return planModelTest(model, { atVendor: resolveUpstreamModel(channel, model), provider: channel.target.provider });
}

interface Refusal {
  keyId: string;
  /** Model as the client named it. A key may lack permission for this model alone. */
  model: string;
  /** Its message contains no secrets; administrators see it. */
  error: UpstreamError;
}

/**
 * Verifies by the gateway's own request whether the vendor refuses a channel's key or account, because vendors use
 * the same status to refuse some content, which is the client's fault. Disables the key if its test model is refused
 * as well, and the channel with the last key. If no cheap request tests the channel's models, the account itself is
 * checked.
 * @returns the result for the model
 */
export async function disableIfConfirmed(
  ctx: Context,
  id: number,
  { keyId, model, error }: Refusal,
  isFatal: (error: UpstreamError) => boolean,
): Promise<ProbeResult> {
  const channel = await loadChannel(ctx, id, keyId);
  const ask = async (model: string): Promise<ProbeResult> => {
    const failure = await probeModel(ctx, channel, model, false);
    if (failure === undefined) return 'answered';
    if (inconclusiveProblems.has(failure.problem)) return probeAccount(ctx, channel, error);
    return failure.cause instanceof UpstreamError && isFatal(failure.cause) ? 'refused' : 'unknown';
  };
  const testModel = getCheapTestModel(channel);
  const finding = await ask(testModel === '' ? model : testModel);
  const reason = `${error.kind} (HTTP ${error.status}): ${error.message}`;
  if (finding === 'refused') await disableKey(ctx, id, keyId, reason);
  return finding === 'refused' || testModel === '' || testModel === model ? finding : ask(model);
}

const inconclusiveProblems: ReadonlySet<VendorCallError['problem']> = new Set(['not-tested', 'other-endpoint']);

/** @param error error of the clients' requests */
async function probeAccount(ctx: Context, channel: LoadedChannel, error: UpstreamError): Promise<ProbeResult> {
  const state = await checkAccount(ctx, channel);
  if (state === 'refused') return 'refused';
  if (state === 'has-credit') return 'answered';
  // No vendor refuses content with these; a 403 may concern the content.
  return error.kind === 'out-of-credit' || error.status === 401 ? 'refused' : 'unknown';
}

/** @returns the failure, or the reason why nothing was sent */
async function probeModel(
  ctx: Context,
  channel: LoadedChannel,
  model: string,
  byHand: boolean,
): Promise<VendorCallError | undefined> {
  const { operation, request, isCheap } = createModelTest(channel, model);
  if (request === undefined || !(isCheap || byHand))
    return new VendorCallError(
      'not-tested',
      `Not tested: no inexpensive request can test ${model}, which serves ${operation}.`,
    );
  try {
    await sendVendorRequest(ctx, channel, request);
    return undefined;
  } catch (error) {
    if (error instanceof VendorCallError) return error;
    throw error;
  }
}
