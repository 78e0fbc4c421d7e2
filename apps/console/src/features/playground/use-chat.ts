import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef } from 'react';
import { addPart } from './answer-part.ts';
import { askModel, ChatError } from './ask-model.ts';
import { type ChatSettings, chatRequest } from './chat-request.ts';
import {
  type Answer,
  changeAnswer,
  isRunning,
  newAnswer,
  newId,
  stopRunning,
  type Turn,
  turnsBefore,
} from './conversation.ts';
import { useStoredTurns } from './use-stored-turns.ts';

export interface Prompt {
  text: string;
  images: string[];
}

export interface Chat {
  turns: Turn[];
  running: boolean;
  send: (prompt: Prompt) => void;
  /** Asks an earlier question again in other words; what followed it goes. */
  resend: (turnId: string, prompt: Prompt) => void;
  /** Asks one column once more. */
  retry: (turnId: string, column: number) => void;
  stop: () => void;
  replaceTurns: (turns: Turn[]) => void;
}

/** A conversation with up to three models side by side. Everything running ends with the page. */
export function useChat(owner: string, settings: ChatSettings): Chat {
  const [turns, setTurns] = useStoredTurns(owner);
  const { ask, stop } = useAsk(setTurns);
  const latest = useRef({ turns, settings });
  useEffect(() => {
    latest.current = { turns, settings };
  }, [turns, settings]);

  const askAll = useCallback(
    (before: readonly Turn[], prompt: Prompt) => {
      stop();
      const { settings } = latest.current;
      const answers = settings.models.map(newAnswer);
      ask(settings, [...before, { id: newId(), ...prompt, answers }], [...answers.keys()]);
    },
    [ask, stop],
  );
  const retry = useCallback(
    (turnId: string, column: number) => {
      const { turns, settings } = latest.current;
      const turn = turns.find(({ id }) => id === turnId);
      if (turn === undefined) return;
      const answers = turn.answers.map((answer, index) =>
        index === column ? newAnswer(settings.models[column] ?? answer.model) : answer,
      );
      ask(settings, [...turnsBefore(turns, turnId), { ...turn, answers }], [column]);
    },
    [ask],
  );
  return {
    turns,
    running: isRunning(turns),
    stop,
    retry,
    send: useCallback((prompt) => askAll(latest.current.turns, prompt), [askAll]),
    resend: useCallback(
      (turnId, prompt) => askAll(turnsBefore(latest.current.turns, turnId), prompt),
      [askAll],
    ),
    replaceTurns: useCallback(
      (next) => {
        stop();
        setTurns(stopRunning(next));
      },
      [stop, setTurns],
    ),
  };
}

/** Sends the last turn to the models of some columns; their answers grow in the conversation. */
function useAsk(setTurns: Dispatch<SetStateAction<Turn[]>>) {
  const controllers = useRef(new Set<AbortController>());
  const stop = useCallback(() => {
    for (const controller of controllers.current) controller.abort();
  }, []);
  useEffect(() => stop, [stop]);
  const ask = useCallback(
    (settings: ChatSettings, conversation: Turn[], columns: readonly number[]) => {
      setTurns(conversation);
      for (const column of columns) {
        const answer = conversation.at(-1)?.answers[column];
        if (answer === undefined) continue;
        const request = chatRequest(settings, answer.model, conversation, column);
        const controller = new AbortController();
        controllers.current.add(controller);
        void runAnswer(request, controller.signal, (change) =>
          setTurns((current) => changeAnswer(current, answer.id, change)),
        ).finally(() => controllers.current.delete(controller));
      }
    },
    [setTurns],
  );
  return { ask, stop };
}

/** One answer from the first byte to its end, whatever the end is. */
async function runAnswer(
  request: ReturnType<typeof chatRequest>,
  signal: AbortSignal,
  change: (next: (answer: Answer) => Answer) => void,
): Promise<void> {
  const start = performance.now();
  const elapsed = () => Math.round(performance.now() - start);
  try {
    await askModel({
      request,
      signal,
      onRequestId: (requestId) => change((answer) => ({ ...answer, requestId })),
      onPart: (part) => {
        const firstMs = elapsed();
        change((answer) => {
          const next = addPart(answer, part);
          const begun = next.text !== '' || next.reasoning !== '' || next.toolCalls.length > 0;
          return begun ? { ...next, firstMs: answer.firstMs ?? firstMs } : next;
        });
      },
    });
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
