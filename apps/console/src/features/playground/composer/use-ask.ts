import type { ConversationSettings } from '@switchyard/contract/playground/conversation';
import { type Dispatch, type SetStateAction, useCallback, useEffect, useRef } from 'react';
import { addPart } from '../answer/answer-part.ts';
import { type Answer, changeAnswer, type Turn } from '../conversations/conversation.ts';
import { askPictures, askSpeech, askTranscript } from './ask-files.ts';
import { askModel } from './ask-model.ts';
import { chatRequest, pictureRequest, speechRequest, transcriptRequest } from './chat-request.ts';
import { ChatError } from './relay-call.ts';

type Change = (next: (answer: Answer) => Answer) => void;

/** Sends the last turn to the models of some columns; their answers grow in the conversation. */
export function useAsk(setTurns: Dispatch<SetStateAction<Turn[]>>) {
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
  /** The last one is asked. */
  turns: readonly Turn[];
  column: number;
  signal: AbortSignal;
}

/** One answer from the first byte to its end, whatever the end is. */
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
      const request = pictureRequest(settings, model, text);
      const pictures = await askPictures({ request, signal, onRequestId });
      return change((answer) => ({ ...answer, pictures }));
    }
    case 'speech': {
      const request = speechRequest(settings, model, text);
      const sound = await askSpeech({ request, signal, onRequestId });
      return change((answer) => ({ ...answer, sound }));
    }
    case 'transcript': {
      const request = transcriptRequest(settings, model, text);
      const said = await askTranscript({ recording: turn.files[0], request, signal, onRequestId });
      return change((answer) => ({ ...answer, text: said }));
    }
    case 'text':
    case undefined:
  }
  await askModel({
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
