export type NoticeKind = 'error' | 'warning' | 'success' | 'info';

const durations: Record<NoticeKind, number> = { error: 5000, warning: 10_000, success: 1500, info: 3000 };
/** Long enough to read and reach the button. */
const UNDO_MS = 8000;
const MOST = 3;

export interface NoticeOptions {
  /** A second line, for instance the request id. */
  detail?: string | undefined;
  undo?: (() => void) | undefined;
}

export interface Notice extends NoticeOptions {
  id: number;
  kind: NoticeKind;
  message: string;
  /** Display time in milliseconds. */
  duration: number;
}

let shown: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function show(next: readonly Notice[]): void {
  shown = next;
  for (const listener of listeners) listener();
}

/** Tells an outcome in a corner of the screen: three at most, the same text once at a time. */
export function notify(kind: NoticeKind, message: string, options: NoticeOptions = {}): void {
  lastId += 1;
  const duration = options.undo === undefined ? durations[kind] : UNDO_MS;
  const others = shown.filter((notice) => notice.message !== message || notice.kind !== kind);
  show([...others, { id: lastId, kind, message, duration, ...options }].slice(-MOST));
}

export function dismiss(id: number): void {
  show(shown.filter((notice) => notice.id !== id));
}

export function currentNotices(): readonly Notice[] {
  return shown;
}

export function subscribeNotices(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
