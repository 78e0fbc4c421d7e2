import { describe, expect, it } from 'vitest';
import { startCpuTimer } from '../testing/cpu-timer.ts';
import { findContextOverflow } from './context-overflow.ts';

const [tokens, limit] = [141_592, 131_072];

describe('findContextOverflow', () => {
  it.each([
    ['Anthropic', 'prompt is too long: 141592 tokens > 131072 maximum', tokens, limit],
    [
      'Anthropic, with the output',
      'input length and `max_tokens` exceed context limit: 121592 + 20000 > 131072, decrease input length or `max_tokens` and try again',
      tokens,
      limit,
    ],
    ['Gemini', 'The input token count (141592) exceeds the maximum number of tokens allowed (131072).', tokens, limit],
    [
      'Gemini, without its size',
      'The input token count exceeds the maximum number of tokens allowed 131072.',
      undefined,
      limit,
    ],
    [
      'OpenAI',
      "This model's maximum context length is 131072 tokens. However, your messages resulted in 141592 tokens. Please reduce the length of the messages.",
      tokens,
      limit,
    ],
    [
      'OpenAI’s Responses',
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      undefined,
      undefined,
    ],
    [
      'OpenAI’s limit of an account',
      'Input tokens exceed the configured limit of 131072 tokens. Your messages resulted in 141592 tokens. Please reduce the length of the messages.',
      tokens,
      limit,
    ],
    [
      'DeepSeek',
      "This model's maximum context length is 131072 tokens. However, you requested 141592 tokens (133592 in the messages, 8000 in the completion).",
      tokens,
      limit,
    ],
    [
      'vLLM',
      "This model's maximum context length is 131072 tokens. However, your request has 141592 input tokens.",
      tokens,
      limit,
    ],
    [
      'vLLM, with the output',
      "You passed 140592 input tokens and requested 1000 output tokens. However, the model's context length is only 131072 tokens.",
      tokens,
      limit,
    ],
    [
      'SGLang',
      "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 141592 tokens: 140000 tokens from the input.",
      tokens,
      limit,
    ],
    ['Mistral', 'Prompt contains 141592 tokens, too large for model with 131072 maximum context length', tokens, limit],
    ['Groq', 'Please reduce the length of the messages or completion.', undefined, undefined],
    ['xAI', "This model's maximum prompt length is 131072 but the request contains 141592 tokens.", tokens, limit],
    [
      'OpenRouter',
      "This endpoint's maximum context length is 131072 tokens. However, you requested about 141592 tokens (121592 of text input, 20000 in the output).",
      tokens,
      limit,
    ],
    ['Together', "The input (141592 tokens) is longer than the model's context length (131072 tokens).", tokens, limit],
    ['Moonshot', 'Your request exceeded model token limit: 131072 (requested: 141592)', tokens, limit],
    ['Alibaba', 'InternalError.Algo.InvalidParameter: Range of input length should be [1, 131072]', undefined, limit],
    ['Bedrock', 'Input is too long for requested model.', undefined, undefined],
    [
      'Bedrock, of a model',
      'Too many input tokens. Max input tokens: 131072, request input token count: 141592',
      tokens,
      limit,
    ],
    [
      'Cohere',
      'too many tokens: the total number of tokens in the prompt exceeds the limit of 131072 tokens.',
      undefined,
      limit,
    ],
    [
      'llama.cpp',
      'request (141592 tokens) exceeds the available context size (131072 tokens), try increasing it',
      tokens,
      limit,
    ],
    [
      'LM Studio',
      'Trying to keep the first 141592 tokens when context the overflows. However, the model is loaded with context length of only 131072 tokens',
      undefined,
      limit,
    ],
    ['Ollama', 'prompt too long; exceeded max context length by 10520 tokens', undefined, undefined],
    ['Ollama’s embeddings', 'the input length exceeds the context length', undefined, undefined],
    ['MiniMax', 'invalid params, context window exceeds limit (2013)', undefined, undefined],
    ['SiliconFlow', 'length of prompt_tokens (141592) must be less than max_seq_len (131072).', tokens, limit],
    ['Volcengine', 'Input length 141592 exceeds the maximum length 131072', tokens, limit],
    ['Volcengine, of pictures', 'Total tokens of image and text exceed max message tokens', undefined, undefined],
    ['Fireworks', 'The prompt is too long: 141592, model maximum context length: 131072', tokens, limit],
    [
      'Cloudflare',
      'The estimated number of input and maximum output tokens (141592) exceeded this model context window limit (131072).',
      tokens,
      limit,
    ],
    [
      'Hugging Face',
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 131072. Given: 141592 `inputs` tokens and 0 `max_new_tokens`',
      tokens,
      limit,
    ],
    ['Zhipu', 'Prompt 超长', undefined, undefined],
    ['a Chinese vendor', '输入内容超过模型最大上下文长度', undefined, undefined],
  ])('recognizes the message of %s', (_vendor, message, size, most) => {
    expect(findContextOverflow(message, [], {})).toEqual({ tokens: size, limit: most });
  });

  it.each(['context_length_exceeded', 'exceed_context_size_error', 'TOO_MANY_TOKENS', 'model_context_window_exceeded'])(
    'recognizes the code %s',
    (code) => {
      expect(findContextOverflow('No.', [code], {})).toEqual({ tokens: undefined, limit: undefined });
    },
  );

  it('reads the sizes that llama.cpp writes beside its message', () => {
    const error = { n_prompt_tokens: tokens, n_ctx: limit };
    expect(findContextOverflow('No.', ['exceed_context_size_error'], { error })).toEqual({ tokens, limit });
  });

  it.each([
    'Throttling error: Too many tokens, please wait before trying again.',
    'Request too large for gpt-5 on tokens per minute (TPM): Limit 30000, Requested 60000. The context window exceeds it.',
    'Rate limit reached: the input token count exceeds the limit of 10000 per minute',
    'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
    'Your prompt is too long: 1500 characters, at most 1000 characters are allowed.',
    'The image is too large.',
    'Invalid value for context: expected an object.',
    'model runner has unexpectedly stopped',
    'string too long. Expected a string with maximum length 64',
    '',
  ])('does not match "%s"', (message) => {
    expect(findContextOverflow(message, ['invalid_request_error'], {})).toBeUndefined();
  });

  it('reads an adversarial message without delay', () => {
    const readCpuMs = startCpuTimer();
    for (const piece of ['context ', 'exceeds ', 'prompt ', '输入', '1,', 'token limit '])
      findContextOverflow(piece.repeat(200_000), [], {});
    expect(readCpuMs()).toBeLessThan(500);
  });
});
