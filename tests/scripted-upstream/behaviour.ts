/**
 * Behaviour of the scripted upstream for one request. A model's name is a list of words joined by `+`, each of which
 * changes one thing: `tokens-200+cut-after-3`. Unknown words change nothing, so ordinary names behave normally.
 */
export interface Behaviour {
  /** Words in the response; each counts as one output token. */
  tokens: number;
  firstByteMs: number;
  /** Pause before each further piece of a stream. */
  dripMs: number;
  /** The last piece is sent once it resolves. */
  endGate?: Promise<void> | undefined;
  status: number;
  retryAfterSeconds?: number | undefined;
  /** Pieces of a stream that are sent before the socket is destroyed. */
  cutAfter?: number | undefined;
  /** Pieces that are sent before the upstream falls silent with an open socket; 0 sends not even a head. */
  silentAfter?: number | undefined;
  /** Pieces that are sent before an endless series of comment lines. */
  commentsAfter?: number | undefined;
  /** A body that is not in the dialect at all. */
  garbage: boolean;
  /** Status 200 with the dialect's error as its body. */
  errorIn200: boolean;
  /** The dialect's error as an event after half of the pieces. */
  errorInStream: boolean;
  /** `twice`: repeated at the end of a stream; `growing`: with every piece of it. */
  usage: 'exact' | 'none' | 'huge' | 'negative' | 'twice' | 'growing';
  contentType?: string | undefined;
  /** Reports that a smaller model responded. */
  isSmaller: boolean;
  /** Calls the first tool until it has a result. */
  callsTool: boolean;
}

const defaultBehaviour: Behaviour = {
  tokens: 10,
  firstByteMs: 0,
  dripMs: 0,
  status: 200,
  garbage: false,
  errorIn200: false,
  errorInStream: false,
  usage: 'exact',
  isSmaller: false,
  callsTool: false,
};

type Word = (numbers: readonly number[]) => Partial<Behaviour>;

const behaviourWords: Readonly<Record<string, Word>> = {
  tokens: ([tokens = 10]) => ({ tokens }),
  'slow-first-byte': ([firstByteMs = 500]) => ({ firstByteMs }),
  drip: ([dripMs = 10]) => ({ dripMs }),
  'cut-after': ([cutAfter = 3]) => ({ cutAfter }),
  silent: () => ({ silentAfter: 0 }),
  'silent-after': ([silentAfter = 3]) => ({ silentAfter }),
  'comments-after': ([commentsAfter = 3]) => ({ commentsAfter }),
  status: ([status = 500]) => ({ status }),
  'status-retry': ([status = 429, retryAfterSeconds = 1]) => ({ status, retryAfterSeconds }),
  garbage: () => ({ garbage: true }),
  'error-in-200': () => ({ errorIn200: true }),
  'error-in-stream': () => ({ errorInStream: true }),
  'no-usage': () => ({ usage: 'none' }),
  'usage-twice': () => ({ usage: 'twice' }),
  'growing-usage': () => ({ usage: 'growing' }),
  'huge-usage': () => ({ usage: 'huge' }),
  'negative-usage': () => ({ usage: 'negative' }),
  smaller: () => ({ isSmaller: true }),
  'calls-tool': () => ({ callsTool: true }),
  'wrong-content-type': () => ({ contentType: 'text/html; charset=utf-8' }),
};

/** `status-429-retry-1` → word `status-retry` with the numbers 429 and 1; `drip-10ms` → `drip` with 10. */
export function parseBehaviour(model: string): Behaviour {
  const changes = model.split('+').map((text) => {
    if (text === 'error-in-200') return behaviourWords[text]?.([]) ?? {};
    const parts = text.split('-');
    const numbers = parts.flatMap((part) => (/^\d+(ms)?$/.test(part) ? [Number.parseInt(part, 10)] : []));
    const name = parts.filter((part) => !/^\d+(ms)?$/.test(part)).join('-');
    return behaviourWords[name]?.(numbers) ?? {};
  });
  return Object.assign({}, defaultBehaviour, ...changes);
}
