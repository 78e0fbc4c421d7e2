/** The features of targets, as of November 2026. The first row that describes a target and names a feature counts. */
import type { TargetRule } from './target-features.ts';

/** OpenAI's own service, also by Azure and GitHub. */
const openaiHosts = ['openai', 'azure', 'azure-v1', 'github'];
/** Gateways that adapt a request to the model behind them. */
const gateways = ['openrouter', 'vercel', 'aihubmix', 'one-api'];
/** Servers that put a conversation into the chat template of an open model. */
const templateServers = ['vllm', 'sglang', 'llama-cpp', 'lm-studio', 'ollama', 'localai', 'xinference'];
/** Vendors that answer 400 to a field that is not OpenAI's, or that the model does not have. */
const strictVendors = ['openai', 'azure', 'azure-v1', 'groq', 'mistral', 'cerebras', 'github'];

/** https://platform.openai.com/docs/guides/reasoning, https://platform.openai.com/docs/models */
const openaiEfforts: readonly TargetRule[] = [
  { models: /gpt-oss/, takes: { efforts: ['low', 'medium', 'high'] } },
  {
    providers: ['github'],
    models: /(^|[/.])(gpt-[34](?!\d)|chatgpt)/,
    takes: { efforts: [] },
  },
  { models: /(^|[/.])(o1-mini|o1-preview)|gpt-5[^/]*-chat/, takes: { efforts: [] } },
  { models: /(^|[/.])o\d.*deep-research/, takes: { efforts: ['medium'] } },
  { models: /(^|[/.])o\d/, takes: { efforts: ['low', 'medium', 'high'] } },
  { models: /gpt-5-pro/, takes: { efforts: ['high'] } },
  { models: /gpt-5\.\d+-pro/, takes: { efforts: ['medium', 'high', 'xhigh'] } },
  { models: /gpt-5-codex|gpt-5\.1-codex(?!-max)|codex-mini/, takes: { efforts: ['low', 'medium', 'high'] } },
  { models: /gpt-5\.[1-5].*codex/, takes: { efforts: ['low', 'medium', 'high', 'xhigh'] } },
  { models: /gpt-5(?![\d.])/, takes: { efforts: ['minimal', 'low', 'medium', 'high'] } },
  { models: /gpt-5\.1(?!\d)/, takes: { efforts: ['none', 'low', 'medium', 'high'] } },
  { models: /gpt-5\.[2-5](?!\d)/, takes: { efforts: ['none', 'low', 'medium', 'high', 'xhigh'] } },
  { models: /gpt-[5-9]/, takes: { efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] } },
];

const vendorEfforts: readonly TargetRule[] = [
  // https://docs.x.ai/docs/guides/reasoning
  {
    providers: ['xai'],
    models: /grok-(4\.[6-9]|[5-9]|4\.20-multi-agent)/,
    takes: { efforts: ['low', 'medium', 'high', 'xhigh'] },
  },
  { providers: ['xai'], models: /grok-4\.3/, takes: { efforts: ['none', 'low', 'medium', 'high'] } },
  { providers: ['xai'], models: /grok-3-mini/, takes: { efforts: ['low', 'high'] } },
  // These models choose the effort themselves, and answer 400 to the field.
  {
    providers: ['xai'],
    models: /grok-([12]|3|4(?!\.)|4\.1|4\.20|code)/,
    takes: { efforts: [] },
  },
  { providers: ['xai'], takes: { efforts: ['low', 'medium', 'high'] } },
  // https://docs.mistral.ai/capabilities/reasoning
  {
    providers: ['mistral'],
    models: /ministral|codestral|devstral|pixtral|voxtral|nemo|mixtral|mistral-large-2/,
    takes: { efforts: [] },
  },
  { providers: ['mistral'], models: /mistral-large/, takes: { efforts: 'any' } },
  { providers: ['mistral'], takes: { efforts: ['none', 'high'] } },
  // https://console.groq.com/docs/reasoning: GPT-OSS and Qwen alone; Qwen is switched on and off (`providers/groq.ts`).
  { providers: ['groq'], models: /^(?!.*(gpt-oss|qwen))/, takes: { efforts: [] } },
  // https://api-docs.deepseek.com/guides/thinking_mode
  { providers: ['deepseek'], takes: { efforts: ['none', 'high', 'max'] } },
  // https://docs.perplexity.ai/docs/agent-api
  { providers: ['perplexity'], takes: { efforts: ['minimal', 'low', 'medium', 'high'] } },
  // https://docs.fireworks.ai/guides/reasoning, https://docs.together.ai/docs/inference/chat/reasoning
  { providers: ['fireworks', 'together'], takes: { efforts: ['none', 'low', 'medium', 'high'] } },
];

