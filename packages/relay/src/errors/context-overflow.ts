/**
 * Detection of context overflows: every vendor words this failure differently, and agents recover from it by
 * shortening the conversation.
 */
import { numberOf, objectOf } from '../json/json.ts';

/** Size of a prompt that exceeds the context; absent numbers are not in the vendor's message. */
export interface ContextOverflow {
  /** Tokens of the request, including the reserved output if the vendor counts it. */
  tokens: number | undefined;
  /** Maximum tokens of the model's context. */
  limit: number | undefined;
}

/** Codes and types of an overflow, in lower case. */
const codes: ReadonlySet<string> = new Set([
  'context_length_exceeded',
  'context_window_exceeded',
  'model_context_window_exceeded',
  // llama.cpp
  'exceed_context_size_error',
  // Cohere
  'too_many_tokens',
]);

const exceeding = String.raw`(?:exceed\w*|(?:longer|greater|larger|more) than|too (?:long|large|many|big)|over(?:flow\w*)?|beyond|only|surpass\w*)`;
const context = String.raw`context(?:'s)? (?:length|window|size|limit)`;

/** Patterns of overflow messages, with the vendors that are known to use them. */
const messages: readonly RegExp[] = [
  // Anthropic, Bedrock, Fireworks, Ollama
  /\b(?:prompt|input|conversation|request)(?! took\b)(?: \w+)? (?:is |was )?too long\b/i,
  // Anthropic: https://docs.anthropic.com/en/docs/build-with-claude/context-windows
  /input length and `?max_tokens`? exceed context limit/i,
  // Bedrock
  /too many input tokens/i,
  // Google: https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/inference
  /token count\b.{0,40}\bexceeds the (?:maximum|limit)/i,
  // OpenAI, DeepSeek, vLLM, SGLang, OpenRouter, Mistral, xAI
  /\bmaximum (?:context|prompt|input|sequence) (?:length|window|size)\b/i,
  // OpenAI's Responses, Together, LM Studio, MiniMax, Cloudflare, and many others
  new RegExp(String.raw`\b${exceeding}\b.{0,60}\b${context}`, 'i'),
  new RegExp(String.raw`\b${context}\b.{0,60}\b${exceeding}\b`, 'i'),
  /\bcontext the overflows\b/i,
  // DwarfStar
  /\btokens?, but the configured context size is\b/i,
  // Alibaba: https://help.aliyun.com/zh/model-studio/error-code
  /range of input length should be/i,
  // Moonshot: https://platform.moonshot.ai/docs/api/errors
  /exceeded (?:the )?model(?:'s)? token limit/i,
  /\b(?:input|prompt|model)?\s?token limit (?:has been |was |is )?exceeded\b/i,
  // Groq, Cerebras
  /reduce the length of (?:the|your) (?:messages|prompt|input|conversation)/i,
  // Poolside, Volcengine
  /\binput length \(?\d[\d,]*\)? exceeds\b/i,
  /\bexceed\w* max(?:imum)? (?:message|input|prompt) tokens\b/i,
  // Cohere
  /^too many tokens:/i,
  // SiliconFlow
  /\bprompt_tokens\b.{0,30}\bmust be less than\b/i,
  // Hugging Face
  /`?inputs`? (?:tokens \+ `?max_new_tokens`? must be <=|must have less than)/i,
  // Baidu, Zhipu, Tencent, MiniMax
  /\bprompt tokens too long\b|\bprompt\s*超长/i,
  /(?:输入|上下文|提示词|对话|tokens?).{0,20}(?:超过|超出|超限|超长|过长).{0,20}(?:长度|上下文|限制|上限|最大|tokens?|$)/i,
];

/** Pattern of limits in characters, which exclude images and speech prompts from context overflows. */
const inCharacters = /\bcharacters?\b|字符/i;
/** Pattern of rate limits, which are worded similarly. */
const isThrottling = /\b(?:per|a) (?:minute|hour|day)\b|\brate.?limit|\btpm\b|please wait|throttl/i;

/** Number; "by 100" is a difference and excluded. */
const N = String.raw`(?<!\bby )\(?(\d[\d,]*)`;

/** Patterns of the limit in a message, the most precise first. */
const limits: readonly RegExp[] = [
  new RegExp(String.raw`> ${N}`, 'i'),
  new RegExp(String.raw`max(?:imum)? (?:allowed )?(?:input |prompt )?tokens(?: allowed)?(?: is| of|:)? ${N}`, 'i'),
  new RegExp(String.raw`number of tokens allowed[^\d]{0,6}${N}`, 'i'),
  new RegExp(String.raw`${N} maximum context`, 'i'),
  new RegExp(String.raw`maximum (?:allowed )?\w+ (?:length|window|size)[^\d]{0,30}${N}`, 'i'),
  new RegExp(String.raw`context (?:length|window|size|limit)(?! exceeds limit)[^\d]{0,30}${N}`, 'i'),
  new RegExp(String.raw`token limit[^\d]{0,6}${N}`, 'i'),
  new RegExp(String.raw`limit of ${N}`, 'i'),
  new RegExp(String.raw`input length should be \[1, ?${N}`, 'i'),
  new RegExp(String.raw`max_seq_len ${N}`, 'i'),
  new RegExp(String.raw`must (?:be <=|have less than) ${N}`, 'i'),
  new RegExp(String.raw`exceeds the maximum length[^\d]{0,6}${N}`, 'i'),
];

/** Patterns of the request's size in a message; two numbers are added. */
const sizes: readonly RegExp[] = [
  new RegExp(String.raw`${N} \+ (\d[\d,]*) >`, 'i'),
  new RegExp(String.raw`${N} tokens >`, 'i'),
  new RegExp(String.raw`requested (?:about |a total of )?${N} tokens`, 'i'),
  new RegExp(String.raw`passed ${N} input tokens and requested (\d[\d,]*)`, 'i'),
  new RegExp(String.raw`requested: ${N}`, 'i'),
  new RegExp(String.raw`token count(?: of|:)? ${N}`, 'i'),
  new RegExp(String.raw`resulted in ${N} tokens`, 'i'),
  new RegExp(String.raw`(?:contains?|has|with) (?:about |at least )?${N} (?:input |prompt )?tokens`, 'i'),
  new RegExp(String.raw`(?:input|request|prompt|tokens) ${N}(?: tokens)?\)`, 'i'),
  new RegExp(String.raw`input length ${N}`, 'i'),
  new RegExp(String.raw`prompt_tokens ${N}`, 'i'),
  new RegExp(String.raw`too long: ${N}`, 'i'),
  new RegExp(String.raw`given: ${N}`, 'i'),
];

/** Characters of a message that are searched; vendors' own texts are shorter. */
const SEARCHED_MAX = 2_000;

/**
 * Returns the overflow that a vendor's error reports.
 * @param words vendor's names of the error
 * @param json body, which contains llama.cpp's sizes
 */
export function findContextOverflow(
  message: string | undefined,
  words: readonly string[],
  json: unknown,
): ContextOverflow | undefined {
  const text = (message ?? '').slice(0, SEARCHED_MAX);
  if (!words.some((word) => codes.has(word.toLowerCase())) && !isOverflowMessage(text)) return undefined;
  const error = objectOf(objectOf(json)['error']);
  const limit = numberOf(error['n_ctx']) ?? findNumber(text, limits);
  const tokens = numberOf(error['n_prompt_tokens']) ?? findNumber(text, sizes);
  // A size below the limit is an unrelated number.
  const isSize = tokens !== undefined && (limit === undefined || tokens > limit);
  return { tokens: isSize ? tokens : undefined, limit };
}

function isOverflowMessage(text: string): boolean {
  if (inCharacters.test(text) || isThrottling.test(text)) return false;
  return messages.some((message) => message.test(text));
}

function findNumber(text: string, patterns: readonly RegExp[]): number | undefined {
  for (const pattern of patterns) {
    const [, ...found] = pattern.exec(text) ?? [];
    const numbers = found.map((digits) => Number(digits.replaceAll(',', '')));
    if (numbers.length > 0) return numbers.reduce((sum, number) => sum + number, 0);
  }
  return undefined;
}
