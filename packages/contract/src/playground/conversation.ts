/** Playground conversation in its stored, exported and imported form. */
import { z } from 'zod';
import { boundedRecord } from '../bounded-record.ts';

export const TITLE_MAX = 120;
/** Maximum models that answer side by side. */
export const COLUMNS_MAX = 3;
const text = z.string();
const id = z.string().max(64);
const name = z.string().max(256);
const milliseconds = z.number().min(0);

/** Images that cannot contain a script, unlike SVG. */
export const imageDataUrl = z.string().regex(/^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/]+={0,2}$/);

/** `arguments` is the model's JSON text; `result` is absent while the call is unanswered. */
const toolCall = z.object({ place: z.number(), id: z.string(), name: text, arguments: text, result: text.optional() });
export type ToolCall = z.output<typeof toolCall>;

/** Attached document or recording. */
const attachedFile = z.object({
  name: z.string().min(1).max(255),
  /** Absent for a stored recording. */
  data: z
    .string()
    .regex(/^data:(?:application\/pdf|text\/plain|audio\/[\w.+-]+|video\/(?:mp4|webm));base64,[A-Za-z0-9+/]*={0,2}$/)
    .optional(),
});
export type AttachedFile = z.output<typeof attachedFile>;

/** Response to one request. */
const said = z.object({
  text,
  reasoning: text,
  toolCalls: z.array(toolCall).max(128),
  /** Request id in the log. */
  requestId: id.optional(),
  /** Milliseconds from sending to the first and to the last chunk, as the browser measured them. */
  firstMs: milliseconds.optional(),
  totalMs: milliseconds.optional(),
});
export type ModelOutput = z.output<typeof said>;

const failure = z.object({ code: name, message: text });
export type Failure = z.output<typeof failure>;

const answer = said.extend({
  id,
  model: name,
  state: z.enum(['running', 'done', 'stopped', 'failed']),
  /** Earlier rounds, each ending with a request for tool results. */
  rounds: z.array(said).max(64),
  failure: failure.optional(),
  /** Number of images or audio files; the files themselves are not stored. */
  files: z.int().min(0).optional(),
});
export type StoredAnswer = z.output<typeof answer>;

/** Output type of a request. */
export const outputKind = z.enum(['text', 'pictures', 'speech', 'transcript']);
export type OutputKind = z.output<typeof outputKind>;

const turn = z.object({
  id,
  for: outputKind,
  text,
  images: z.array(imageDataUrl).max(16),
  files: z.array(attachedFile).max(16).default([]),
  /** One response per requested column. */
  answers: z.array(answer).min(1).max(COLUMNS_MAX),
  /** Column whose response all columns continue; absent: each continues its own. */
  chosen: z
    .int()
    .min(0)
    .max(COLUMNS_MAX - 1)
    .optional(),
});
export type StoredTurn = z.output<typeof turn>;

/** Vendors refuse other names: https://platform.openai.com/docs/guides/function-calling */
const toolName = z.string().regex(/^[\w-]{1,64}$/);

export const tool = z.strictObject({
  name: toolName,
  description: z.string().max(4_096).optional(),
  /** JSON Schema of the arguments. */
  parameters: boundedRecord(z.string(), z.unknown(), 1_000),
});
export type Tool = z.output<typeof tool>;

export const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  /** Forces this tool. */
  z.object({ name: toolName }),
]);
export type ToolChoice = z.output<typeof toolChoice>;

export const conversationSettings = z.object({
  models: z.array(name).min(1).max(COLUMNS_MAX),
  /** Absent: the output type of the first model. */
  for: outputKind.optional(),
  system: text,
  temperature: z.number().optional(),
  topP: z.number().optional(),
  maxTokens: z.number().optional(),
  stop: z.array(text).max(16),
  json: z.boolean(),
  stream: z.boolean(),
  tools: z.array(tool).max(128),
  toolChoice,
  pictureSize: name.optional(),
  pictureQuality: name.optional(),
  pictureCount: z.int().min(1).max(10).optional(),
  voice: name.optional(),
  soundFormat: name.optional(),
  speed: z.number().optional(),
  /** Language of a recording, by ISO 639-1. */
  language: name.optional(),
});
export type ConversationSettings = z.output<typeof conversationSettings>;

/** Conversation with the settings of its last question. */
export const conversationContent = z.object({ settings: conversationSettings, turns: z.array(turn).max(2_000) });
export type ConversationContent = z.output<typeof conversationContent>;
