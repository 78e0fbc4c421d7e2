import type { Conversation, ReasoningEffort } from '../../../model/conversation.ts';
import { effortOf } from '../effort.ts';
import type { ConverseModel } from './converse-models.ts';

interface ThinkingPlan {
  /** Of the model alone. */
  fields: Record<string, unknown>;
  /** Whether `temperature` and `topP` may be said beside it. */
  takesSampling: boolean;
}

type Level = 'low' | 'medium' | 'high';

const levels: Readonly<Record<ReasoningEffort, Level>> = {
  none: 'low',
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
};

export function planThinking(
  conversation: Conversation,
  { thinking }: ConverseModel,
  dropped: string[],
): ThinkingPlan {
  const plain: ThinkingPlan = { fields: {}, takesSampling: true };
  const effort = effortOf(conversation.reasoning);
  if (effort === undefined) return plain;
  if (thinking === 'effort') return { ...plain, fields: { reasoning_effort: levels[effort] } };
  if (effort === 'none') return plain;
  if (thinking === 'nova') return novaThinking(levels[effort], conversation.maxOutputTokens !== undefined);
  dropped.push('reasoning_effort');
  return plain;
}

/**
 * At the highest level neither a cap nor sampling may be said. A cap is what the client pays at most, so that with one
 * the level below has to do. https://docs.aws.amazon.com/nova/latest/nova2-userguide/extended-thinking.html
 */
function novaThinking(wanted: Level, isCapped: boolean): ThinkingPlan {
  const level = wanted === 'high' && isCapped ? 'medium' : wanted;
  return {
    fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort: level } },
    takesSampling: level !== 'high',
  };
}
