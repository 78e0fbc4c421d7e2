import {
  type AttachedFile,
  type ModelOutput,
  type StoredAnswer,
  type StoredTurn,
  TITLE_MAX,
  type ToolCall,
} from '@switchyard/contract/playground/conversation';
import { partsOf, textIn } from '../composer/attachments.ts';

/** Response whose images and sound are not stored. */
export interface Answer extends StoredAnswer {
  /** Data URLs of images, and URLs of images at the provider. */
  pictures?: string[];
  /** Data URL. */
  sound?: string;
}

export interface Turn extends Omit<StoredTurn, 'answers'> {
  answers: Answer[];
}

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

function newId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
}

/** @param rounds earlier rounds of the same response */
export function newAnswer(model: string, rounds: ModelOutput[] = []): Answer {
  return { id: newId(), model, state: 'running', text: '', reasoning: '', toolCalls: [], rounds };
}

type Asked = Pick<Turn, 'for' | 'text' | 'images' | 'files'>;

export function newTurn(asked: Asked, answers: Answer[]): Turn {
  return { id: newId(), ...asked, answers };
}

export function isRunning(turns: readonly Turn[]): boolean {
  return turns.at(-1)?.answers.some(({ state }) => state === 'running') ?? false;
}

export function isAnswered(turns: readonly Turn[]): boolean {
  return turns.some(({ answers }) => answers.some(({ state }) => state === 'done'));
}

/** Changes a response, if it still exists. */
export function changeAnswer(turns: readonly Turn[], answerId: string, change: (answer: Answer) => Answer): Turn[] {
  return turns.map((turn) =>
    turn.answers.some(({ id }) => id === answerId)
      ? { ...turn, answers: turn.answers.map((answer) => (answer.id === answerId ? change(answer) : answer)) }
      : turn,
  );
}

export function turnsBefore(turns: readonly Turn[], turnId: string): Turn[] {
  const at = turns.findIndex(({ id }) => id === turnId);
  return at === -1 ? [...turns] : turns.slice(0, at);
}

/** Turns the response with its tool results into a round and starts a new one. */
export function addToolResults(answer: Answer, results: ReadonlyMap<ToolCall, string>): Answer {
  const { text, reasoning, toolCalls, requestId, firstMs, totalMs } = answer;
  const calls = toolCalls.map((call) => ({ ...call, result: results.get(call) ?? '' }));
  const round = { text, reasoning, toolCalls: calls, requestId, firstMs, totalMs };
  return newAnswer(answer.model, [...answer.rounds, round]);
}

/** Returns the turn for a retry of one column; a failed response keeps its earlier rounds. */
export function retryAnswer(turn: Turn, column: number, model: string | undefined): Turn {
  const answers = turn.answers.map((answer, index) => {
    if (index !== column) return answer;
    return newAnswer(model ?? answer.model, answer.state === 'failed' ? answer.rounds : []);
  });
  const { chosen, ...rest } = turn;
  return { ...rest, answers, ...(chosen === undefined || chosen === column ? {} : { chosen }) };
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

/** Returns the turns with running responses marked as stopped. */
export function stopRunning(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) => (answer.state === 'running' ? { ...answer, state: 'stopped' } : answer)),
  }));
}

/** Returns the turns for storage, without generated files and recordings; running responses are stopped. */
export function toStoredTurns(turns: readonly Turn[]): StoredTurn[] {
  return stopRunning(turns).map((turn) => ({
    ...turn,
    files: turn.files.map((file) => (isSound(file) ? { name: file.name } : file)),
    answers: turn.answers.map(({ pictures = [], sound, ...answer }): StoredAnswer => {
      const made = pictures.length + (sound === undefined ? 0 : 1);
      const files = made === 0 ? answer.files : made;
      return { ...answer, ...(files === undefined ? {} : { files }) };
    }),
  }));
}

const isSound = ({ data }: AttachedFile): boolean => /^data:(?:audio|video)\//.test(data ?? '');

/** Returns the first words of the first question; empty for one without text. */
export function deriveTitle(turns: readonly Turn[]): string {
  const words = (turns.find(({ text }) => text.trim() !== '')?.text ?? '').replace(/[\s\p{Cc}]+/gu, ' ').trim();
  if (words.length <= TITLE_LENGTH) return words;
  const cut = words.slice(0, TITLE_LENGTH);
  const blank = cut.lastIndexOf(' ');
  return `${cut.slice(0, blank > TITLE_LENGTH / 2 ? blank : TITLE_LENGTH)}…`;
}
const TITLE_LENGTH = 60;

/** Returns the next title in the sequence `Title`, `Title (2)`, `Title (3)`. */
export function nextTitle(title: string): string {
  const [, stem = title, number = '1'] = /^(.*) \((\d{1,3})\)$/.exec(title) ?? [];
  const suffix = ` (${Number(number) + 1})`;
  return `${stem.slice(0, TITLE_MAX - suffix.length)}${suffix}`;
}
