/** Re-enables an auto-disabled channel, or one of its keys. */
import type { FailureClass } from '@switchyard/contract/wire-enums';
import type { Context } from '../../context.ts';
import { AppError } from '../../platform/http/app-error.ts';
import { loadChannel } from '../registry/loaded-channel.ts';
import { checkAccount } from '../vendor-calls/fetch-models-and-balance.ts';
import { reenableChannel, testChannel } from '../vendor-calls/test-and-disable-channel.ts';
import { getChannelHealth } from './channel-health.ts';
import { mustWaitForTrial } from './disable-and-enable-channels.ts';

interface Recovery {
  outcome: 'answered' | 'has-credit' | 'on-trial' | 'refused' | 'waits';
  /** Reason why it stays disabled, for the log. */
  reason: string;
}

/** Failures of a test that are inconclusive about the key and the account, for which the channel was disabled. */
const inconclusiveProblems: ReadonlySet<FailureClass> = new Set([
  'not-tested',
  'other-endpoint',
  // An embeddings-only server has no chat endpoint, and the model's name may not reveal its kind.
  'wrong-address',
  'model-missing',
  'bad-request',
  'empty-answer',
]);

/**
 * Tests a channel, and re-enables it on success. If no cheap request tests its models, the account is checked for
 * free; if that does not show whether it has credit, clients' requests try the channel, one at a time.
 * @param keyId key to test; absent for the first enabled one
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
  // With a key, the channel's other keys are unaffected.
  if (keyId === undefined) getChannelHealth(ctx).beginTrial(id, channel.models);
  await reenableChannel(ctx, id, keyId, 'on-trial');
  return { outcome: 'on-trial', reason: '' };
}

/** Tests a channel, unless it lists no model by its full name. */
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