/** https://platform.openai.com/docs/models: the maximum of output tokens. Other vendors' limits come with their model lists. */
const outputLimits: readonly TargetRule[] = [
  { models: /gpt-3\.5|gpt-4-(turbo|1106|0125|vision)/, takes: { outputTokensMax: 4_096 } },
  { models: /gpt-4o-2024-05-13|gpt-4o.*realtime/, takes: { outputTokensMax: 4_096 } },
  { models: /gpt-4o|gpt-4\.5/, takes: { outputTokensMax: 16_384 } },
  { models: /gpt-4\.1/, takes: { outputTokensMax: 32_768 } },
  { models: /gpt-4(?![\d.o])/, takes: { outputTokensMax: 8_192 } },
  { models: /gpt-5[^/]*-chat/, takes: { outputTokensMax: 16_384 } },
  { models: /gpt-5-pro/, takes: { outputTokensMax: 272_000 } },
  { models: /gpt-5/, takes: { outputTokensMax: 128_000 } },
  { models: /(^|[/.])o1-mini/, takes: { outputTokensMax: 65_536 } },
  { models: /(^|[/.])o1-preview/, takes: { outputTokensMax: 32_768 } },
  { models: /(^|[/.])(o[134]|codex-mini)/, takes: { outputTokensMax: 100_000 } },
  // https://ai.google.dev/gemini-api/docs/models
  { formats: ['gemini'], models: /gemini-(1|2\.0)/, takes: { outputTokensMax: 8_192 } },
  { formats: ['gemini'], models: /gemini-2\.5.*image/, takes: { outputTokensMax: 32_768 } },
  { formats: ['gemini'], models: /gemini-(2\.5|3)/, takes: { outputTokensMax: 65_536 } },
  // https://docs.cohere.com/docs/models
  { providers: ['cohere'], models: /command-r/, takes: { outputTokensMax: 4_096 } },
  { providers: ['cohere'], models: /command-a-(03|translate|vision)/, takes: { outputTokensMax: 8_192 } },
];

export const targetRules: readonly TargetRule[] = [
  { providers: gateways, takes: { efforts: 'any' } },
  ...vendorEfforts,
  ...openaiEfforts,
  ...outputLimits,

  // https://platform.openai.com/docs/guides/tools-web-search: in Chat Completions only models made for it search.
  { models: /search-(preview|api)/, takes: { webSearch: 'taken' } },
  // https://openrouter.ai/docs/guides/features/plugins/web-search
  { providers: ['openrouter', 'one-api'], takes: { webSearch: 'taken' } },
  { providers: strictVendors, formats: ['openai-chat'], takes: { webSearch: 'refused' } },
  { formats: ['openai-chat'], takes: { webSearch: 'unknown' } },
  {
    providers: templateServers,
    formats: ['openai-responses', 'anthropic-messages'],
    takes: { webSearch: 'refused' },
  },

  // "System message must be at the beginning": the chat template of Qwen, wherever it is served.
  { models: /qwen|qwq|qvq/, takes: { systemTurns: 'first' } },
  { providers: ['custom', ...templateServers], takes: { systemTurns: 'first' } },

  // https://openrouter.ai/docs/features/prompt-caching, https://help.aliyun.com/zh/model-studio/context-cache
  { formats: ['anthropic-messages', 'bedrock-converse'], takes: { cacheMarks: 'taken' } },
  { providers: ['openrouter', 'ali', 'one-api', 'vercel', 'aihubmix'], takes: { cacheMarks: 'taken' } },
  { providers: ['databricks'], models: /claude/, takes: { cacheMarks: 'taken' } },
  { providers: strictVendors, takes: { cacheMarks: 'refused', googleExtras: 'refused' } },

  // https://ai.google.dev/gemini-api/docs/thought-signatures, for gateways in front of it.
  { providers: ['custom', ...gateways], models: /gemini/, takes: { googleExtras: 'taken' } },

  // Hosts that do not ask for thoughts, and may answer 400 to a field that is not OpenAI's. OpenAI itself has none of these
  // models: behind a channel of its type they are somebody else's.
  {
    providers: strictVendors.filter((id) => id !== 'openai'),
    takes: { earlierThoughts: 'left-out' },
  },
  // Older models do not think with tools; the first one that thinks refuses thoughts that come back.
  {
    models: /distill|deepseek-(r1|v2|v3(?!\.[1-9])|coder|llm|vl|ocr|prover)/,
    takes: { earlierThoughts: 'left-out' },
  },
  // https://api-docs.deepseek.com/guides/thinking_mode#tool-calls
  // https://platform.moonshot.ai/docs/guide/use-kimi-k2-thinking-model
  // https://platform.xiaomimimo.com/docs/en-US/usage-guide/passing-back-reasoning_content
  {
    formats: ['openai-chat'],
    models: /deepseek|kimi-(k[2-9]|latest|thinking)|mimo/,
    takes: { earlierThoughts: 'required' },
  },
  {
    providers: ['deepseek', 'mimo', 'anthropic-compatible'],
    formats: ['anthropic-messages'],
    models: /deepseek|mimo/,
    takes: { earlierThoughts: 'required' },
  },

  // https://platform.openai.com/docs/guides/function-calling, https://platform.openai.com/docs/guides/structured-outputs
  { providers: openaiHosts, takes: { rootUnions: false, strictSchemas: 'closed' } },
  // https://console.groq.com/docs/structured-outputs, https://inference-docs.cerebras.ai/capabilities/structured-outputs
  { providers: ['groq', 'cerebras'], takes: { rootUnions: false, strictSchemas: 'closed' } },
  // "input_schema does not support oneOf, allOf, or anyOf at the top level"
  { formats: ['anthropic-messages'], takes: { rootUnions: false } },
  // "schema should be of type OBJECT"
  { formats: ['gemini'], takes: { rootUnions: false } },
  // https://docs.aws.amazon.com/nova/latest/userguide/tool-use-definition.html: these three fields alone.
  {
    formats: ['bedrock-converse'],
    models: /amazon\.nova/,
    takes: { rootUnions: false, rootKeywords: ['type', 'properties', 'required'] },
  },
  { formats: ['bedrock-converse', 'cohere-chat', 'hunyuan-chat'], takes: { rootUnions: false } },
  // https://docs.cohere.com/docs/structured-outputs; "moonshot flavored json schema" has one type for each value.
  { providers: ['cohere', 'moonshot', 'tencent-hunyuan'], takes: { typeLists: false } },
  { providers: ['moonshot', 'mistral', 'xai'], takes: { rootUnions: false } },
];
