/** What an administrator asks a vendor through a channel: does it answer, what can it do, what is left. */
import type { channels } from '@switchyard/contract/channels';
import type { RouteAnswer, RouteInput } from '@switchyard/contract/route';
import {
  addressOf,
  balanceRequest,
  modelListRequests,
  type ReadRequest,
  readBalance,
  readCredentials,
  readError,
  readModelLists,
  type Target,
  testRequest,
  UpstreamError,
} from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { AppError, fieldError } from '../../platform/app-error.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { askVendor, noteFailure } from './ask-vendor.ts';
import type { OwnFinding } from './attempt-watch.ts';
import { disableKey, enableKey, listKeys } from './channel-keys.ts';
import { mergeSecrets, noSecrets, openSecrets } from './channel-secrets.ts';
import { enableChannel } from './channel-status.ts';
import { checkForm, checkKey, formQuestions, providerOfType } from './form-checks.ts';
import { keysOf } from './key-lines.ts';
import { type LoadedChannel, loadChannel } from './loaded-channel.ts';
import { findChannel } from './queries.ts';
import { checkSecretsStay } from './secrets-stay.ts';
import { failureOf, type VendorAccount, type VendorAnswer, VendorFailure } from './vendor-problem.ts';
import { vendorTokens } from './vendor-tokens.ts';

type TestResult = RouteAnswer<(typeof channels)['test']>;
type Form = RouteInput<(typeof channels)['fetchModels']>['body'];

const READ_TIMEOUT_MS = 15_000;
const MICRO_USD = 1_000_000;

/**
 * One short request through the channel, not billed. A success brings back a channel, and a key, that the gateway took
 * out.
 * @param model as a client would name it; absent, the channel's test model
 * @param keyId with this key, in use or not; absent, with the first one in use
 */
export async function testChannel(
  ctx: Context,
  id: number,
  model?: string,
  keyId?: string,
): Promise<TestResult> {
  const channel = await loadChannel(ctx, id, keyId);
  const requested = model ?? testModelOf(channel);
  if (requested === '') throw fieldError('test_model', 'required', 'Name a model to test with');
  const started = performance.now();
  const failure = await tryModel(ctx, channel, requested);
  const duration = Math.max(1, Math.round(performance.now() - started));
  await noteTest(ctx, id, failure === undefined ? duration : undefined, keyId);
  const { problem = null, message = '' } = failure ?? {};
  return { success: failure === undefined, duration, model: requested, problem, message };
}

/**
 * Notes when a channel was tested, and brings it back after a success if the gateway took it out.
 * @param duration milliseconds; undefined after a failure
 */
export async function noteTest(
  ctx: Context,
  id: number,
  duration: number | undefined,
  keyId?: string,
): Promise<void> {
  await ctx.db.writer
    .updateTable('channel')
    .set({
      test_time: nowSeconds(ctx.clock),
      ...(duration === undefined ? {} : { response_time: duration }),
    })
    .where('id', '=', id)
    .execute();
  if (duration === undefined || !ctx.settings.automaticEnableChannel) return;
  if (keyId !== undefined) await enableKey(ctx, id, keyId);
  // A key that an administrator took out says nothing of those in use.
  const keys = keyId === undefined ? [] : await listKeys(ctx, id);
  if (keys.some((key) => key.id === keyId && key.status !== 'enabled')) return;
  await enableChannel(ctx, id);
}

/** Empty when the channel has none that could be called. */
export function testModelOf(channel: LoadedChannel): string {
  if (channel.testModel !== '') return channel.testModel;
  const named = channel.models.filter((model) => !model.endsWith('*'));
  const suggested = channel.target.provider.testModel;
  if (suggested !== undefined && named.includes(suggested)) return suggested;
  return named[0] ?? suggested ?? '';
}

/**
 * Asks the vendor for ourselves whether it refuses a channel's key or account, because vendors answer some contents with
 * the same status, and those are the client's doing. Takes the key out when its test model is refused as well, and the
 * channel with the last key.
 * @param model as the client named it: a key may lack the right to this one only
 * @param reason a sentence without secrets; administrators see it
 * @returns what was found out about the model
 */
export async function disableIfConfirmed(
  ctx: Context,
  id: number,
  keyId: string,
  model: string,
  reason: string,
  isFatal: (error: UpstreamError) => boolean,
): Promise<OwnFinding> {
  const channel = await loadChannel(ctx, id, keyId);
  const ask = async (asked: string): Promise<OwnFinding> => {
    const failure = await tryModel(ctx, channel, asked);
    if (failure === undefined) return 'answered';
    return failure.cause instanceof UpstreamError && isFatal(failure.cause) ? 'refused' : 'unknown';
  };
  const testModel = testModelOf(channel);
  const finding = await ask(testModel === '' ? model : testModel);
  if (finding === 'refused') await disableKey(ctx, id, keyId, reason);
  return finding === 'refused' || testModel === '' || testModel === model ? finding : ask(model);
}

