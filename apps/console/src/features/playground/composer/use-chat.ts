import type {
  AttachedFile,
  ConversationSettings,
  OutputKind,
  ToolCall,
} from '@switchyard/contract/playground/conversation';
import { playgroundPaths } from '@switchyard/contract/playground/playground';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef } from 'react';
import { type AnswerPart, addPart, answerPart } from '../answer/answer-chunk.ts';
import { useStoredTurns } from '../conversations/browser-tab-storage.ts';
import {
  type Answer,
  addToolResults,
  changeAnswer,
  isRunning,
  newAnswer,
  newTurn,
  retryAnswer,
  type Turn,
  turnsBefore,
} from '../conversations/conversation.ts';
import { type ChatRequest, chatRequest, imageRequest, speechRequest, transcriptRequest } from './build-requests.ts';
import { ChatError, callRelay, checkFailure, ownFailure } from './relay-call.ts';
import { requestImages, requestSpeech, requestTranscript } from './send-media-requests.ts';

export interface Prompt {
  text: string;
  images: string[];
  files: AttachedFile[];
}

export interface Chat {
  turns: Turn[];
  running: boolean;
  send: (prompt: Prompt) => void;
  /** Replaces an earlier question and removes the turns after it. */
  resend: (turnId: string, prompt: Prompt) => void;
  /** Repeats the request of one column. */
  retry: (turnId: string, column: number) => void;
  /** Adds tool results to one column, whose model then continues. */
  giveResults: (turnId: string, column: number, results: ReadonlyMap<ToolCall, string>) => void;
  /** Makes all columns continue from this response; undefined separates them again. */
  choose: (turnId: string, column: number | undefined) => void;
  /** @param answerId response to stop; all when undefined */
  stop: (answerId?: string) => void;
  replaceTurns: (turns: Turn[]) => void;
}

/**
 * Manages a conversation with up to three models side by side; unmounting stops the running responses.
 * @param wanted kind of output for the next question
 */
export function useChat(owner: string, settings: ConversationSettings, wanted: OutputKind): Chat {
  const [turns, setTurns] = useStoredTurns(owner);
  const { ask, stop } = useAsk(setTurns);
  const latest = useRef({ turns, settings, wanted });
  useEffect(() => {
    latest.current = { turns, settings, wanted };
  }, [turns, settings, wanted]);

  const askAll = useCallback(
    (before: readonly Turn[], prompt: Prompt, wanted: OutputKind) => {
      stop();
      const { settings } = latest.current;
      const answers = settings.models.map((model) => newAnswer(model));
      const turn = newTurn({ for: wanted, ...prompt }, answers);
      ask(settings, [...before, turn], [...answers.keys()]);
    },
    [ask, stop],
  );
  /** Removes the turns after one, changes that turn and sends one of its columns. */
  const askColumn = useCallback(
    (turnId: string, column: number, change: (turn: Turn, settings: ConversationSettings) => Turn) => {
      const { turns, settings } = latest.current;
      const turn = turns.find(({ id }) => id === turnId);
      if (turn === undefined) return;
      ask(settings, [...turnsBefore(turns, turnId), change(turn, settings)], [column]);
    },
    [ask],
  );
  return {
    turns,
    running: isRunning(turns),
    stop,
    send: useCallback((prompt) => askAll(latest.current.turns, prompt, latest.current.wanted), [askAll]),
    resend: useCallback(
      (turnId, prompt) => {
        const { turns } = latest.current;
        const asked = turns.find(({ id }) => id === turnId);
        if (asked !== undefined) askAll(turnsBefore(turns, turnId), prompt, asked.for);
      },
      [askAll],
    ),
    retry: useCallback(
      (turnId, column) => askColumn(turnId, column, (turn, { models }) => retryAnswer(turn, column, models[column])),
      [askColumn],
    ),
    giveResults: useCallback(
      (turnId, column, results) =>
        askColumn(turnId, column, (turn) => ({
          ...turn,
          answers: turn.answers.map((answer, index) => (index === column ? addToolResults(answer, results) : answer)),
        })),
      [askColumn],
    ),
    choose: useCallback(
      (turnId, column) =>
        setTurns((turns) =>
          turns.map((turn) => {
            if (turn.id !== turnId) return turn;
            const { chosen: _before, ...rest } = turn;
            return column === undefined ? rest : { ...rest, chosen: column };
          }),
        ),
      [setTurns],
    ),
    replaceTurns: useCallback(
      (next) => {
        stop();
        setTurns(next);
      },
      [stop, setTurns],
    ),
  };
}

type Change = (next: (answer: Answer) => Answer) => void;

