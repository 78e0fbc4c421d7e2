import { effortBudgets } from '../dialects/chat/reasoning-effort.ts';
import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import { type JsonObject, numberOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { createSwitchOption } from '../provider-kit/channel-options.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { forModels, mapEffortToSwitch } from '../provider-kit/shared-vendor-quirks.ts';

/**
 * Disables thinking without a stream: open-weight Qwen3 thinks by default, but only in streams.
 * https://help.aliyun.com/zh/model-studio/deep-thinking
 */
const disableUnstreamedThinking: Quirk = (body, _target, dropped) => {
  const { reasoning_effort: effort, ...rest } = body;
  const isTold = rest['stream'] === true || rest['enable_thinking'] !== undefined;
  if (isTold || rest['messages'] === undefined) return body;
  if (typeof effort === 'string' && effort !== 'none') dropped.push('reasoning_effort');
  return { ...rest, enable_thinking: false };
};

/** Turns web search on if the client doesn't set it. https://help.aliyun.com/zh/model-studio/web-search */
const enableWebSearch: Quirk = (body, { options }, _dropped, format) =>
  options['webSearch'] === 'on' && format === 'openai-chat' && body['enable_search'] === undefined
    ? { ...body, enable_search: true }
    : body;

/** Models that always think. https://help.aliyun.com/zh/model-studio/qwq */
const thinkingModels = /^(qwq|qvq)|-thinking/;

/**
 * `max_tokens`, as which the gateway sends each cap, does not limit the chain of thought.
 * https://help.aliyun.com/zh/model-studio/qwen-api-via-openai-chat-completions
 */
function countExtraReasoning(body: JsonObject, model: string): number {
  const budget = numberOf(body['thinking_budget']) ?? 0;
  if (body['enable_thinking'] === false && !thinkingModels.test(model)) return 0;
  if (budget > 0) return budget;
  return body['enable_thinking'] === true || thinkingModels.test(model) ? effortBudgets.medium : 0;
}

/**
 * Alibaba Cloud. Outside China: `https://dashscope-intl.aliyuncs.com`.
 * https://help.aliyun.com/zh/model-studio/compatibility-of-openai-with-dashscope
 */
export const ali = createOpenaiCompatible({
  id: 'ali',
  label: 'Alibaba Cloud (Qwen)',
  channelType: 17,
  website: 'https://bailian.console.aliyun.com',
  baseUrl: 'https://dashscope.aliyuncs.com',
  root: '/compatible-mode/v1',
  endpointTypes: ['openai-chat', 'openai-embeddings'],
  // https://www.alibabacloud.com/help/en/model-studio/rerank
  endpoints: {
    rerank: [{ format: 'rerank', path: '/compatible-api/v1/reranks' }],
    videos: [{ format: 'wan-videos', path: '/api/v1/services/aigc/video-generation/video-synthesis' }],
  },
  options: [createSwitchOption('webSearch')],
  testModel: 'qwen-flash',
  quirks: [forModels(/^qwen3-\d+(\.\d+)?b(-a\d+b)?$/, disableUnstreamedThinking), mapEffortToSwitch, enableWebSearch],
  countExtraReasoning,
  // https://help.aliyun.com/zh/model-studio/qwq, https://help.aliyun.com/zh/model-studio/qwen-omni
  isStreamOnly: ({ model }) => /^(qwq|qvq|qwen.*-omni)/.test(model),
  // https://help.aliyun.com/zh/model-studio/error-code
  readError: createErrorCodeReader({
    Arrearage: 'out-of-credit',
    // The account's limit of tokens per minute.
    insufficient_quota: 'rate-limited',
    'AllocationQuota.FreeTierOnly': 'out-of-credit',
    InvalidApiKey: 'unauthorised',
    DataInspectionFailed: 'rejected',
    data_inspection_failed: 'rejected',
  }),
});
