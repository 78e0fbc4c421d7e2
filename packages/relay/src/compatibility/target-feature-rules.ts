/** Features of targets, as of November 2026. The first row that matches a target and names a feature applies. */
import type { TargetRule } from './target-features.ts';

/** OpenAI's own service, also through Azure and GitHub. */
const openaiHosts = ['openai', 'azure', 'azure-v1', 'github'];
/** Gateways that adapt a request to the model behind them. */
const gateways = ['openrouter', 'vercel', 'aihubmix', 'one-api'];
/** Servers that render a conversation with the chat template of an open model. */
const templateServers = ['vllm', 'sglang', 'llama-cpp', 'lm-studio', 'ollama', 'localai', 'xinference'];
/** Vendors that respond with 400 to fields that are not OpenAI's, or that the model lacks. */
const strictVendors = ['openai', 'azure', 'azure-v1', 'groq', 'mistral', 'cerebras', 'github'];

/** https://platform.openai.com/docs/guides/reasoning, https://platform.openai.com/docs/models */
const openaiEfforts: readonly TargetRule[] = [
  { models: /gpt-oss/, features: { efforts: ['low', 'medium', 'high'] } },
  { providers: ['github'], models: /(^|[/.])(gpt-[34](?!\d)|chatgpt)/, features: { efforts: [] } },
  { models: /(^|[/.])(o1-mini|o1-preview)|gpt-5[^/]*-chat/, features: { efforts: [] } },
  { models: /(^|[/.])o\d.*deep-research/, features: { efforts: ['medium'] } },
  { models: /(^|[/.])o\d/, features: { efforts: ['low', 'medium', 'high'] } },
  { models: /gpt-5-pro/, features: { efforts: ['high'] } },
  { models: /gpt-5\.\d+-pro/, features: { efforts: ['medium', 'high', 'xhigh'] } },
  { models: /gpt-5-codex|gpt-5\.1-codex(?!-max)|codex-mini/, features: { efforts: ['low', 'medium', 'high'] } },
  { models: /gpt-5\.[1-5].*codex/, features: { efforts: ['low', 'medium', 'high', 'xhigh'] } },
  { models: /gpt-5(?![\d.])/, features: { efforts: ['minimal', 'low', 'medium', 'high'] } },
  { models: /gpt-5\.1(?!\d)/, features: { efforts: ['none', 'low', 'medium', 'high'] } },
  { models: /gpt-5\.[2-5](?!\d)/, features: { efforts: ['none', 'low', 'medium', 'high', 'xhigh'] } },
  { models: /gpt-[5-9]/, features: { efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] } },
];

const vendorEfforts: readonly TargetRule[] = [
  // https://docs.x.ai/docs/guides/reasoning
  {
    providers: ['xai'],
    models: /grok-(4\.[6-9]|[5-9]|4\.20-multi-agent)/,
    features: { efforts: ['low', 'medium', 'high', 'xhigh'] },
  },
  { providers: ['xai'], models: /grok-4\.3/, features: { efforts: ['none', 'low', 'medium', 'high'] } },
  { providers: ['xai'], models: /grok-3-mini/, features: { efforts: ['low', 'high'] } },
  // These models choose the effort themselves, and respond with 400 to the field.
  { providers: ['xai'], models: /grok-([12]|3|4(?!\.)|4\.1|4\.20|code)/, features: { efforts: [] } },
  { providers: ['xai'], features: { efforts: ['low', 'medium', 'high'] } },
  // https://docs.mistral.ai/capabilities/reasoning
  {
    providers: ['mistral'],
    models: /ministral|codestral|devstral|pixtral|voxtral|nemo|mixtral|mistral-large-2/,
    features: { efforts: [] },
  },
  { providers: ['mistral'], models: /mistral-large/, features: { efforts: 'any' } },
  { providers: ['mistral'], features: { efforts: ['none', 'high'] } },
  // https://console.groq.com/docs/reasoning: only GPT-OSS and Qwen; `providers/groq.ts` switches Qwen's on and off.
  { providers: ['groq'], models: /^(?!.*(gpt-oss|qwen))/, features: { efforts: [] } },
  // https://api-docs.deepseek.com/guides/thinking_mode
  { providers: ['deepseek'], features: { efforts: ['none', 'high', 'max'] } },
  // https://docs.perplexity.ai/docs/agent-api
  { providers: ['perplexity'], features: { efforts: ['minimal', 'low', 'medium', 'high'] } },
  // https://docs.fireworks.ai/guides/reasoning, https://docs.together.ai/docs/inference/chat/reasoning
  { providers: ['fireworks', 'together'], features: { efforts: ['none', 'low', 'medium', 'high'] } },
];

/**
 * Maximum output tokens: https://platform.openai.com/docs/models. Other vendors' model lists contain their limits.
 */
