/** Free reads of a vendor account. */
import type { FailureClass } from '@switchyard/contract/wire-enums';
import {
  type AccountRequest,
  planBalanceRequest,
  planModelLists,
  readBalance,
  readError,
  readModelLists,
  type Target,
  UpstreamError,
} from '@switchyard/relay';
import type { Context } from '../../context.ts';
import { nowSeconds } from '../../platform/clock.ts';
import { LARGE_ANSWER_BYTES } from '../../platform/outbound/outbound.ts';
import type { LoadedChannel } from '../registry/loaded-channel.ts';
import { getVendorTokens } from './vendor-access-token-cache.ts';
import { type PartialResponse, toVendorCallError, type VendorAccount, VendorCallError } from './vendor-call-error.ts';
import { logVendorFailure } from './vendor-request.ts';

const READ_TIMEOUT_MS = 15_000;

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
