import { z } from 'zod';

/** A tool the model wants called; `arguments` is JSON text, incomplete while it streams. */
const toolCall = z.object({ place: z.number(), name: z.string(), arguments: z.string() });
export type ToolCall = z.output<typeof toolCall>;

const failure = z.object({ code: z.string(), message: z.string() });
export type Failure = z.output<typeof failure>;

const answer = z.object({
  id: z.string(),
  model: z.string(),
  state: z.enum(['running', 'done', 'stopped', 'failed']),
  text: z.string(),
  reasoning: z.string(),
  toolCalls: z.array(toolCall),
  failure: failure.optional(),
  /** Names the call in the log. */
  requestId: z.string().optional(),
  /** Milliseconds from sending to the first and to the last piece, as the browser saw them. */
  firstMs: z.number().optional(),
  totalMs: z.number().optional(),
});
export type Answer = z.output<typeof answer>;

const turn = z.object({
  id: z.string(),
  text: z.string(),
  /** data: addresses. */
  images: z.array(z.string()),
  /** One for each column that was asked. */
  answers: z.array(answer),
});
export type Turn = z.output<typeof turn>;

export const storedTurns = z.array(turn);

type Content =
  | string
  | ({ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } })[];
export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: Content;
}

export function newId(): string {
  return `${Date.now().toString(36)}${Math.random().toString(36).slice(2, 8)}`;
}

export function newAnswer(model: string): Answer {
  return { id: newId(), model, state: 'running', text: '', reasoning: '', toolCalls: [] };
}

export function isRunning(turns: readonly Turn[]): boolean {
  return turns.at(-1)?.answers.some(({ state }) => state === 'running') ?? false;
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

/** For a conversation that nobody reads on: what ran has stopped. */
export function stopRunning(turns: readonly Turn[]): Turn[] {
  return turns.map((turn) => ({
    ...turn,
    answers: turn.answers.map((answer) =>
      answer.state === 'running' ? { ...answer, state: 'stopped' } : answer,
    ),
  }));
}

/** What was said before a turn. */
export function turnsBefore(turns: readonly Turn[], turnId: string): Turn[] {
  const at = turns.findIndex(({ id }) => id === turnId);
  return at === -1 ? [...turns] : turns.slice(0, at);
}

/** The conversation as one column's model sees it: a turn it did not answer itself is answered by the first column. */
export function messagesOf(turns: readonly Turn[], column: number): Message[] {
  return turns.flatMap((turn, index): Message[] => {
    const asked: Message = { role: 'user', content: contentOf(turn) };
    const said = (turn.answers[column] ?? turn.answers[0])?.text ?? '';
    const open = index === turns.length - 1;
    return open || said === '' ? [asked] : [asked, { role: 'assistant', content: said }];
  });
}

function contentOf({ text, images }: Turn): Content {
  if (images.length === 0) return text;
  const pictures = images.map((url) => ({ type: 'image_url' as const, image_url: { url } }));
  return text === '' ? pictures : [{ type: 'text' as const, text }, ...pictures];
}
