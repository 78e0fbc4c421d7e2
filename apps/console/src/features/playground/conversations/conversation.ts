import {
  type AttachedFile,
  type ModelOutput,
  type StoredAnswer,
  type StoredTurn,
  TITLE_MAX,
  type ToolCall,
} from '@switchyard/contract/playground/conversation';
import { partsOf, textIn } from '../composer/attachments.ts';

/** Pictures and sound last until the page is left. */
export interface Answer extends StoredAnswer {
  /** data: addresses of pictures, and addresses at the vendor, where it keeps them. */
  pictures?: string[];
  /** A data: address. */
  sound?: string;
}

export interface Turn extends Omit<StoredTurn, 'answers'> {
  answers: Answer[];
}

/** https://platform.openai.com/docs/api-reference/chat/create */
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

/** @param rounds what was said before in the same answer */
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

/** Returns whether any model has responded. */
export function isAnswered(turns: readonly Turn[]): boolean {
  return turns.some(({ answers }) => answers.some(({ state }) => state === 'done'));
}

/** Answers that were taken away meanwhile are not missed. */
export function changeAnswer(
  turns: readonly Turn[],
  answerId: string,
  change: (answer: Answer) => Answer,
): Turn[] {
  return turns.map((turn) =>
    turn.answers.some(({ id }) => id === answerId)
      ? { ...turn, answers: turn.answers.map((answer) => (answer.id === answerId ? change(answer) : answer)) }
      : turn,
  );
}

/** Returns the turns before the given one. */
export function turnsBefore(turns: readonly Turn[], turnId: string): Turn[] {
  const at = turns.findIndex(({ id }) => id === turnId);
  return at === -1 ? [...turns] : turns.slice(0, at);
}

/** The results that were given become part of the answer, which goes on in a new round. */
export function addToolResults(answer: Answer, results: ReadonlyMap<ToolCall, string>): Answer {
  const { text, reasoning, toolCalls, requestId, firstMs, totalMs } = answer;
  const calls = toolCalls.map((call) => ({ ...call, result: results.get(call) ?? '' }));
  const round = { text, reasoning, toolCalls: calls, requestId, firstMs, totalMs };
  return newAnswer(answer.model, [...answer.rounds, round]);
}

/** The turn for which one column is asked once more; what failed goes on from the results that were given. */
export function retryAnswer(turn: Turn, column: number, model: string | undefined): Turn {
  const answers = turn.answers.map((answer, index) => {
    if (index !== column) return answer;
    return newAnswer(model ?? answer.model, answer.state === 'failed' ? answer.rounds : []);
  });
  const { chosen, ...rest } = turn;
  return { ...rest, answers, ...(chosen === undefined || chosen === column ? {} : { chosen }) };
}

/**
 * The conversation as one column's model sees it: a turn it did not answer itself is answered by the chosen column, or by
 * the first. Pictures, speech and transcripts are no part of it.
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
    ...toolCalls.map(
      (call): Message => ({ role: 'tool', tool_call_id: callId(call), content: call.result ?? '' }),
    ),
  ];
}

/** Some vendors give their calls no id. */
const callId = ({ id, place }: ToolCall): string => (id === '' ? `call_${place}` : id);

function contentOf({ text, images, files }: Turn): Content {
  const pictures = images.map((url): ContentPart => ({ type: 'image_url', image_url: { url } }));
  const attached = [...pictures, ...files.flatMap(filePart)];
  if (attached.length === 0) return text;
  return text === '' ? attached : [{ type: 'text', text }, ...attached];
}

/** None for what was not kept. */
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

/** Returns the turns with running responses marked as stopped, for a conversation that is no longer followed. */
export function stopRunning(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) =>
      answer.state === 'running' ? { ...answer, state: 'stopped' } : answer,
    ),
  }));
}

/** Without what lasts only until the page is left; what ran has stopped. */
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

/** The first words of the first question; empty for one without words. */
export function deriveTitle(turns: readonly Turn[]): string {
  const words = (turns.find(({ text }) => text.trim() !== '')?.text ?? '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
  if (words.length <= TITLE_LENGTH) return words;
  const cut = words.slice(0, TITLE_LENGTH);
  const blank = cut.lastIndexOf(' ');
  return `${cut.slice(0, blank > TITLE_LENGTH / 2 ? blank : TITLE_LENGTH)}…`;
}
const TITLE_LENGTH = 60;

/** `Title`, `Title (2)`, `Title (3)`. */
export function nextTitle(title: string): string {
  const [, stem = title, number = '1'] = /^(.*) \((\d{1,3})\)$/.exec(title) ?? [];
  const suffix = ` (${Number(number) + 1})`;
  return `${stem.slice(0, TITLE_MAX - suffix.length)}${suffix}`;
}
