import type { ReasoningEffort } from '../model/conversation.ts';

/** Effort words in ascending order. */
const order: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Returns the target's effort word that is nearest to the requested one: the same word, else the next higher one,
 * else the highest. `none` at a model that always thinks gives the lowest.
 * @param efforts in ascending order
 * @returns undefined if the target has no words
 */
export function findNearestEffort<Word extends ReasoningEffort>(
  said: ReasoningEffort,
  efforts: readonly Word[],
): Word | undefined {
  return efforts.find((word) => order.indexOf(word) >= order.indexOf(said)) ?? efforts.at(-1);
}
