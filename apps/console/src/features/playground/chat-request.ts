import { z } from 'zod';
import { type Message, messagesOf, type Turn } from './conversation.ts';

export const MOST_COLUMNS = 3;

/** What the user set beside the conversation. Undefined is not sent, so that the model's own default holds. */
export const chatSettings = z.object({
  models: z.array(z.string()).min(1).max(MOST_COLUMNS),
  system: z.string(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxTokens: z.number().optional(),
  stop: z.array(z.string()),
  json: z.boolean(),
  stream: z.boolean(),
});
export type ChatSettings = z.output<typeof chatSettings>;

export const initialSettings: ChatSettings = {
  models: [''],
  system: '',
  stop: [],
  json: false,
  stream: true,
};

/** An OpenAI chat request. */
export interface ChatRequest {
  model: string;
  messages: Message[];
  stream?: true;
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  stop?: string[];
  response_format?: { type: 'json_object' };
}

/** The request for one column; the last turn is the one to answer. */
export function chatRequest(
  settings: ChatSettings,
  model: string,
  turns: readonly Turn[],
  column: number,
): ChatRequest {
  const { system, temperature, topP, maxTokens, stop, json, stream } = settings;
  const said = messagesOf(turns, column);
  const messages: Message[] = system.trim() === '' ? said : [{ role: 'system', content: system }, ...said];
  return {
    model,
    messages,
    ...(stream ? { stream } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(json ? { response_format: { type: 'json_object' } } : {}),
  };
}

/** How many settings differ from what is sent without them. */
export function changedSettings(settings: ChatSettings): number {
  const { system, temperature, topP, maxTokens, stop, json, stream } = settings;
  return [
    system.trim() !== '',
    temperature !== undefined,
    topP !== undefined,
    maxTokens !== undefined,
    stop.length > 0,
    json,
    !stream,
  ].filter(Boolean).length;
}