/** Sends the last turn to the models of some columns and updates their responses as they arrive. */
function useAsk(setTurns: Dispatch<SetStateAction<Turn[]>>) {
  const controllers = useRef(new Map<string, AbortController>());
  const stop = useCallback((answerId?: string) => {
    for (const [id, controller] of controllers.current)
      if (answerId === undefined || id === answerId) controller.abort();
  }, []);
  useEffect(() => () => stop(), [stop]);
  const ask = useCallback(
    (settings: ConversationSettings, turns: Turn[], columns: readonly number[]) => {
      setTurns(turns);
      for (const column of columns) {
        const answer = turns.at(-1)?.answers[column];
        if (answer === undefined) continue;
        const controller = new AbortController();
        controllers.current.set(answer.id, controller);
        const change: Change = (next) => setTurns((current) => changeAnswer(current, answer.id, next));
        const call = { settings, model: answer.model, turns, column, signal: controller.signal };
        void runAnswer(call, change).finally(() => controllers.current.delete(answer.id));
      }
    },
    [setTurns],
  );
  return { ask, stop };
}

interface Call {
  settings: ConversationSettings;
  model: string;
  /** Turns of the conversation; the last one is sent. */
  turns: readonly Turn[];
  column: number;
  signal: AbortSignal;
}

/** Runs one request and records its end: done, failed or stopped. */
async function runAnswer(call: Call, change: Change): Promise<void> {
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  try {
    await receive(call, change, elapsed);
    const totalMs = elapsed();
    change((answer) => ({ ...answer, state: 'done', totalMs }));
  } catch (error) {
    const totalMs = elapsed();
    change((answer) =>
      error instanceof ChatError
        ? { ...answer, state: 'failed', failure: { code: error.code, message: error.message }, totalMs }
        : { ...answer, state: 'stopped', totalMs },
    );
  }
}

async function receive(
  { settings, model, turns, column, signal }: Call,
  change: Change,
  elapsed: () => number,
): Promise<void> {
  const turn = turns.at(-1);
  const text = turn?.text ?? '';
  const onRequestId = (requestId: string) => change((answer) => ({ ...answer, requestId }));
  switch (turn?.for) {
    case 'pictures': {
      const request = imageRequest(settings, model, text);
      const pictures = await requestImages({ request, signal, onRequestId });
      return change((answer) => ({ ...answer, pictures }));
    }
    case 'speech': {
      const request = speechRequest(settings, model, text);
      const sound = await requestSpeech({ request, signal, onRequestId });
      return change((answer) => ({ ...answer, sound }));
    }
    case 'transcript': {
      const request = transcriptRequest(settings, model, text);
      const said = await requestTranscript({ recording: turn.files[0], request, signal, onRequestId });
      return change((answer) => ({ ...answer, text: said }));
    }
    case 'text':
    case undefined:
  }
  await requestReply({
    request: chatRequest(settings, model, turns, column),
    signal,
    onRequestId,
    onPart: (part) => {
      const firstMs = elapsed();
      change((answer) => {
        const next = addPart(answer, part);
        const begun = next.text !== '' || next.reasoning !== '' || next.toolCalls.length > 0;
        return begun ? { ...next, firstMs: answer.firstMs ?? firstMs } : next;
      });
    },
  });
}

const SILENCE_MS = 120_000;

interface Ask {
  request: ChatRequest;
  /** Signal by which the user stops the call. */
  signal: AbortSignal;
  onRequestId: (requestId: string) => void;
  onPart: (part: AnswerPart) => void;
}

/**
 * Sends a chat request as the signed-in user and reports the response in parts.
 * @throws ChatError after a failure, DOMException `AbortError` when the user stopped it
 */
export async function requestReply({ onPart, ...ask }: Ask): Promise<void> {
  const call = { path: playgroundPaths.text, silenceMs: SILENCE_MS, ...ask };
  await callRelay(call, async (response, onHeard) => {
    const events = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false;
    if (response.ok && events && response.body !== null) await readEvents(response.body, onHeard, onPart);
    else onPart(wholeAnswer(response.ok, await response.text()));
  });
}

function wholeAnswer(ok: boolean, text: string): AnswerPart {
  checkFailure(text);
  const part = ok ? answerPart(text) : undefined;
  if (part === undefined) throw ownFailure(ok ? 'not_understood' : 'unreachable');
  return part;
}

async function readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onHeard: () => void,
  onPart: (part: AnswerPart) => void,
): Promise<void> {
  // Counts bytes instead of events, because a comment also shows that the stream is alive.
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, controller) {
      onHeard();
      controller.enqueue(bytes);
    },
  });
  const reader = body
    .pipeThrough(heard)
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  let finished = false;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const { data } = next.value;
    if (data === '[DONE]') return;
    checkFailure(data);
    const part = answerPart(data);
    if (part === undefined) continue;
    finished ||= part.finished;
    onPart(part);
  }
  if (!finished) throw ownFailure('cut_off');
}