const outputLimits: readonly TargetRule[] = [
  { models: /gpt-3\.5|gpt-4-(turbo|1106|0125|vision)/, features: { outputTokensMax: 4_096 } },
  { models: /gpt-4o-2024-05-13|gpt-4o.*realtime/, features: { outputTokensMax: 4_096 } },
  { models: /gpt-4o|gpt-4\.5/, features: { outputTokensMax: 16_384 } },
  { models: /gpt-4\.1/, features: { outputTokensMax: 32_768 } },
  { models: /gpt-4(?![\d.o])/, features: { outputTokensMax: 8_192 } },
  { models: /gpt-5[^/]*-chat/, features: { outputTokensMax: 16_384 } },
  { models: /gpt-5-pro/, features: { outputTokensMax: 272_000 } },
  { models: /gpt-5/, features: { outputTokensMax: 128_000 } },
  { models: /(^|[/.])o1-mini/, features: { outputTokensMax: 65_536 } },
  { models: /(^|[/.])o1-preview/, features: { outputTokensMax: 32_768 } },
  { models: /(^|[/.])(o[134]|codex-mini)/, features: { outputTokensMax: 100_000 } },
  // https://ai.google.dev/gemini-api/docs/models
  { formats: ['gemini'], models: /gemini-(1|2\.0)/, features: { outputTokensMax: 8_192 } },
  { formats: ['gemini'], models: /gemini-2\.5.*image/, features: { outputTokensMax: 32_768 } },
  { formats: ['gemini'], models: /gemini-(2\.5|3)/, features: { outputTokensMax: 65_536 } },
  // https://docs.cohere.com/docs/models
  { providers: ['cohere'], models: /command-r/, features: { outputTokensMax: 4_096 } },
  { providers: ['cohere'], models: /command-a-(03|translate|vision)/, features: { outputTokensMax: 8_192 } },
];

export const targetRules: readonly TargetRule[] = [
  { providers: gateways, features: { efforts: 'any' } },
  ...vendorEfforts,
  ...openaiEfforts,
  ...outputLimits,

  // https://platform.openai.com/docs/guides/tools-web-search: in Chat Completions only search models search.
  { models: /search-(preview|api)/, features: { webSearch: 'taken' } },
  // https://openrouter.ai/docs/guides/features/plugins/web-search
  { providers: ['openrouter', 'one-api'], features: { webSearch: 'taken' } },
  { providers: strictVendors, formats: ['openai-chat'], features: { webSearch: 'refused' } },
  { formats: ['openai-chat'], features: { webSearch: 'unknown' } },
  {
    providers: templateServers,
    formats: ['openai-responses', 'anthropic-messages'],
    features: { webSearch: 'refused' },
  },

  // "System message must be at the beginning": the chat template of Qwen, wherever it is served.
  { models: /qwen|qwq|qvq/, features: { systemTurns: 'first' } },
  { providers: ['custom', ...templateServers], features: { systemTurns: 'first' } },

  // https://openrouter.ai/docs/features/prompt-caching, https://help.aliyun.com/zh/model-studio/context-cache
  { formats: ['anthropic-messages', 'bedrock-converse'], features: { cacheMarks: 'taken' } },
  { providers: ['openrouter', 'ali', 'one-api', 'vercel', 'aihubmix'], features: { cacheMarks: 'taken' } },
  { providers: ['databricks'], models: /claude/, features: { cacheMarks: 'taken' } },
  { providers: strictVendors, features: { cacheMarks: 'refused', googleExtras: 'refused' } },

  // Gateways in front of Gemini: https://ai.google.dev/gemini-api/docs/thought-signatures
  { providers: ['custom', ...gateways], models: /gemini/, features: { googleExtras: 'taken' } },

  // Hosts that don't require thoughts, and may respond with 400 to a field that is not OpenAI's. OpenAI itself has
  // none of these models: a channel of its type then reaches another vendor.
  { providers: strictVendors.filter((id) => id !== 'openai'), features: { earlierThoughts: 'left-out' } },
  // Older models don't think with tools; the first one that thinks refuses returned thoughts.
  {
    models: /distill|deepseek-(r1|v2|v3(?!\.[1-9])|coder|llm|vl|ocr|prover)/,
    features: { earlierThoughts: 'left-out' },
  },
  // https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
  // https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
  // https://platform.xiaomimimo.com/docs/en-US/usage-guide/passing-back-reasoning_content
  {
    formats: ['openai-chat'],
    models: /deepseek|kimi-(k[2-9]|latest|thinking)|mimo/,
    features: { earlierThoughts: 'required' },
  },
  {
    providers: ['deepseek', 'mimo', 'anthropic-compatible'],
    formats: ['anthropic-messages'],
    models: /deepseek|mimo/,
    features: { earlierThoughts: 'required' },
  },

  // https://platform.openai.com/docs/guides/function-calling, https://platform.openai.com/docs/guides/structured-outputs
  { providers: openaiHosts, features: { rootUnions: false, strictSchemas: 'closed' } },
  // https://console.groq.com/docs/structured-outputs, https://inference-docs.cerebras.ai/capabilities/structured-outputs
  { providers: ['groq', 'cerebras'], features: { rootUnions: false, strictSchemas: 'closed' } },
  // "input_schema does not support oneOf, allOf, or anyOf at the top level"
  { formats: ['anthropic-messages'], features: { rootUnions: false } },
  // "schema should be of type OBJECT"
  { formats: ['gemini'], features: { rootUnions: false } },
  // https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html: only these three fields.
  {
    formats: ['bedrock-converse'],
    models: /amazon\.nova/,
    features: { rootUnions: false, rootKeywords: ['type', 'properties', 'required'] },
  },
  { formats: ['bedrock-converse', 'cohere-chat', 'hunyuan-chat'], features: { rootUnions: false } },
  // https://docs.cohere.com/docs/structured-outputs; "moonshot flavored json schema" has one type per value.
  { providers: ['cohere', 'moonshot', 'tencent-hunyuan'], features: { typeLists: false } },
  { providers: ['moonshot', 'mistral', 'xai'], features: { rootUnions: false } },
];
