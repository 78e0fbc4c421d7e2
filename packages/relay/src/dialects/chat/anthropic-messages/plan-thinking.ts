import type { Conversation, Reasoning, ReasoningEffort } from '../../../model/conversation.ts';
import { effortBudgets, findNearestEffort } from '../reasoning-effort.ts';
import type { ClaudeModel } from './claude-models.ts';

interface ThinkingPlan {
  isOn: boolean;
  thinking: Record<string, unknown> | undefined;
  effort: string | undefined;
  maxTokens: number;
}

/** Vendor's minimum budget in tokens. */
const BUDGET_MIN = 1_024;

/**
 * Plans the thinking settings for the effort or budget that the client wants, and the output cap that leaves room for
 * it: here the cap counts thinking and response together.
 */
export function planThinking(
  conversation: Conversation,
  model: ClaudeModel,
  cap: number,
  dropped: string[],
): ThinkingPlan {
  const off: ThinkingPlan = { isOn: false, thinking: undefined, effort: undefined, maxTokens: cap };
  const { reasoning } = conversation;
  if (reasoning === undefined) return off;
  if (reasoning.budgetTokens === undefined && reasoning.effort === undefined)
    return model.thinking === 'adaptive' ? { ...off, isOn: true, thinking: planAdaptive(reasoning, model) } : off;
  const budget = reasoning.budgetTokens ?? effortBudgets[reasoning.effort ?? 'none'];
  if (budget === 0) return model.thinking === 'none' ? off : { ...off, thinking: { type: 'disabled' } };
  if (model.thinking === 'none' || lacksThinkingSignature(conversation)) {
    dropped.push('reasoning_effort');
    return off;
  }
  if (model.thinking === 'adaptive') {
    return {
      ...off,
      isOn: true,
      thinking: planAdaptive(reasoning, model),
      effort: findNearestEffort(reasoning.effort ?? effortForBudget(budget), model.efforts),
    };
  }
  const maxTokens = Math.min(model.outputTokensMax, cap > budget ? cap : cap + budget);
  const fitting = Math.max(BUDGET_MIN, Math.min(budget, maxTokens - 1));
  if (fitting >= maxTokens) {
    dropped.push('reasoning_effort');
    return off;
  }
  return { ...off, isOn: true, thinking: { type: 'enabled', budget_tokens: fitting }, maxTokens };
}

/**
 * Plans adaptive thinking. The newest models hide thoughts by default; in other dialects a request for thoughts shows
 * them.
 */
function planAdaptive({ isShown }: Reasoning, model: ClaudeModel): Record<string, unknown> {
  const isAsked = isShown ?? (!model.sampling || undefined);
  return { type: 'adaptive', ...(isAsked !== undefined && { display: isAsked ? 'summarized' : 'omitted' }) };
}

/** @param budget in tokens */
function effortForBudget(budget: number): ReasoningEffort {
  if (budget <= 2_048) return 'low';
  return budget <= 8_192 ? 'medium' : 'high';
}

/**
 * Returns whether a tool loop lacks the signed thinking of the calling turn, which the vendor requires. A client of
 * another dialect may have lost it; the call is then made without thinking.
 */
function lacksThinkingSignature(conversation: Conversation): boolean {
  const last = conversation.turns.at(-1);
  if (last?.role !== 'user' || last.parts.every((part) => part.type !== 'tool-result')) return false;
  const calling = conversation.turns.at(-2);
  return !calling?.parts.some((part) => part.type === 'reasoning' && part.signature?.origin === 'anthropic-messages');
}
