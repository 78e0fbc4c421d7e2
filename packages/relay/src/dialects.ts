import type { Dialect } from './format.ts';
import { anthropicMessages } from './formats/anthropic-messages/anthropic-messages.ts';
import { gemini } from './formats/gemini/gemini.ts';
import { geminiEmbeddings } from './formats/gemini-embeddings.ts';
import { openaiChat } from './formats/openai-chat/openai-chat.ts';
import { openaiCompletions } from './formats/openai-completions.ts';
import { openaiEmbeddings } from './formats/openai-embeddings.ts';
import { openaiResponses } from './formats/openai-responses/openai-responses.ts';
import type { FormatId } from './provider.ts';

const dialects: Record<FormatId, Dialect> = {
  'openai-chat': openaiChat,
  'anthropic-messages': anthropicMessages,
  'openai-responses': openaiResponses,
  gemini,
  'openai-completions': openaiCompletions,
  'openai-embeddings': openaiEmbeddings,
  'gemini-embeddings': geminiEmbeddings,
};

export function dialectOf(format: FormatId): Dialect {
  return dialects[format];
}
