import type { Reasoning, ReasoningEffort } from '../../model/conversation.ts';

/**
 * Thinking budgets in tokens by reasoning effort, for dialects that use only one of them. The gateway chose the
 * steps.
 */
export const effortBudgets: Readonly<Record<ReasoningEffort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 2_048,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 49_152,
};

/** Effort words in ascending order. */
export const efforts: readonly ReasoningEffort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/**
 * Returns the effort word. Derives it from a budget if necessary, with steps close to those of vendors' own
 * compatible endpoints.
 */
export function resolveEffort(reasoning: Reasoning | undefined): ReasoningEffort | undefined {
  if (reasoning === undefined) return undefined;
  if (reasoning.effort !== undefined) return reasoning.effort;
  const budget = reasoning.budgetTokens;
  if (budget === undefined) return undefined;
  if (budget <= 0) return 'none';
  if (budget <= 1_024) return 'low';
  return budget <= 8_192 ? 'medium' : 'high';
}

/**
 * Returns the target's effort word that is nearest to the requested one: the same word, else the next higher one,
 * else the highest. `none` at a model that always thinks gives the lowest.
 * @param words in ascending order
 * @returns undefined if the target has no words
 */
export function findNearestEffort<Word extends ReasoningEffort>(
  said: ReasoningEffort,
  words: readonly Word[],
): Word | undefined {
  return words.find((word) => efforts.indexOf(word) >= efforts.indexOf(said)) ?? words.at(-1);
}
