/** What an administrator asks a vendor through a channel: does it answer, what can it do, what is left. */
import type { channels } from '@switchyard/contract/channels';
import { mappedNames } from '@switchyard/contract/model-mapping';
import type { RouteAnswer, RouteInput } from '@switchyard/contract/route';
import {
  addressOf,
  balanceRequest,
  InvalidRequest,
  modelListRequests,
  planExchange,
  type ReadRequest,
  readBalance,
  readCredentials,
  readModelLists,
  type Target,
  testRequest,
  UpstreamError,
} from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { AppError, fieldError } from '../../platform/app-error.ts';
import { nowSeconds } from '../../platform/clock.ts';
import type { OwnFinding } from './attempt-watch.ts';
import { disableKey, enableKey } from './channel-keys.ts';
import { mergeSecrets, noSecrets, openSecrets } from './channel-secrets.ts';
import { enableChannel } from './channel-status.ts';
import { checkForm, checkKey, formQuestions, providerOfType } from './form-checks.ts';
import { keysOf } from './key-lines.ts';
import { type LoadedChannel, loadChannel } from './loaded-channel.ts';
import { findChannel } from './queries.ts';
import { checkSecretsStay } from './secrets-stay.ts';
import { vendorTokens } from './vendor-tokens.ts';

type TestResult = RouteAnswer<(typeof channels)['test']>;
type Form = RouteInput<(typeof channels)['fetchModels']>['body'];

const TEST_TIMEOUT_MS = 30_000;
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
  const problem = failure === undefined ? undefined : problemOf(ctx, failure.error);
  const duration = Math.max(1, Math.round(performance.now() - started));
  await ctx.db.writer
    .updateTable('channel')
    .set({
      test_time: nowSeconds(ctx.clock),
      ...(problem === undefined ? { response_time: duration } : {}),
    })
    .where('id', '=', id)
    .execute();
  if (problem === undefined && ctx.settings.automaticEnableChannel) {
    if (keyId !== undefined) await enableKey(ctx, id, keyId);
    await enableChannel(ctx, id);
  }
  return { success: problem === undefined, duration, model: requested, message: problem ?? '' };
}

function testModelOf(channel: LoadedChannel): string {
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
    return failure.error instanceof UpstreamError && isFatal(failure.error) ? 'refused' : 'unknown';
  };
  const testModel = testModelOf(channel);
  const finding = await ask(testModel === '' ? model : testModel);
  if (finding === 'refused') await disableKey(ctx, id, keyId, reason);
  return finding === 'refused' || testModel === '' || testModel === model ? finding : ask(model);
}

/** The key or the account behind it is at fault. */
export function isAccountError({ kind }: UpstreamError): boolean {
  return kind === 'unauthorised' || kind === 'out-of-credit';
}

/** @returns what went wrong */
async function tryModel(
  ctx: Context,
  channel: LoadedChannel,
  model: string,
): Promise<{ error: unknown } | undefined> {
  try {
    const { upstreamModel } = mappedNames(channel.modelMapping, model);
    const target = await vendorTokens(ctx).signedIn(channel.target, channel.proxy);
    const exchange = planExchange(testRequest(model, target.provider), { ...target, model: upstreamModel });
    const { status, headers, text } = await ctx.outbound.fetchJson({
      method: 'POST',
      url: exchange.url,
      headers: headersOf(exchange.headers),
      body: exchange.body,
      proxy: channel.proxy,
      timeoutMs: TEST_TIMEOUT_MS,
    });
    const body = Buffer.from(text);
    if (status < 200 || status > 299) throw exchange.readError(status, headers, body);
    const reader = exchange.readAnswer();
    reader.push(body);
    // An order that was taken is as good as an answer.
    if (reader.followUp?.() === undefined) reader.end();
    return undefined;
  } catch (error) {
    if (error instanceof UpstreamError && isAccountError(error)) vendorTokens(ctx).forget(channel.target);
    return { error };
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
  const target = await targetOfOwn(ctx, { target: unsigned, proxy });
  const requests = modelListRequests(target);
  if (requests.length === 0)
    throw new AppError('not-supported', `${provider.label} does not list its models`);
  const answers = await Promise.all(requests.map((request) => read(ctx, request, secrets.proxy)));
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
  const balance = readBalance(target, await read(ctx, request, channel.proxy));
  if (balance === undefined) throw new AppError('upstream-failed', `${label} answered without a balance`);
  await ctx.db.writer
    .updateTable('channel')
    .set({ balance_micro_usd: balance, balance_updated_time: nowSeconds(ctx.clock) })
    .where('id', '=', id)
    .execute();
  return balance / MICRO_USD;
}

/** @throws AppError `upstream-failed`; the vendor's body stays out of it, for it may repeat the key */
async function read(ctx: Context, { url, headers }: ReadRequest, proxy: string): Promise<unknown> {
  const answer = await ctx.outbound
    .fetchJson({ method: 'GET', url, headers, proxy, timeoutMs: READ_TIMEOUT_MS })
    .catch((error: unknown) => {
      throw new AppError('upstream-failed', problemOf(ctx, error), { cause: error });
    });
  if (answer.status < 200 || answer.status > 299)
    throw new AppError('upstream-failed', `The vendor answered with HTTP ${answer.status}`);
  if (answer.json === undefined) throw new AppError('upstream-failed', 'The vendor did not answer with JSON');
  return answer.json;
}

function problemOf(ctx: Context, error: unknown): string {
  if (error instanceof UpstreamError || error instanceof InvalidRequest) return error.message;
  ctx.log.warn({ err: error }, 'a call to a vendor failed');
  return error instanceof Error ? error.message : 'The vendor could not be reached';
}

function headersOf(flat: readonly string[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (let i = 0; i < flat.length; i += 2) headers[flat[i] ?? ''] = flat[i + 1] ?? '';
  return headers;
}

/** For questions about the account, which name no model. @throws AppError */
async function targetOfOwn(
  ctx: Context,
  { target, proxy }: Pick<LoadedChannel, 'target' | 'proxy'>,
): Promise<Target> {
  try {
    return { ...(await vendorTokens(ctx).signedIn(target, proxy)), model: '' };
  } catch (error) {
    throw new AppError('upstream-failed', problemOf(ctx, error), { cause: error });
  }
}
