import type {
  AttachedFile,
  ConversationSettings,
  ModelOutput,
  OutputKind,
  Tool,
  ToolCall,
} from '@switchyard/contract/playground/conversation';
import type { Turn } from '../conversations/conversation.ts';
import { partsOf, textIn } from './attachments.ts';

export const initialSettings: ConversationSettings = {
  models: [''],
  system: '',
  stop: [],
  json: false,
  stream: true,
  tools: [],
  toolChoice: 'auto',
};

/** Parts of a message: https://platform.openai.com/docs/api-reference/chat/create */
export type ContentPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } };
type Content = string | ContentPart[];
interface CalledTool {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}
export type Message =
  | { role: 'system'; content: string }
  | { role: 'user'; content: Content }
  | { role: 'assistant'; content: string | null; tool_calls?: CalledTool[] }
  | { role: 'tool'; tool_call_id: string; content: string };

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

/**
 * Returns the conversation for one column's model. A turn without a response in this column uses the chosen
 * one or the first. Turns for images, speech and transcripts are left out.
 */
export function buildMessages(turns: readonly Turn[], column: number): Message[] {
  const spoken = turns.filter((turn) => turn.for === 'text');
  return spoken.flatMap((turn, index): Message[] => {
    const open = index === spoken.length - 1;
    const answer = turn.answers[open ? column : (turn.chosen ?? column)] ?? turn.answers[0];
    const asked: Message = { role: 'user', content: contentOf(turn) };
    const rounds = (answer?.rounds ?? []).flatMap(roundMessages);
    const said = open ? '' : (answer?.text ?? '');
    return [asked, ...rounds, ...(said === '' ? [] : [{ role: 'assistant' as const, content: said }])];
  });
}

function roundMessages({ text, toolCalls }: ModelOutput): Message[] {
  const called = toolCalls.map(
    (call): CalledTool => ({
      id: callId(call),
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    }),
  );
  return [
    { role: 'assistant', content: text === '' ? null : text, tool_calls: called },
    ...toolCalls.map((call): Message => ({ role: 'tool', tool_call_id: callId(call), content: call.result ?? '' })),
  ];
}

/** Returns the call's id, or a generated one for providers that send none. */
const callId = ({ id, place }: ToolCall): string => (id === '' ? `call_${place}` : id);

function contentOf({ text, images, files }: Turn): Content {
  const pictures = images.map((url): ContentPart => ({ type: 'image_url', image_url: { url } }));
  const attached = [...pictures, ...files.flatMap(filePart)];
  if (attached.length === 0) return text;
  return text === '' ? attached : [{ type: 'text', text }, ...attached];
}

/** Returns the file as a content part; nothing if its data was not stored. */
function filePart({ name, data }: AttachedFile): ContentPart[] {
  if (data === undefined) return [];
  const { type, base64 } = partsOf(data);
  switch (type) {
    case 'text/plain':
      return [{ type: 'text', text: `${name}\n\n${textIn(base64) ?? ''}` }];
    case 'application/pdf':
      return [{ type: 'file', file: { filename: name, file_data: data } }];
    default: {
      const format = type === 'audio/wav' ? 'wav' : 'mp3';
      return [{ type: 'input_audio', input_audio: { data: base64, format } }];
    }
  }
}
