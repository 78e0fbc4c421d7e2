import type { ConversationSettings, OutputKind, Tool } from '@switchyard/contract/playground/conversation';
import { buildMessages, type Message, type Turn } from '../conversations/conversation.ts';

export const initialSettings: ConversationSettings = {
  models: [''],
  system: '',
  stop: [],
  json: false,
  stream: true,
  tools: [],
  toolChoice: 'auto',
};

interface CalledFunction {
  type: 'function';
  function: Tool;
}

/** OpenAI chat request. */
export interface ChatRequest {
  model: string;
  messages: Message[];
  stream?: true;
  temperature?: number;
  top_p?: number;
  max_tokens?: number;
  stop?: string[];
  response_format?: { type: 'json_object' };
  tools?: CalledFunction[];
  tool_choice?: 'none' | 'required' | { type: 'function'; function: { name: string } };
}

/** OpenAI requests for images, speech and transcripts. */
export interface ImageRequest {
  model: string;
  prompt: string;
  n?: number;
  size?: string;
  quality?: string;
  response_format?: 'b64_json';
}
export interface SpeechRequest {
  model: string;
  input: string;
  voice: string;
  response_format?: string;
  speed?: number;
}
export interface TranscriptRequest {
  model: string;
  language?: string;
  prompt?: string;
}

/** Returns the request of one column for the last turn, without the settings that are not set. */
export function chatRequest(
  settings: ConversationSettings,
  model: string,
  turns: readonly Turn[],
  column: number,
): ChatRequest {
  const { system, temperature, topP, maxTokens, stop, json, stream, tools } = settings;
  const said = buildMessages(turns, column);
  const messages: Message[] = system.trim() === '' ? said : [{ role: 'system', content: system }, ...said];
  const choice = toolChoiceOf(settings);
  return {
    model,
    messages,
    ...(stream ? { stream } : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(topP === undefined ? {} : { top_p: topP }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(stop.length === 0 ? {} : { stop }),
    ...(json ? { response_format: { type: 'json_object' } } : {}),
    ...(tools.length === 0 ? {} : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
    ...(choice === undefined ? {} : { tool_choice: choice }),
  };
}

/** Returns undefined for `auto`, so that the model decides. */
function toolChoiceOf({ tools, toolChoice }: ConversationSettings): ChatRequest['tool_choice'] {
  if (tools.length === 0 || toolChoice === 'auto') return undefined;
  if (typeof toolChoice === 'string') return toolChoice;
  const { name } = toolChoice;
  return tools.some((tool) => tool.name === name) ? { type: 'function', function: { name } } : undefined;
}

export function imageRequest(settings: ConversationSettings, model: string, text: string): ImageRequest {
  const { pictureSize, pictureQuality, pictureCount } = settings;
  return {
    model,
    prompt: text,
    ...(pictureCount === undefined ? {} : { n: pictureCount }),
    ...(pictureSize === undefined ? {} : { size: pictureSize }),
    ...(pictureQuality === undefined ? {} : { quality: pictureQuality }),
    // Only these models return a URL by default: https://platform.openai.com/docs/api-reference/images/create
    ...(model.startsWith('dall-e') ? { response_format: 'b64_json' } : {}),
  };
}

/** Default voice: https://platform.openai.com/docs/guides/text-to-speech */
const USUAL_VOICE = 'alloy';

export function speechRequest(settings: ConversationSettings, model: string, text: string): SpeechRequest {
  const { voice = USUAL_VOICE, soundFormat, speed } = settings;
  return {
    model,
    input: text,
    voice,
    ...(soundFormat === undefined ? {} : { response_format: soundFormat }),
    ...(speed === undefined ? {} : { speed }),
  };
}

/**
 * Returns a transcription request; the words in the prompt help the model to spell them:
 * https://platform.openai.com/docs/guides/speech-to-text
 */
export function transcriptRequest({ language }: ConversationSettings, model: string, words: string): TranscriptRequest {
  return { model, ...(language === undefined ? {} : { language }), ...(words === '' ? {} : { prompt: words }) };
}

export function changedSettings(settings: ConversationSettings, wanted: OutputKind): number {
  const { system, temperature, topP, maxTokens, stop, json, stream, tools } = settings;
  const { pictureSize, pictureQuality, pictureCount, voice, soundFormat, speed, language } = settings;
  const changes: Record<OutputKind, boolean[]> = {
    text: [
      system.trim() !== '',
      temperature !== undefined,
      topP !== undefined,
      maxTokens !== undefined,
      stop.length > 0,
      json,
      !stream,
      tools.length > 0,
    ],
    pictures: [pictureSize, pictureQuality, pictureCount].map((value) => value !== undefined),
    speech: [voice, soundFormat, speed].map((value) => value !== undefined),
    transcript: [language !== undefined],
  };
  return changes[wanted].filter(Boolean).length;
}
