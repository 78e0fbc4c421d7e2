import { createErrorCodeReader } from '../errors/read-upstream-error.ts';
import { isObject, type JsonObject, listOf, objectOf } from '../json/json.ts';
import type { Quirk } from '../model/provider.ts';
import { addVendorTool } from '../provider-kit/channel-options.ts';
import { createOpenaiCompatible } from '../provider-kit/openai-compatible.ts';
import { clampField, disableThinkingWithoutEffort, dropJsonSchema } from '../provider-kit/shared-vendor-quirks.ts';

/**
 * Adds the operator's tools: a knowledge base, web search, and a code interpreter for models that can run code
 * (GLM-4-AllTools). The prompt contains `{{knowledge}}` and `{{question}}`.
 * https://docs.bigmodel.cn/api-reference/模型-api/对话补全, https://docs.bigmodel.cn/cn/guide/tools/web-search
 */
const addOperatorTools: Quirk = (body, { options }, _dropped, format) => {
  if (format !== 'openai-chat') return body;
  const { knowledge, knowledgePrompt, webSearch = 'off', codeInterpreter = 'off' } = options;
  let changed = body;
  if (knowledge) {
    const retrieval = { knowledge_id: knowledge, ...(knowledgePrompt && { prompt_template: knowledgePrompt }) };
    changed = addVendorTool(changed, { type: 'retrieval', retrieval });
  }
  if (!isOff(webSearch)) {
    const search = { enable: true, search_engine: webSearch, search_result: true };
    changed = addVendorTool(changed, { type: 'web_search', web_search: search });
  }
  if (!isOff(codeInterpreter)) {
    const sandbox = { sandbox: codeInterpreter };
    changed = addVendorTool(changed, { type: 'code_interpreter', code_interpreter: sandbox });
  }
  return changed;
};

const isOff = (choice: string): boolean => choice === '' || choice === 'off';

/** Requests the results of the client's searches, which alone show that Zhipu has searched, and bills it. */
const requestSearchResults: Quirk = (body, _target, _dropped, format) => {
  const tools = listOf(body['tools']);
  if (format !== 'openai-chat' || !tools.some(isSearch)) return body;
  const shown = tools.map((tool) =>
    isSearch(tool) ? { ...tool, web_search: { ...objectOf(tool['web_search']), search_result: true } } : tool,
  );
  return { ...body, tools: shown };
};

const isSearch = (tool: unknown): tool is JsonObject =>
  isObject(tool) && tool['type'] === 'web_search' && objectOf(tool['web_search'])['enable'] !== false;

/**
 * Zhipu. Outside China: `https://api.z.ai/api/paas/v4`, for coding plans `…/api/coding/paas/v4`.
 * https://docs.bigmodel.cn/api-reference, codes: https://docs.z.ai/api-reference/api-code
 */
export const zhipu = createOpenaiCompatible({
  id: 'zhipu',
  label: 'Zhipu (GLM, Z.ai)',
  channelType: 16,
  website: 'https://open.bigmodel.cn',
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  root: '',
  endpointTypes: ['openai-chat', 'openai-embeddings', 'openai-images', 'rerank'],
  listModels: null,
  options: [
    { name: 'knowledge', required: false },
    { name: 'knowledgePrompt', required: false, placeholder: '{{knowledge}} … {{question}}' },
    {
      name: 'webSearch',
      required: false,
      choices: ['off', 'search_std', 'search_pro', 'search_pro_sogou', 'search_pro_quark'],
    },
    { name: 'codeInterpreter', required: false, choices: ['off', 'auto', 'none'] },
  ],
  testModel: 'glm-4.7-flash',
  // https://docs.bigmodel.cn/api-reference/模型-api/图像生成
  imageOptions: { free: ['user_id', 'request_id', 'watermark_enabled'] },
  // Thinking: https://docs.bigmodel.cn/cn/guide/capabilities/thinking
  quirks: [
    dropJsonSchema,
    disableThinkingWithoutEffort,
    clampField('temperature', 0, 1),
    clampField('top_p', 0.01, 1),
    addOperatorTools,
    requestSearchResults,
  ],
  readError: createErrorCodeReader({
    1000: 'unauthorised',
    1001: 'unauthorised',
    1002: 'unauthorised',
    1003: 'unauthorised',
    1004: 'unauthorised',
    1110: 'unauthorised',
    1111: 'unauthorised',
    1112: 'unauthorised',
    1121: 'unauthorised',
    1113: 'out-of-credit',
    1210: 'rejected',
    1214: 'rejected',
    1261: 'rejected',
    1301: 'rejected',
    1302: 'rate-limited',
    1303: 'rate-limited',
    1304: 'rate-limited',
    1305: 'rate-limited',
    1308: 'rate-limited',
    1309: 'out-of-credit',
    1310: 'rate-limited',
  }),
});
