/** Brings back a channel, or one of its keys, that the gateway disabled automatically. */
import type { FailureClass } from '@switchyard/contract/codes';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { loadChannel } from '../registry/loaded-channel.ts';
import { checkAccount } from '../vendor-calls/account-check.ts';
import { reenableChannel, testChannel } from '../vendor-calls/vendor-calls.ts';
import { getChannelHealth } from './channel-health.ts';
import { mustWaitForTrial } from './channel-status.ts';

interface Recovery {
  outcome: 'answered' | 'has-credit' | 'on-trial' | 'refused' | 'waits';
  /** Why it stays out, for the log. */
  reason: string;
}

/** A test that failed so says nothing of the key and the account, for which the channel was taken out. */
const inconclusiveProblems: ReadonlySet<FailureClass> = new Set([
  'not-tested',
  'other-endpoint',
  // A server that embeds alone has no chat endpoint for a model whose name does not say so.
  'wrong-address',
  'model-missing',
  'bad-request',
  'empty-answer',
]);

/**
 * Tests a channel, and brings it back when it answers. Where no cheap request tests its models, the account is asked
 * about for nothing; where that leaves open whether it pays, clients' requests try the channel, one at a time.
 * @param keyId the key to test; absent, the first one in use
 */
export async function recoverChannel(ctx: Context, id: number, keyId?: string): Promise<Recovery> {
  const { success, problem, message } = await testIfPossible(ctx, id, keyId);
  if (success) return { outcome: 'answered', reason: '' };
  if (problem === null || !inconclusiveProblems.has(problem)) return { outcome: 'refused', reason: message };
  const channel = await loadChannel(ctx, id, keyId);
  const state = await checkAccount(ctx, channel);
  if (state === 'refused') return { outcome: 'refused', reason: 'The provider still rejects the account' };
  if (state === 'has-credit') {
    await reenableChannel(ctx, id, keyId);
    return { outcome: 'has-credit', reason: '' };
  }
  if (await mustWaitForTrial(ctx, id, keyId !== undefined)) return { outcome: 'waits', reason: message };
  // The other keys of a channel go on as they are.
  if (keyId === undefined) getChannelHealth(ctx).beginTrial(id, channel.models);
  await reenableChannel(ctx, id, keyId, 'on-trial');
  return { outcome: 'on-trial', reason: '' };
}

/** A channel that lists no model by its whole name cannot be tested. */
async function testIfPossible(
  ctx: Context,
  id: number,
  keyId: string | undefined,
): Promise<Pick<Awaited<ReturnType<typeof testChannel>>, 'success' | 'problem' | 'message'>> {
  try {
    return await testChannel(ctx, id, { keyId, byHand: false });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid-input') throw error;
    return { success: false, problem: 'not-tested', message: error.message };
  }
}
