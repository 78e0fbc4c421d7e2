import type { ReasoningEffort } from '../model/conversation.ts';

/** Effort words from the least to the most. */
const order: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * The word of those that a target has which is nearest to the one that was said: itself, else the next higher one, else
 * the highest. Who wants no thought of a model that always thinks gets the least.
 * @param efforts from least to most
 * @returns undefined where the target has no words
 */
export function findNearestEffort<Word extends ReasoningEffort>(
  said: ReasoningEffort,
  efforts: readonly Word[],
): Word | undefined {
  return efforts.find((word) => order.indexOf(word) >= order.indexOf(said)) ?? efforts.at(-1);
}
