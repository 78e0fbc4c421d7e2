/** Free reads of a vendor account: its models and its remaining credit, and what they tell about its key. */
import type { channels } from '@switchyard/contract/channels/channels';
import type { RouteInput } from '@switchyard/contract/route';
import type { FailureClass } from '@switchyard/contract/wire-enums';
import {
  type AccountRequest,
  planBalanceRequest,
  planModelLists,
  readBalance,
  readCredentials,
  readError,
  readModelLists,
  resolveBaseUrl,
  type Target,
  UpstreamError,
} from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { LARGE_ANSWER_BYTES } from '../../platform/outbound/outbound.ts';
import { checkSecretDestination, mergeSecrets, noSecrets, openSecrets } from '../registry/channel-secrets.ts';
import { checkForm, checkKey, createFormLookups, getProviderByType } from '../registry/check-channel-form.ts';
import { type LoadedChannel, loadChannel } from '../registry/loaded-channel.ts';
import { splitKeys } from '../registry/parse-key-lines.ts';
import { findChannel } from '../registry/queries.ts';
import { getVendorTokens } from './vendor-access-token-cache.ts';
import { type PartialResponse, toVendorCallError, type VendorAccount, VendorCallError } from './vendor-call-error.ts';
import { logVendorFailure } from './vendor-request.ts';

type Form = RouteInput<(typeof channels)['fetchModels']>['body'];

const READ_TIMEOUT_MS = 15_000;
const MICRO_USD = 1_000_000;

/** Fetches the vendor's model names; undefined if it has no list. @throws VendorCallError */
export async function fetchVendorModels(
  ctx: Context,
  account: VendorAccount,
  signal?: AbortSignal,
): Promise<string[] | undefined> {
  const { proxy } = account;
  const target = await signInTarget(ctx, account);
  const requests = planModelLists(target);
  if (requests.length === 0) return undefined;
  const answers = await Promise.all(
    requests.map((request) => fetchVendorJson(ctx, request, { target, proxy }, signal)),
  );
  return readModelLists(target, answers);
}

/**
 * Fetches the remaining credit, and stores it with the channel.
 * @returns micro-USD; undefined if the vendor does not report it for a key
 * @throws VendorCallError
 */
export async function fetchVendorBalance(
  ctx: Context,
  channel: LoadedChannel,
  signal?: AbortSignal,
): Promise<number | undefined> {
  const target = await signInTarget(ctx, channel);
  const request = planBalanceRequest(target);
  if (request === undefined) return undefined;
  const { proxy } = channel;
  const balance = readBalance(target, await fetchVendorJson(ctx, request, { target, proxy }, signal));
  if (balance === undefined) throw new VendorCallError('not-json', `${target.provider.label} returned no balance`);
  await ctx.db.writer
    .updateTable('channel')
    .set({ balance_micro_usd: balance, balance_updated_time: nowSeconds(ctx.clock) })
    .where('id', '=', channel.id)
    .execute();
  return balance;
}

/** @throws VendorCallError */
async function fetchVendorJson(
  ctx: Context,
  { url, headers }: AccountRequest,
  account: VendorAccount,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  const { target, proxy } = account;
  let seen: PartialResponse | undefined;
  try {
    const {
      status,
      headers: responseHeaders,
      json,
      text,
    } = await ctx.outbound.fetchJson({
      method: 'GET',
      url,
      headers,
      proxy,
      timeoutMs: READ_TIMEOUT_MS,
      signal,
      // Aggregators list thousands of models.
      maxBytes: LARGE_ANSWER_BYTES,
    });
    seen = { status, beginning: text };
    if (status < 200 || status > 299)
      throw readError({ ...target, model: '' }, status, responseHeaders, Buffer.from(text));
    if (json === undefined) throw new UpstreamError('garbled', 'The provider did not respond with JSON', { status });
    return json;
  } catch (error) {
    throw logVendorFailure(ctx, undefined, toVendorCallError(error, account, seen));
  }
}

/**
 * Returns the target of account queries, which name no model.
 * @throws VendorCallError
 */
async function signInTarget(ctx: Context, account: VendorAccount): Promise<Target> {
  try {
    return { ...(await getVendorTokens(ctx).signIn(account.target, account.proxy)), model: '' };
  } catch (error) {
    throw logVendorFailure(ctx, undefined, toVendorCallError(error, account));
  }
}

/** Fetches the vendor's model list, for an unsaved form or, by `id`, with the stored secrets. */
export async function fetchModels(ctx: Context, form: Form): Promise<string[]> {
  const provider = getProviderByType(form.type);
  const row = form.id === undefined ? undefined : await findChannel(ctx, form.id);
  const stored = row === undefined ? noSecrets : openSecrets(ctx.vault, row);
  const secrets = mergeSecrets(stored, form);
  const [key] = splitKeys(secrets.key);
  if (row !== undefined)
    checkSecretDestination(
      stored,
      form,
      { ...row, proxy: stored.proxy },
      { provider: provider.id, base_url: form.base_url, proxy: secrets.proxy },
    );
  await checkForm(createFormLookups(ctx), provider, { ...form, proxy: secrets.proxy });
  checkKey(provider, key);
  const { proxy } = secrets;
  const { options } = form;
  const credentials = readCredentials(provider, key);
  const unsigned = {
    provider,
    baseUrl: resolveBaseUrl(provider, form.base_url, { credentials, options }),
    credentials,
    options,
    headers: secrets.headers,
  };
  return listModels(ctx, { target: unsigned, proxy });
}

/** @throws AppError `not-supported` without such a list, `upstream-failed` with the reason */
async function listModels(ctx: Context, account: VendorAccount): Promise<string[]> {
  const models = await fetchVendorModels(ctx, account).catch(rethrowAsAppError);
  if (models !== undefined) return models;
  throw new AppError('not-supported', `${account.target.provider.label} does not list its models`);
}

/** Queries and stores the remaining credit. @returns USD */
export async function updateBalance(ctx: Context, id: number): Promise<number> {
  const channel = await loadChannel(ctx, id);
  const balance = await fetchVendorBalance(ctx, channel).catch(rethrowAsAppError);
  if (balance !== undefined) return balance / MICRO_USD;
  throw new AppError('not-supported', `${channel.target.provider.label} does not report its balance to API keys`);
}

function rethrowAsAppError(error: unknown): never {
  if (!(error instanceof VendorCallError)) throw error;
  throw new AppError('upstream-failed', error.message, { problem: error.problem });
}

/** `has-credit` implies a valid key; `valid-key` says nothing about credit. */
type AccountState = 'refused' | 'has-credit' | 'valid-key' | 'unknown';

/** `no-permission` is not included: a key without the permission for one of these reads may still be usable. */
const refusals: ReadonlySet<FailureClass> = new Set(['wrong-key', 'malformed-key', 'out-of-credit']);

/** Queries the balance, which is most informative, then the model list. */
export async function checkAccount(ctx: Context, channel: LoadedChannel): Promise<AccountState> {
  const byBalance = await toAccountState(async () => {
    const balance = await fetchVendorBalance(ctx, channel);
    if (balance === undefined) return 'unknown';
    return balance > 0 ? 'has-credit' : 'refused';
  });
  if (byBalance !== 'unknown') return byBalance;
  return toAccountState(async () => ((await fetchVendorModels(ctx, channel)) === undefined ? 'unknown' : 'valid-key'));
}

async function toAccountState(ask: () => Promise<AccountState>): Promise<AccountState> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof VendorCallError)) throw error;
    return refusals.has(error.problem) ? 'refused' : 'unknown';
  }
}
