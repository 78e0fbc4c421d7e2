import type {
  AskedFor,
  AttachedFile,
  ConversationSettings,
  ToolCall,
} from '@switchyard/contract/playground/conversation';
import { useCallback, useEffect, useRef } from 'react';
import {
  askedAgain,
  isRunning,
  newAnswer,
  newTurn,
  type Turn,
  turnsBefore,
  withResults,
} from '../conversations/conversation.ts';
import { useStoredTurns } from '../conversations/use-stored-turns.ts';
import { useAsk } from './use-ask.ts';

export interface Prompt {
  text: string;
  images: string[];
  files: AttachedFile[];
}

export interface Chat {
  turns: Turn[];
  running: boolean;
  send: (prompt: Prompt) => void;
  /** Asks an earlier question again in other words; what followed it goes. */
  resend: (turnId: string, prompt: Prompt) => void;
  /** Asks one column once more. */
  retry: (turnId: string, column: number) => void;
  /** Answers the calls of tools in one column, whose model then goes on. */
  giveResults: (turnId: string, column: number, results: ReadonlyMap<ToolCall, string>) => void;
  /** All columns go on from this one's answer; undefined: each from its own. */
  choose: (turnId: string, column: number | undefined) => void;
  /** @param answerId all, when undefined */
  stop: (answerId?: string) => void;
  replaceTurns: (turns: Turn[]) => void;
}

/**
 * A conversation with up to three models side by side. Everything running ends with the page.
 * @param wanted what the next question asks for
 */
export function useChat(owner: string, settings: ConversationSettings, wanted: AskedFor): Chat {
  const [turns, setTurns] = useStoredTurns(owner);
  const { ask, stop } = useAsk(setTurns);
  const latest = useRef({ turns, settings, wanted });
  useEffect(() => {
    latest.current = { turns, settings, wanted };
  }, [turns, settings, wanted]);

  const askAll = useCallback(
    (before: readonly Turn[], prompt: Prompt, wanted: AskedFor) => {
      stop();
      const { settings } = latest.current;
      const answers = settings.models.map((model) => newAnswer(model));
      const turn = newTurn({ for: wanted, ...prompt }, answers);
      ask(settings, [...before, turn], [...answers.keys()]);
    },
    [ask, stop],
  );
  /** Changes a turn, which is the last one then, and asks one column of it. */
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
      (turnId, column) =>
        askColumn(turnId, column, (turn, { models }) => askedAgain(turn, column, models[column])),
      [askColumn],
    ),
    giveResults: useCallback(
      (turnId, column, results) =>
        askColumn(turnId, column, (turn) => ({
          ...turn,
          answers: turn.answers.map((answer, index) =>
            index === column ? withResults(answer, results) : answer,
          ),
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
