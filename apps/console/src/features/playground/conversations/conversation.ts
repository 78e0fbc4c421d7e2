import {
  type AttachedFile,
  type ModelOutput,
  type StoredAnswer,
  type StoredTurn,
  TITLE_MAX,
  type ToolCall,
} from '@switchyard/contract/playground/conversation';

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