/** @returns what went wrong */
async function tryModel(
  ctx: Context,
  channel: LoadedChannel,
  model: string,
): Promise<VendorFailure | undefined> {
  try {
    await askVendor(ctx, channel, testRequest(model, channel.target.provider));
    return undefined;
  } catch (error) {
    if (error instanceof VendorFailure) return error;
    throw error;
  }
}

/** The vendor's model list, for a form that is not saved yet or, by `id`, with the stored secrets. */
export async function fetchModels(ctx: Context, form: Form): Promise<string[]> {
  const provider = providerOfType(form.type);
  const row = form.id === undefined ? undefined : await findChannel(ctx, form.id);
  const stored = row === undefined ? noSecrets : openSecrets(ctx.vault, row);
  const secrets = mergeSecrets(stored, form);
  const [key] = keysOf(secrets.key);
  if (row !== undefined)
    checkSecretsStay(
      stored,
      form,
      { ...row, proxy: stored.proxy },
      { provider: provider.id, base_url: form.base_url, proxy: secrets.proxy },
    );
  await checkForm(formQuestions(ctx), provider, { ...form, proxy: secrets.proxy });
  checkKey(provider, key);
  const { proxy } = secrets;
  const { options } = form;
  const credentials = readCredentials(provider, key);
  const unsigned = {
    provider,
    baseUrl: addressOf(provider, form.base_url, { credentials, options }),
    credentials,
    options,
    headers: secrets.headers,
  };
  return listModels(ctx, { target: unsigned, proxy });
}

/** @throws AppError `not-supported` when there is no such list, `upstream-failed` with what is wrong */
async function listModels(ctx: Context, account: VendorAccount): Promise<string[]> {
  const { proxy } = account;
  const target = await targetOfOwn(ctx, account);
  const requests = modelListRequests(target);
  if (requests.length === 0)
    throw new AppError('not-supported', `${target.provider.label} does not list its models`);
  const answers = await Promise.all(requests.map((request) => read(ctx, request, { target, proxy })));
  return readModelLists(target, answers);
}

/** Asks for the remaining credit and stores it. @returns USD */
export async function updateBalance(ctx: Context, id: number): Promise<number> {
  const channel = await loadChannel(ctx, id);
  const target = await targetOfOwn(ctx, channel);
  const { label } = target.provider;
  const request = balanceRequest(target);
  if (request === undefined)
    throw new AppError('not-supported', `${label} does not tell its balance to a key`);
  const { proxy } = channel;
  const balance = readBalance(target, await read(ctx, request, { target, proxy }));
  if (balance === undefined) throw new AppError('upstream-failed', `${label} answered without a balance`);
  await ctx.db.writer
    .updateTable('channel')
    .set({ balance_micro_usd: balance, balance_updated_time: nowSeconds(ctx.clock) })
    .where('id', '=', id)
    .execute();
  return balance / MICRO_USD;
}

/** @throws AppError `upstream-failed` */
async function read(ctx: Context, { url, headers }: ReadRequest, account: VendorAccount): Promise<unknown> {
  const { target, proxy } = account;
  let seen: VendorAnswer | undefined;
  try {
    const {
      status,
      headers: said,
      json,
      text,
    } = await ctx.outbound.fetchJson({
      method: 'GET',
      url,
      headers,
      proxy,
      timeoutMs: READ_TIMEOUT_MS,
    });
    seen = { status, beginning: text };
    if (status < 200 || status > 299)
      throw readError({ ...target, model: '' }, status, said, Buffer.from(text));
    if (json === undefined)
      throw new UpstreamError('garbled', 'The vendor did not answer with JSON', { status });
    return json;
  } catch (error) {
    throw upstreamFailed(ctx, failureOf(error, account, seen));
  }
}

function upstreamFailed(ctx: Context, failure: VendorFailure): AppError {
  const { problem, message } = noteFailure(ctx, undefined, failure);
  return new AppError('upstream-failed', message, { problem });
}

/** For questions about the account, which name no model. @throws AppError */
async function targetOfOwn(ctx: Context, account: VendorAccount): Promise<Target> {
  try {
    return { ...(await vendorTokens(ctx).signedIn(account.target, account.proxy)), model: '' };
  } catch (error) {
    throw upstreamFailed(ctx, failureOf(error, account));
  }
}
